import { expect } from 'chai';
import { mistyped } from '../../src/cli/warnings.js';
import { variables } from '../../src/settings.js';

describe('a variable that is no setting', () => {
  for (const [given, meant] of Object.entries({
    LOG_LEVL: 'LOG_LEVEL',
    PROT: 'PORT',
    POTR: 'PORT',
    PORTS: 'PORT',
    DATABASE_ULR: 'DATABASE_URL',
    RPCURL: 'RPC_URL',
    port: 'PORT',
    CORS_ORIGIN: 'CORS_ORIGINS',
  })) {
    it(`resembles ${meant}: ${given}`, () => {
      expect(mistyped({ [given]: 'x' })).to.deep.equal([[given, meant]]);
    });
  }

  it('resembles no setting that is set', () => {
    expect(mistyped({ PROT: '1', PORT: '2' })).to.deep.equal([]);
  });

  it('resembles none if it is usual in an environment, or if it is a setting', () => {
    const usual =
      `HOME PATH PWD USER SHELL TERM LANG MAIL LOGNAME HOSTNAME EDITOR TZ NODE_ENV NODE_OPTIONS NO_COLOR COLOR
      INIT_CWD DEBUG CI HTTP_PROXY NO_PROXY APP_URL API_URL PG_URL RDS_URL META_DIR CHAIN_HOST POSTGRES_PASSWORD REDIS_PORT
      OTEL_EXPORTER_OTLP_HEADERS TRUST_PROXIES`.split(/\s+/);
    for (const names of [usual, [...usual, ...Object.keys(variables)]])
      expect(mistyped(Object.fromEntries(names.map((name) => [name, 'x'])))).to.deep.equal([]);
  });
});
