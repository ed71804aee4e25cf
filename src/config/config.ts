import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { OperatorError } from '../errors/errors.js';
import { type Settings, type Variable, variables } from './variables.js';

/** Path of a file in `dist/`: the build writes this module to `dist/src/config/`. */
const fileBeside = (path: string): string => join(import.meta.dirname, '..', '..', path);

export const VERSION: string = JSON.parse(readFileSync(fileBeside('../package.json'), 'utf8')).version;

/** Git commit of the build. Empty if the build could not find it out. */
export const COMMIT = existsSync(fileBeside('commit')) ? readFileSync(fileBeside('commit'), 'utf8') : '';

/** A fault in a setting or in what it names, or the refusal of a command. The program ends and does not try again. */
export class ConfigError extends OperatorError {}

/** A host that a setting names cannot be reached now. It may be starting, so the service tries again; a command fails. */
export class Unreachable extends OperatorError {}

/** The database server answers, but takes no writes. It may be a standby that is promoted soon, so the service tries again. */
export class ReadOnlyDatabase extends Unreachable {}

/** Variables whose values are not printed: secrets, and URLs that may contain credentials. */
const SECRET = /SECRET|_KEY$|^DATABASE_|REDIS_URL|^RPC_URL|SOCIAL_TEXT_PROXY|ETH_USD_URL|^OTEL_EXPORTER/;

/**
 * Placeholders that examples have in place of a secret: `change-me`, `YOUR_API_KEY`, `<password>`. A start refuses them, because
 * everybody knows them.
 */
const PLACEHOLDER =
  /(?<![a-z])(?:change|replace)[-_]?me(?![a-z])|(?<![a-z])your[-_](?:[a-z]+[-_])*(?:key|secret|password|token)|(?<=^|[\s,:=/])<[^<>\s]+>(?=$|[\s,:@&/?])/i;

/** Settings of earlier versions, with what to do instead. A start refuses them, because they would have no effect. */
const REMOVED: Readonly<Record<string, string>> = {
  DATABASE_POOLER_URL: 'PgBouncer works in session mode, as DATABASE_URL',
  OLD_CRON_SECRET: 'add its value to CRON_SECRET, behind a space',
  OLD_WEBHOOK_SIGNING_KEY: 'add its value to WEBHOOK_SIGNING_KEY, behind a space',
};

type Name = keyof Settings;

/** The settings, and values that are derived from them. */
export type Config = Settings & {
  readonly chainEmbedded: boolean;
  /** Whether the service sends traces. */
  readonly tracing: boolean;
  readonly confirmations: number;
  /** Whether the service takes the next free port if PORT is in use. */
  readonly portMayMove: boolean;
};

/**
 * Any OTEL_* variable turns traces on, even one that the table `variables` does not contain, because the SDK of OpenTelemetry
 * reads it. The last two conditions are the standard ways to turn traces off.
 */
const wantsTraces = (env: NodeJS.ProcessEnv): boolean =>
  Object.keys(env).some((name) => name.startsWith('OTEL_') && env[name]) &&
  env.OTEL_SDK_DISABLED?.toLowerCase() !== 'true' &&
  env.OTEL_TRACES_EXPORTER !== 'none';

/**
 * Reads and checks the environment. An empty value counts as not set, so that a copied .env.example works. Throws one error that
 * names all faults.
 */
export function readConfig(env: NodeJS.ProcessEnv): Config {
  const values: Record<string, unknown> = {};
  const faults = new Map<string, string>();
  for (const [name, [schema, accepts, , fallback]] of Object.entries(variables) as [Name, Variable][]) {
    const text = env[name] || fallback;
    if (text === undefined) continue;
    const result = schema.safeParse(text);
    if (SECRET.test(name) && PLACEHOLDER.test(text))
      faults.set(name, 'the value is not accepted: it has a placeholder of an example; set your own');
    else if (!result.success) faults.set(name, `${shown(name, text)} is not accepted; it must be ${accepts}`);
    values[name] = result.data;
  }
  for (const [name, instead] of Object.entries(REMOVED)) if (env[name]) faults.set(name, `this setting is gone: ${instead}`);
  const chainEmbedded = !env.RPC_URL;
  checkTogether(env, faults);
  if (faults.size > 0) throw new ConfigError([...faults].map(([name, fault]) => `${name}: ${fault}`).join('\n'));
  const settings = values as Settings;
  return Object.freeze({
    ...settings,
    chainEmbedded,
    tracing: wantsTraces(env),
    confirmations: settings.CONFIRMATIONS ?? (chainEmbedded ? 0 : 3),
    portMayMove: chainEmbedded && !env.PORT,
  });
}

/** Adds the faults of variables that need or exclude each other. */
function checkTogether(env: NodeJS.ProcessEnv, faults: Map<string, string>): void {
  const add = (name: Name, fault: string) => faults.has(name) || faults.set(name, fault);
  const need = (name: Name, why: string) => {
    if (!env[name]) add(name, `not set; it must be ${variables[name][1]} ${why}`);
  };
  const refuse = (name: Name, why: string) => {
    if (env[name]) add(name, `${shown(name, env[name])} is not accepted ${why}`);
  };
  if (env.RPC_URL) {
    need('CONTRACT_ADDRESS', 'when RPC_URL is set');
    need('SOCIAL_TEXT_PROXY', 'when RPC_URL is set');
  } else {
    refuse('CONTRACT_ADDRESS', 'without RPC_URL: the embedded chain has its own contract');
    refuse('PUBLIC_RPC_URL', 'without RPC_URL: the embedded chain has its own URL');
  }
  // The rest keeps a production service from starting with an embedded database or chain by mistake. EMBEDDED=1 allows both.
  if (env.EMBEDDED === '1') return;
  const inProduction = env.NODE_ENV === 'production' && 'NODE_ENV is production';
  const guard = (name: Name, cause: string | false | undefined, part: string) => {
    if (cause) need(name, `when ${cause}; EMBEDDED=1 says that the embedded ${part} is meant`);
  };
  guard('DATABASE_URL', env.RPC_URL ? 'RPC_URL is set' : inProduction, 'database');
  guard('RPC_URL', inProduction, 'chain');
}

/** The refused value, as an error message shows it. Secrets are hidden, because the message may be logged. */
const shown = (name: string, text: string): string => (SECRET.test(name) ? 'the value' : JSON.stringify(text.slice(0, 200)));
