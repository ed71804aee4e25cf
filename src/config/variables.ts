import { z } from 'zod';
import { IDENTITY_FORM, readIdentity } from '../values/identity.js';

// Schemas that parse the text of a variable to its value in `Settings`.
const whole = (min: number, max: number) =>
  z
    .string()
    .regex(/^\d{1,15}$/)
    .transform(Number)
    .refine((value) => value >= min && value <= max);
const url = (...protocols: string[]) =>
  z.string().refine((text) => URL.canParse(text) && protocols.includes(new URL(text).protocol.slice(0, -1)));
const list = <T extends z.ZodType<unknown, string>>(item: T, separator: string | RegExp = ',') =>
  z
    .string()
    .transform((text) =>
      text
        .trim()
        .split(separator)
        .map((part) => part.trim()),
    )
    .pipe(z.array(item))
    .transform((items) => Object.freeze(items));
const origin = url('http', 'https').refine((text) => URL.canParse(text) && new URL(text).origin === text);
const secret = z.string().min(16).max(512);
const secrets = list(secret, /\s+/);
const address = z
  .string()
  .regex(/^0x[0-9a-fA-F]{40}$/)
  .transform((text) => text.toLowerCase());

/** `integer`, `choice` and `httpUrl` give a schema and a text that says what it accepts. A row of `variables` begins with both. */
const integer = (min: number, max: number) => [whole(min, max), `an integer from ${min} to ${max}`] as const;
const choice = <const T extends readonly string[]>(...values: T) =>
  [z.enum(values), values.join(', ').replace(/, (\w+)$/, ' or $1')] as const;
const httpUrl = [url('http', 'https'), 'an http(s) URL'] as const;

/**
 * The values of all environment variables. A type without `undefined` means that the variable has a default, so a value is always
 * set.
 */
export type Settings = {
  readonly PORT: number;
  readonly HOST: string;
  readonly PUBLIC_URL: string | undefined;
  readonly DATA_DIR: string;
  readonly DATABASE_URL: string | undefined;
  readonly DATABASE_READ_URLS: readonly string[] | undefined;
  readonly EMBEDDED: '0' | '1';
  readonly REDIS_URL: string | undefined;
  readonly RPC_URL: readonly string[] | undefined;
  readonly PUBLIC_RPC_URL: string | undefined;
  readonly CHAIN_ID: number;
  readonly CONTRACT_ADDRESS: string | undefined;
  readonly START_BLOCK: number | undefined;
  readonly CONFIRMATIONS: number | undefined;
  readonly CHAIN_PORT: number;
  readonly SECRET_KEY: string | undefined;
  readonly CRON_SECRET: readonly string[] | undefined;
  readonly WEBHOOK_SIGNING_KEY: readonly string[] | undefined;
  readonly CORS_ORIGINS: readonly string[] | undefined;
  readonly SERVICE_IDENTITY: string | undefined;
  readonly TRUST_PROXY: number;
  readonly MAX_CONNECTIONS_PER_ADDRESS: number | undefined;
  readonly RATE_LIMITS: 'on' | 'off';
  readonly TICKET_CALLBACKS: 'on' | 'retired';
  readonly REGISTRATION_SIGNATURE: 'optional' | 'required';
  readonly KEY_REPLACEMENT: 'on' | 'off';
  readonly SEASON_DAYS: number;
  readonly SOCIAL_TEXT_PROXY: string | undefined;
  readonly SOCIAL_PROXY_PLAIN: 'on' | 'off';
  readonly ETH_USD_URL: string | undefined;
  readonly METRICS_PORT: number | undefined;
  readonly TIMEOUT_FACTOR: number;
  readonly LOG_LEVEL: 'trace' | 'debug' | 'info' | 'warn' | 'error' | 'fatal' | 'silent';
  readonly OTEL_EXPORTER_OTLP_ENDPOINT: string | undefined;
  readonly OTEL_SERVICE_NAME: string | undefined;
  readonly OTEL_TRACES_SAMPLER: string | undefined;
  readonly OTEL_TRACES_SAMPLER_ARG: number | undefined;
};

