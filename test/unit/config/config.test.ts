import { expect } from 'chai';
import { ConfigError, readConfig } from '../../../src/config/config.js';
import { variables } from '../../../src/config/variables.js';

type Name = keyof typeof variables;

const names = Object.keys(variables) as Name[];
const CONTRACT = '0x5FbDB2315678afecb367f032d93F642f64180aa3';
const database = { DATABASE_URL: 'postgresql://h/db' };
const outside = {
  ...database,
  RPC_URL: 'http://127.0.0.1:8545',
  CONTRACT_ADDRESS: CONTRACT,
  SOCIAL_TEXT_PROXY: 'https://proxy.test/?u={url}',
};

/** Reads an environment that must be refused, and returns the message. */
function refusal(environment: Record<string, string>): string {
  try {
    readConfig(environment);
  } catch (error) {
    expect(error).to.be.instanceOf(ConfigError);
    return (error as ConfigError).message;
  }
  throw new Error(`accepted: ${JSON.stringify(environment)}`);
}

/** Texts that a setting for integers from 0 to `max` must refuse. */
const integers = (max: number) => ['-1', '1.5', '1e3', '0x10', 'four', ' 1', '1 ', '+1', String(max + 1), '9'.repeat(40)];
const webUrls = ['ftp://host/x', 'host', '//host', 'http://'];
const secrets = ['short', 's'.repeat(513)];

/** Accepted texts whose parsed value is the text itself. */
const same = (...texts: string[]) => Object.fromEntries(texts.map((text) => [text, text]));

