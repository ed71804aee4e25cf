import { z } from 'zod';

/** A variable that cannot be accepted. The start ends with its one line. */
export class ConfigError extends Error {}

/** What is a secret, and the addresses that may have one in them. */
const SECRET = /SECRET|KEY|DATABASE_URL|REDIS_URL|^RPC_URL|SOCIAL_TEXT_PROXY|ETH_USD_URL/;

const integer = (min: number, max: number) =>
  z
    .string()
    .regex(/^\d{1,15}$/)
    .transform(Number)
    .refine((value) => value >= min && value <= max);
const url = (...protocols: string[]) =>
  z.string().refine((text) => URL.canParse(text) && protocols.includes(new URL(text).protocol.slice(0, -1)));
const list = <T extends z.ZodType<unknown, string>>(item: T) =>
  z
    .string()
    .transform((text) => text.split(',').map((part) => part.trim()))
    .pipe(z.array(item))
    .transform((items) => Object.freeze(items));
const origin = url('http', 'https').refine((text) => URL.canParse(text) && new URL(text).origin === text);
const secret = z.string().min(16).max(512);
const address = z
  .string()
  .regex(/^0x[0-9a-fA-F]{40}$/)
  .transform((text) => text.toLowerCase());

type Variable = readonly [schema: z.ZodType<unknown, string>, accepts: string, meaning: string, fallback?: string];

/** The one schema of the environment: what each variable accepts and means. `.env.example` is made from it. */
export const variables = {
  PORT: [integer(0, 65535), 'an integer from 0 to 65535', 'where it listens; 0 takes a free port', '4000'],
  HOST: [
    z
      .string()
      .min(1)
      .regex(/^[\w.:-]+$/),
    'a host name or address',
    'where it listens',
    '127.0.0.1',
  ],
  PUBLIC_URL: [url('http', 'https'), 'an http(s) URL', 'base of claim URLs and guides; default http://HOST:PORT'],
  DATA_DIR: [z.string().min(1), 'a directory', 'the embedded database and chain live here', './data'],
  DATABASE_URL: [url('postgresql', 'postgres'), 'a postgresql:// URL', 'PostgreSQL 15 or newer; default: embedded'],
  REDIS_URL: [
    url('redis', 'rediss'),
    'a redis:// URL',
    'limits and live events across replicas; default: in the process',
  ],
  RPC_URL: [
    list(url('http', 'https', 'ws', 'wss')).refine((urls) => urls.some((one) => /^http/i.test(one))),
    'http(s) URLs, comma-separated, in the order of preference; ws(s) URLs among them announce new blocks',
    'JSON-RPC of the chain; default: embedded chain',
  ],
  PUBLIC_RPC_URL: [
    url('http', 'https', 'ws', 'wss'),
    'an http(s) or ws(s) URL',
    'JSON-RPC that /docs and GET /api/contract name to agents, with RPC_URL; not a secret; default: none',
  ],
  CHAIN_ID: [integer(1, 2 ** 31 - 1), 'a positive integer', 'the chain that the RPC must be on', '84532'],
  CONTRACT_ADDRESS: [
    address,
    '0x and 40 hexadecimal digits',
    'the market contract; default: deployed on the embedded chain',
  ],
  START_BLOCK: [integer(0, 2 ** 48), 'a block number', 'where indexing starts; default: found by bisection'],
  CONFIRMATIONS: [
    integer(0, 10_000),
    'an integer from 0 to 10000',
    'blocks behind the head; default: 0 embedded, else 3',
  ],
  CHAIN_PORT: [
    integer(1, 65535),
    'an integer from 1 to 65535',
    'of the embedded chain; the next free one if taken',
    '8545',
  ],
  SECRET_KEY: [
    secret,
    '16 to 512 characters',
    'keyed hashes and sealed values; default: made once, kept in the database',
  ],
  CRON_SECRET: [
    secret,
    '16 to 512 characters',
    'bearer secret of the internal job endpoints; without it they do not exist',
  ],
  WEBHOOK_SIGNING_KEY: [
    secret,
    '16 to 512 characters',
    'HMAC key of the chain-event webhook; without it the webhook does not exist',
  ],
  CORS_ORIGINS: [list(origin), 'origins, comma-separated', 'exactly the browser origins that may call; default: none'],
  TRUST_PROXY: [integer(0, 16), 'an integer from 0 to 16', 'proxy hops to trust for the address of a client', '0'],
  MAX_CONNECTIONS_PER_ADDRESS: [
    integer(0, 1_000_000),
    'an integer from 0 to 1000000',
    'open connections of one address, 0: no limit; default: 200, and no limit with TRUST_PROXY above 0 (all come from the proxy) or RATE_LIMITS off',
  ],
  RATE_LIMITS: [z.enum(['on', 'off']), 'on or off', 'off only for benchmarks and tests', 'on'],
  TICKET_CALLBACKS: [z.enum(['on', 'retired']), 'on or retired', 'retired: POST buy and sell answer 410', 'on'],
  REGISTRATION_SIGNATURE: [
    z.enum(['optional', 'required']),
    'optional or required',
    "whether registering needs the wallet's signature; required is recommended with RPC_URL",
    'optional',
  ],
  SEASON_DAYS: [
    integer(0, 3650),
    'an integer from 0 to 3650',
    'length of seasons started automatically; 0: by hand',
    '28',
  ],
  SOCIAL_TEXT_PROXY: [
    url('http', 'https').refine((text) => text.includes('{url}')),
    'an http(s) URL with {url} in it',
    'reads posts for verification; default: embedded post host on the embedded chain',
  ],
  SOCIAL_PROXY_PLAIN: [z.enum(['on', 'off']), 'on or off', 'accept posts whose author the proxy does not name', 'off'],
  ETH_USD_URL: [
    url('http', 'https'),
    'an http(s) URL',
    'JSON price of 1 ETH in USD; without it, or when it fails, 2500',
  ],
  METRICS_PORT: [
    integer(1, 65535),
    'an integer from 1 to 65535',
    'own port of /metrics on HOST; PORT then has no /metrics; default: /metrics is on PORT',
  ],
  LOG_LEVEL: [
    z.enum(['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent']),
    'trace, debug, info, warn, error, fatal or silent',
    'how much is logged',
    'info',
  ],
} as const satisfies Record<string, Variable>;

