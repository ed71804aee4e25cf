import { expect } from 'chai';
import { mistyped, warnOfSettings } from '../../../src/cli/warnings.js';
import { variables } from '../../../src/config/variables.js';

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
    it(`resembles ${meant} if its name is ${given}`, () => {
      expect(mistyped({ [given]: 'x' })).to.deep.equal([[given, meant]]);
    });
  }

  it('resembles no setting that is set', () => {
    expect(mistyped({ PROT: '1', PORT: '2' })).to.deep.equal([]);
  });

  it('resembles no setting if it is usual in an environment, also if all settings are set', () => {
    const usual = `HOME PATH PWD USER SHELL TERM LANG MAIL LOGNAME HOSTNAME EDITOR TZ NODE_ENV NODE_OPTIONS NO_COLOR COLOR
      INIT_CWD DEBUG CI HTTP_PROXY NO_PROXY APP_URL API_URL PG_URL RDS_URL META_DIR CHAIN_HOST POSTGRES_PASSWORD REDIS_PORT
      OTEL_EXPORTER_OTLP_HEADERS TRUST_PROXIES`.split(/\s+/);
    for (const names of [usual, [...usual, ...Object.keys(variables)]])
      expect(mistyped(Object.fromEntries(names.map((name) => [name, 'x'])))).to.deep.equal([]);
  });
});

describe('the warnings of a start', () => {
  /** The names of the settings that the start warns about. */
  function warned(env: Record<string, string>): string[] {
    const names: string[] = [];
    warnOfSettings(env, { warn: ({ variable }) => names.push(variable) });
    return names;
  }
  const complete = { PUBLIC_URL: 'https://a.test', REGISTRATION_SIGNATURE: 'required' };
  const production = { NODE_ENV: 'production', RPC_URL: 'https://rpc.test', ...complete };

  it('are none if nothing is set, or if all is set that production needs', () => {
    expect(warned({})).to.deep.equal([]);
    expect(warned(production)).to.deep.equal([]);
  });

  it('name PUBLIC_URL if it is missing or empty in production', () => {
    const { PUBLIC_URL: _, ...without } = production;
    for (const env of [without, { ...production, PUBLIC_URL: '' }]) expect(warned(env)).to.deep.equal(['PUBLIC_URL']);
    expect(warned({ ...without, NODE_ENV: 'test' })).to.deep.equal([]);
  });

  it('name REGISTRATION_SIGNATURE on an outside chain, unless it is required', () => {
    const { REGISTRATION_SIGNATURE: _, ...without } = production;
    for (const env of [without, { ...production, REGISTRATION_SIGNATURE: 'optional' }])
      expect(warned(env)).to.deep.equal(['REGISTRATION_SIGNATURE']);
    expect(warned({ ...without, RPC_URL: '' })).to.deep.equal([]);
  });

  it('name a variable that resembles a setting', () => {
    expect(warned({ PROT: '4001' })).to.deep.equal(['PROT']);
  });
});