/** For every variable: accepted texts with their parsed values, and refused texts. */
const cases: Record<Name, { good: Record<string, unknown>; bad: string[] }> = {
  PORT: { good: { '0': 0, '65535': 65535 }, bad: integers(65535) },
  HOST: { good: same('::1', 'a.example-1.org'), bad: ['a b', 'http://host', 'host/'] },
  PUBLIC_URL: { good: same('https://a.test/base'), bad: webUrls },
  DATA_DIR: { good: same('/a b/ü'), bad: [] },
  DATABASE_URL: {
    good: same('postgresql://u:p@h/db', 'postgres://h/db'),
    bad: ['mysql://h/db', 'h:5432/db', 'postgresql'],
  },
  DATABASE_READ_URLS: {
    good: { 'postgresql://a/db,postgres://b/db': ['postgresql://a/db', 'postgres://b/db'] },
    bad: ['mysql://h/db', 'postgresql://a/db,'],
  },
  EMBEDDED: { good: same('1'), bad: ['true', 'on', '2'] },
  REDIS_URL: { good: same('rediss://h:1'), bad: ['http://h:6379', 'h:6379'] },
  RPC_URL: {
    good: {
      'http://a.test': ['http://a.test'],
      'http://a.test , https://b.test/k': ['http://a.test', 'https://b.test/k'],
      'wss://a.test,http://a.test': ['wss://a.test', 'http://a.test'],
    },
    bad: [
      ...webUrls,
      'http://a.test,',
      ',',
      'http://a.test ftp://b.test',
      'ws://a.test',
      'ws://a.test,wss://b.test',
      'http://a.test,b.test',
    ],
  },
  PUBLIC_RPC_URL: { good: same('https://rpc.test/x', 'wss://rpc.test'), bad: webUrls },
  CHAIN_ID: { good: { '1': 1, '84532': 84532 }, bad: ['0', ...integers(2 ** 31 - 1)] },
  CONTRACT_ADDRESS: {
    good: { [CONTRACT]: CONTRACT.toLowerCase() },
    bad: [CONTRACT.slice(2), CONTRACT.slice(0, -1), `${CONTRACT}0`, `0x${'g'.repeat(40)}`],
  },
  START_BLOCK: { good: { '0': 0, '281474976710656': 2 ** 48 }, bad: integers(2 ** 48) },
  CONFIRMATIONS: { good: { '0': 0, '10000': 10_000 }, bad: integers(10_000) },
  CHAIN_PORT: { good: { '1': 1, '65535': 65535 }, bad: ['0', ...integers(65535)] },
  SECRET_KEY: { good: same('s'.repeat(16)), bad: secrets },
  CRON_SECRET: {
    good: {
      ['s'.repeat(512)]: ['s'.repeat(512)],
      [` ${'n'.repeat(16)}\n${'o'.repeat(16)} `]: ['n'.repeat(16), 'o'.repeat(16)],
    },
    bad: [...secrets, `${'s'.repeat(16)} short`],
  },
  WEBHOOK_SIGNING_KEY: { good: { ['k'.repeat(16)]: ['k'.repeat(16)] }, bad: secrets },
  CORS_ORIGINS: {
    good: { 'https://a.test,http://b.test:81': ['https://a.test', 'http://b.test:81'] },
    bad: ['*', 'https://a.test/', 'https://a.test/path', 'a.test', 'null', 'https://A.test', 'https://a.test,'],
  },
  SERVICE_IDENTITY: {
    good: { [`eip155:8453:${CONTRACT.toUpperCase().replace('0X', '0x')}:0`]: `eip155:8453:${CONTRACT.toLowerCase()}:0` },
    bad: [
      '22',
      `eip155:8453:${CONTRACT}`,
      `eip155:0:${CONTRACT}:1`,
      `eip155:1:${CONTRACT}:01`,
      `eip155:1:${CONTRACT}:${'1'.repeat(16)}`,
    ],
  },
  METRICS_PORT: { good: { '9464': 9464 }, bad: ['0', ...integers(65535)] },
  MAX_CONNECTIONS_PER_ADDRESS: { good: { '0': 0, '500': 500 }, bad: ['many', ...integers(1_000_000)] },
  TRUST_PROXY: { good: { '0': 0, '16': 16 }, bad: ['true', ...integers(16)] },
  RATE_LIMITS: { good: same('on', 'off'), bad: ['ON', 'true', '1'] },
  TICKET_CALLBACKS: { good: same('retired'), bad: ['off', 'Retired'] },
  REGISTRATION_SIGNATURE: { good: same('required'), bad: ['on', 'yes'] },
  KEY_REPLACEMENT: { good: same('on'), bad: ['yes', 'retired'] },
  SEASON_DAYS: { good: { '0': 0, '3650': 3650 }, bad: integers(3650) },
  SOCIAL_TEXT_PROXY: {
    good: same('https://proxy.test/?u={url}'),
    bad: ['https://proxy.test/', 'proxy.test/{url}', 'ftp://proxy.test/{url}', '{url}'],
  },
  SOCIAL_PROXY_PLAIN: { good: same('on'), bad: ['true', 'plain'] },
  ETH_USD_URL: { good: same('https://price.test/eth?k=v'), bad: webUrls },
  OTEL_EXPORTER_OTLP_ENDPOINT: { good: same('http://otel.test:4318'), bad: webUrls },
  OTEL_SERVICE_NAME: { good: same('curvet-1'), bad: ['n'.repeat(201)] },
  OTEL_TRACES_SAMPLER: { good: same('always_off', 'parentbased_traceidratio'), bad: ['on', 'jaeger_remote'] },
  OTEL_TRACES_SAMPLER_ARG: {
    good: { '0': 0, '0.25': 0.25, '.5': 0.5, '1.0': 1 },
    bad: ['2', '-1', '1.1', '1e-3', 'half'],
  },
  TIMEOUT_FACTOR: { good: { '1': 1, '1000': 1000 }, bad: ['0', ...integers(1000)] },
  LOG_LEVEL: { good: same('silent', 'trace'), bad: ['INFO', 'verbose', '30'] },
};