type Described<Value> = readonly [schema: z.ZodType<Value, string>, accepts: string, meaning: string];
export type Variable = readonly [...Described<unknown>, fallback?: string];

/** Makes the compiler check that a variable has a default if and only if its type in `Settings` excludes `undefined`. */
type Variables = {
  readonly [Name in keyof Settings]: undefined extends Settings[Name]
    ? readonly [...Described<NonNullable<Settings[Name]>>]
    : readonly [...Described<Settings[Name]>, fallback: string];
};

/** All environment variables: schema, accepted values, meaning and default. `.env.example` is generated from this table. */
export const variables: Variables = {
  PORT: [
    ...integer(0, 65535),
    'TCP port to listen on; 0 picks a free port; if it is not set, a service with the embedded chain takes the next free port',
    '4000',
  ],
  HOST: [z.string().regex(/^[\w.:-]+$/), 'a host name or address', 'network interface to listen on', '127.0.0.1'],
  PUBLIC_URL: [...httpUrl, 'base URL that claim URLs and guides show, and that wallets sign; default: http://HOST:PORT'],
  DATA_DIR: [z.string().min(1), 'a directory', 'data directory of the embedded database and the embedded chain', './data'],
  DATABASE_URL: [
    url('postgresql', 'postgres'),
    'a postgresql:// URL',
    'PostgreSQL server, version 15 or newer; default: embedded database in DATA_DIR',
  ],
  DATABASE_READ_URLS: [
    list(url('postgres', 'postgresql')),
    'postgresql:// URLs, comma-separated',
    'streaming replicas of DATABASE_URL that serve public reads; default: none, DATABASE_URL serves all reads',
  ],
  EMBEDDED: [
    ...choice('0', '1'),
    '1: the embedded database or chain is meant; otherwise a service with RPC_URL or NODE_ENV=production needs DATABASE_URL, and one with NODE_ENV=production needs RPC_URL',
    '0',
  ],
  REDIS_URL: [
    url('redis', 'rediss'),
    'a redis:// URL',
    'Redis server that shares rate limits and live events between replicas; default: in memory, for one process',
  ],
  RPC_URL: [
    list(url('http', 'https', 'ws', 'wss')).refine((urls) => urls.some((url) => /^http/i.test(url))),
    'http(s) URLs, comma-separated, in order of preference (ws(s) URLs among them announce new blocks)',
    'JSON-RPC endpoints of the chain; default: embedded chain',
  ],
  PUBLIC_RPC_URL: [
    url('http', 'https', 'ws', 'wss'),
    'an http(s) or ws(s) URL',
    'public JSON-RPC endpoint that /docs and GET /api/contract show to agents; only with RPC_URL; default: none',
  ],
  CHAIN_ID: [
    whole(1, 2 ** 31 - 1),
    'a positive integer',
    'chain ID; the service refuses to start if an RPC is on another chain',
    '84532',
  ],
  CONTRACT_ADDRESS: [
    address,
    '0x and 40 hexadecimal digits',
    'address of the market contract; required with RPC_URL; default: deployed on the embedded chain',
  ],
  START_BLOCK: [
    whole(0, 2 ** 48),
    'a block number',
    'first block to index; default: the block that deployed the contract, found by bisection (needs an archive RPC)',
  ],
  CONFIRMATIONS: [...integer(0, 10_000), 'confirmations before a block is indexed; default: 0 on the embedded chain, else 3'],
  CHAIN_PORT: [...integer(1, 65535), 'port of the embedded chain; if it is taken, the next free port', '8545'],
  SECRET_KEY: [
    secret,
    '16 to 512 characters',
    'HMAC key for stored client addresses; default: generated at the first start and stored in the database',
  ],
  CRON_SECRET: [
    secrets,
    'one or several secrets, separated by white space, each of 16 to 512 characters',
    'bearer secrets of the internal job endpoints: all are accepted, and the commands send the first; default: none, the endpoints do not exist',
  ],
  WEBHOOK_SIGNING_KEY: [
    secrets,
    'one or several keys, separated by white space, each of 16 to 512 characters',
    'HMAC keys of the chain-event webhook: all are accepted; default: none, the webhook does not exist',
  ],
  CORS_ORIGINS: [list(origin), 'origins, comma-separated', 'browser origins that may call the API; default: none'],
  SERVICE_IDENTITY: [
    z
      .string()
      .transform((text) => text.toLowerCase())
      .refine((text) => readIdentity(text) !== null),
    IDENTITY_FORM,
    'identity of this service in a registry of ERC-8004, for /.well-known/agent-registration.json; default: none',
  ],
  TRUST_PROXY: [
    ...integer(0, 16),
    'number of trusted reverse proxies; the client address is taken from X-Forwarded-For; 0: from the socket',
    '0',
  ],
  MAX_CONNECTIONS_PER_ADDRESS: [
    ...integer(0, 1_000_000),
    'maximum open connections per client address; 0: no limit; default: 200, or 0 with TRUST_PROXY above 0 (all connections come from the proxy) or RATE_LIMITS off',
  ],
  RATE_LIMITS: [...choice('on', 'off'), 'rate limits of all endpoints; off is meant for benchmarks and tests', 'on'],
  TICKET_CALLBACKS: [
    ...choice('on', 'retired'),
    'POST /api/tickets/buy and sell, which record submitted trades; retired: they answer 410',
    'on',
  ],
  REGISTRATION_SIGNATURE: [
    ...choice('optional', 'required'),
    "the wallet's signature at registration; required is recommended with RPC_URL",
    'optional',
  ],
  KEY_REPLACEMENT: [
    ...choice('on', 'off'),
    'POST /api/agents/key, which replaces a lost API key with a signature of the wallet; off: it does not exist',
    'off',
  ],
  SEASON_DAYS: [...integer(0, 3650), 'days of a season that starts automatically; 0: seasons start by hand only', '28'],
  SOCIAL_TEXT_PROXY: [
    url('http', 'https').refine((text) => text.includes('{url}')),
    'an http(s) URL with {url} in it',
    'service that returns the text of a post for verification; required with RPC_URL; default: embedded post host',
  ],
  SOCIAL_PROXY_PLAIN: [...choice('on', 'off'), 'on: accept posts whose author SOCIAL_TEXT_PROXY does not name', 'off'],
  ETH_USD_URL: [
    ...httpUrl,
    'JSON source of the price of 1 ETH in USD; default: none; without a source, or if it fails, the price is 2500',
  ],
  METRICS_PORT: [
    ...integer(1, 65535),
    'separate port for /metrics on HOST, which then is not served on PORT; default: /metrics on PORT',
  ],
  TIMEOUT_FACTOR: [...integer(1, 1000), 'factor of all timeouts, for slow machines', '1'],
  LOG_LEVEL: [...choice('trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'), 'minimum level of log lines', 'info'],
  OTEL_EXPORTER_OTLP_ENDPOINT: [
    ...httpUrl,
    'OTLP collector that gets traces, as JSON over HTTP; default: http://localhost:4318 if any other OTEL_* is set, else no traces',
  ],
  OTEL_SERVICE_NAME: [z.string().min(1).max(200), 'a name', 'name of the service in traces; default: curvet'],
  OTEL_TRACES_SAMPLER: [
    z.string().regex(/^(parentbased_)?(always_on|always_off|traceidratio)$/),
    'a sampler of OpenTelemetry, such as parentbased_traceidratio',
    'which traces are recorded; parentbased: the caller decides, if it sends a traceparent; default: parentbased_always_on',
  ],
  OTEL_TRACES_SAMPLER_ARG: [
    z
      .string()
      .regex(/^(0|1|0?\.\d{1,9}|1\.0+)$/)
      .transform(Number),
    'a number from 0 to 1',
    'share of recorded traces, with a sampler whose name ends with traceidratio; default: 1',
  ],
};