type Name = keyof typeof variables;
type Value<N extends Name> = z.output<(typeof variables)[N][0]>;
type Defaulted = {
  [N in Name]: (typeof variables)[N] extends readonly [unknown, unknown, unknown, string] ? N : never;
}[Name];
type Environment = { [N in Name]: N extends Defaulted ? Value<N> : Value<N> | undefined };

export type Config = Readonly<Environment> & { readonly chainEmbedded: boolean; readonly confirmations: number };

/** Reads the environment once. An empty variable counts as not set, so that a copied .env.example works. */
export function readConfig(env: NodeJS.ProcessEnv): Config {
  const values: Record<string, unknown> = {};
  for (const [name, variable] of Object.entries(variables) as [Name, Variable][]) {
    const [schema, accepts, , fallback] = variable;
    const text = env[name] || fallback;
    if (text === undefined) continue;
    const result = schema.safeParse(text);
    if (!result.success) throw new ConfigError(`${name}: ${shown(name, text)} is not accepted; it must be ${accepts}`);
    values[name] = result.data;
  }
  const config = values as unknown as Environment;
  const chainEmbedded = config.RPC_URL === undefined;
  const need = (name: Name, why: string) => {
    if (config[name] === undefined) throw new ConfigError(`${name}: not set; it must be ${variables[name][1]} ${why}`);
  };
  const refuse = (name: Name, why: string) => {
    if (env[name]) throw new ConfigError(`${name}: ${shown(name, env[name])} is not accepted ${why}`);
  };
  if (chainEmbedded) {
    refuse('CONTRACT_ADDRESS', 'without RPC_URL: the embedded chain has its own contract');
    refuse('PUBLIC_RPC_URL', 'without RPC_URL: the embedded chain announces its own address');
  } else {
    need('CONTRACT_ADDRESS', 'when RPC_URL is set');
    need('SOCIAL_TEXT_PROXY', 'when RPC_URL is set');
  }
  return Object.freeze({
    ...config,
    chainEmbedded,
    confirmations: config.CONFIRMATIONS ?? (chainEmbedded ? 0 : 3),
  });
}

/** A refused secret is not printed: the line may end in a log. */
function shown(name: string, text: string): string {
  return SECRET.test(name) ? 'the value' : JSON.stringify(text.slice(0, 200));
}

/** The text of `.env.example`. */
export function environmentExample(): string {
  const lines = (Object.entries(variables) as [Name, Variable][]).map(
    ([name, [, accepts, meaning, fallback]]) => `# ${meaning} (${accepts})\n#${name}=${fallback ?? ''}\n`,
  );
  return `# Every variable of the service. With nothing set it runs whole: embedded database, chain and post host.\n# compose.yaml reads them from a file named .env; a service started by npm has them from its environment.\n\n${lines.join('\n')}`;
}