describe('the configuration', () => {
  it('needs no variable: everything runs embedded', () => {
    expect(readConfig({})).to.deep.equal({
      PORT: 4000,
      HOST: '127.0.0.1',
      DATA_DIR: './data',
      EMBEDDED: '0',
      CHAIN_ID: 84532,
      CHAIN_PORT: 8545,
      TRUST_PROXY: 0,
      RATE_LIMITS: 'on',
      TICKET_CALLBACKS: 'on',
      REGISTRATION_SIGNATURE: 'optional',
      KEY_REPLACEMENT: 'off',
      SEASON_DAYS: 28,
      SOCIAL_PROXY_PLAIN: 'off',
      TIMEOUT_FACTOR: 1,
      LOG_LEVEL: 'info',
      chainEmbedded: true,
      tracing: false,
      confirmations: 0,
      portMayMove: true,
    });
  });

  for (const name of names) {
    const { good, bad } = cases[name];

    it(`accepts the documented values of ${name}`, () => {
      for (const [text, value] of Object.entries(good)) {
        expect(readConfig({ ...outside, [name]: text })[name], text).to.deep.equal(value);
      }
    });

    if (bad.length === 0) continue;
    it(`refuses other values of ${name} in one line with its name and the accepted form`, () => {
      // `variables[name][1]` describes the accepted values in words.
      const line = new RegExp(`^${name}: [^\\n]+ is not accepted; it must be [^\\n]+$`);
      for (const text of bad)
        expect(refusal({ ...outside, [name]: text }))
          .to.match(line)
          .and.include(variables[name][1]);
    });
  }

  it('shows the refused value, escaped and shortened to one line', () => {
    expect(refusal({ PORT: 'four' })).to.equal('PORT: "four" is not accepted; it must be an integer from 0 to 65535');
    expect(refusal({ KEY_REPLACEMENT: 'yes' })).to.include('"yes"');
    expect(refusal({ LOG_LEVEL: 'in\nfo' })).to.include('"in\\nfo"');
    expect(refusal({ HOST: `a b${'c'.repeat(9999)}` })).to.have.length.below(400);
  });

  it('does not show a refused value that may be secret', () => {
    const secret = 'hunter2';
    const withSecret: Partial<Record<Name, string>> = {
      SECRET_KEY: secret,
      CRON_SECRET: secret,
      WEBHOOK_SIGNING_KEY: secret,
      DATABASE_URL: `mysql://u:${secret}@h/db`,
      REDIS_URL: `http://:${secret}@h`,
      RPC_URL: `ftp://h/${secret}`,
      SOCIAL_TEXT_PROXY: `https://h/?key=${secret}`,
      ETH_USD_URL: `ftp://h/?key=${secret}`,
      OTEL_EXPORTER_OTLP_ENDPOINT: `ftp://h/?key=${secret}`,
    };
    for (const [name, text] of Object.entries(withSecret)) {
      const line = refusal({ [name]: text });
      expect(line).to.match(new RegExp(`^${name}: the value is not accepted`));
      expect(line).to.not.include(secret);
    }
  });

  it('refuses the placeholders of examples in secrets, without showing the value', () => {
    for (const [name, text] of [
      ...(['change-me-change-me', 'CHANGEME', 'replace_me_with_your_key'] as const).map((text) => ['SECRET_KEY', text]),
      ['CRON_SECRET', `${'s'.repeat(16)} <cron-secret-of-your-own>`],
      ['DATABASE_READ_URLS', 'postgresql://u:s3cret@h/db,postgresql://u:<password>@i/db'],
      ['RPC_URL', 'https://base.example/v2/YOUR_API_KEY'],
      ['SOCIAL_TEXT_PROXY', 'https://h/?u={url}&key=<key>'],
    ] as const) {
      const line = `${name}: the value is not accepted: it has a placeholder of an example; set your own`;
      expect(refusal({ ...outside, [String(name)]: text }), text).to.equal(line);
    }
    // These are accepted: `change-me` is part of longer words or of a setting that is no secret, and `<9aPq>` is part of a secret.
    const DATABASE_URL = 'postgresql://a:b@exchange-metrics.internal/exchangemetrics';
    const PUBLIC_URL = 'https://change-me.example';
    expect(readConfig({ SECRET_KEY: 'kX<9aPq>0vTz1Lm-your-own', PUBLIC_URL, DATABASE_URL })).to.be.frozen;
  });

  it('treats an empty variable as not set', () => {
    const empty = Object.fromEntries(names.map((name) => [name, '']));
    expect(readConfig(empty)).to.deep.equal(readConfig({}));
  });

  it('ignores unknown variables', () => {
    expect(readConfig({ PORTS: 'x', chainEmbedded: 'no', PATH: '/bin' })).to.deep.equal(readConfig({}));
  });

  it('turns traces on with any variable of OpenTelemetry that is not empty, and off with those that say so', () => {
    expect(readConfig({ OTEL_RESOURCE_ATTRIBUTES: 'a=b' }).tracing).to.equal(true);
    const on = { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://otel.test' };
    expect(readConfig(on).tracing).to.equal(true);
    expect(readConfig({ ...on, OTEL_SDK_DISABLED: 'true' }).tracing).to.equal(false);
    expect(readConfig({ ...on, OTEL_TRACES_EXPORTER: 'none' }).tracing).to.equal(false);
    expect(readConfig({ OTEL_EXPORTER_OTLP_ENDPOINT: '' }).tracing).to.equal(false);
  });

  it('is frozen together with its lists', () => {
    const config = readConfig({ ...outside, CORS_ORIGINS: 'https://a.test' });
    expect(config).to.be.frozen;
    expect(config.RPC_URL).to.be.frozen;
    expect(config.CORS_ORIGINS).to.be.frozen;
  });

  it('lets only the default port of a service with the embedded chain move', () => {
    expect(readConfig({ PORT: '' }).portMayMove).to.equal(true);
    expect(readConfig({ PORT: '4000' }).portMayMove).to.equal(false);
    expect(readConfig(outside).portMayMove).to.equal(false);
  });

  it('defaults to 3 confirmations with an external RPC and 0 with the embedded chain', () => {
    expect(readConfig(outside)).to.include({ chainEmbedded: false, confirmations: 3 });
    expect(readConfig({ ...outside, CONFIRMATIONS: '0' }).confirmations).to.equal(0);
    expect(readConfig({ CONFIRMATIONS: '2' }).confirmations).to.equal(2);
  });

  it('refuses a variable that is set without another one that it needs', () => {
    for (const [environment, fault] of [
      [{ ...outside, CONTRACT_ADDRESS: '' }, /^CONTRACT_ADDRESS: not set; .+ when RPC_URL is set$/],
      [{ ...outside, SOCIAL_TEXT_PROXY: '' }, /^SOCIAL_TEXT_PROXY: not set; .+ when RPC_URL is set$/],
      [{ CONTRACT_ADDRESS: CONTRACT }, /^CONTRACT_ADDRESS: "0x\w+" is not accepted without RPC_URL: .+$/],
      [{ PUBLIC_RPC_URL: 'https://a.test' }, /^PUBLIC_RPC_URL: "https:..a.test" is not accepted without RPC_URL: .+$/],
    ] as const)
      expect(refusal(environment)).to.match(fault);
  });

  it('refuses settings of earlier versions, and says what to do', () => {
    expect(refusal({ DATABASE_POOLER_URL: 'postgresql://h/db' })).to.match(/^DATABASE_POOLER_URL: this setting is gone: /);
    for (const name of ['CRON_SECRET', 'WEBHOOK_SIGNING_KEY'] as const) {
      const line = refusal({ [name]: 'the-present-secret', [`OLD_${name}`]: 'the-earlier-secret' });
      expect(line).to.equal(`OLD_${name}: this setting is gone: add its value to ${name}, behind a space`);
    }
  });

  it('tells all faults at once, each variable in a line of its own', () => {
    const lines = refusal({ PORT: 'four', TRUST_PROXY: '-1', RPC_URL: 'ftp://h', CRON_SECRET: 'short' }).split('\n');
    expect(lines.map((line) => /^\w+(?=: )/.exec(line)?.[0])).to.deep.equal(
      'PORT RPC_URL CRON_SECRET TRUST_PROXY CONTRACT_ADDRESS SOCIAL_TEXT_PROXY DATABASE_URL'.split(' '),
    );
  });

  it('needs servers of database and chain in production, or beside an outside chain, unless EMBEDDED is 1', () => {
    // `embedded` has an external chain, but no URL of a database.
    const { DATABASE_URL: _, ...embedded } = outside;
    const line = (name: 'DATABASE_URL' | 'RPC_URL', cause: string, part: string) =>
      `${name}: not set; it must be ${variables[name][1]} when ${cause}; EMBEDDED=1 says that the embedded ${part} is meant`;
    const NODE_ENV = 'production';
    const noChain = line('RPC_URL', 'NODE_ENV is production', 'chain');
    for (const [environment, refused] of [
      [embedded, line('DATABASE_URL', 'RPC_URL is set', 'database')],
      [{ NODE_ENV }, `${line('DATABASE_URL', 'NODE_ENV is production', 'database')}\n${noChain}`],
      [{ ...database, NODE_ENV }, noChain],
    ] as const) {
      expect(refusal(environment)).to.equal(refused);
      expect(readConfig({ ...environment, EMBEDDED: '1' }).chainEmbedded).to.equal(environment !== embedded);
    }
    expect(readConfig({ ...outside, NODE_ENV }).chainEmbedded).to.equal(false);
  });

  it('allows the embedded chain with a database server, except in production', () => {
    for (const NODE_ENV of ['', 'development', 'test'])
      expect(readConfig({ ...database, NODE_ENV }).chainEmbedded, NODE_ENV).to.equal(true);
  });
});
