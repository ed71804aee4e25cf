import { resolve } from 'node:path';
import type { Logger } from 'pino';
import { type Config, ConfigError, readConfig } from '../../config/config.js';
import { assembleDeps, type Parts } from '../../deps.js';
import { processLimits } from '../../limits/process.js';
import { processLive } from '../../live/process.js';
import { startDatabase } from '../../service/database.js';
import type { Stops } from '../../service/stops.js';
import { DirectoryRefused, lockDirectory } from '../../store/data-directory.js';
import type { Database } from '../../store/database.js';
import { refuse, withStops } from '../fail.js';
import { logOf } from '../log.js';
import { type Program, printHelp } from '../program.js';

export type CommandParts = { readonly config: Config; readonly log: Logger; readonly stops: Stops };

/**
 * Dependencies of a command. A command has no callers to limit or to notify, so rate limits and live events stay in the process.
 * The empty `secretKey` keeps a command from storing a key.
 */
export const commandDeps = <P extends Pick<Parts, 'orm' | 'connected'>>(config: Config, log: Logger, parts: P) =>
  assembleDeps(config, log, { limits: processLimits(), live: processLive(), secretKey: '', ...parts });

type ServiceRequest = {
  readonly method: 'GET' | 'POST';
  readonly path: string;
  readonly body?: object;
};

/**
 * Calls the running service that holds the data directory. `lockError` says why the command cannot use the directory; errors
 * repeat it.
 */
async function callService(config: Config, { method, path, body }: ServiceRequest, lockError: Error): Promise<unknown> {
  const base = (config.PUBLIC_URL ?? `http://${config.HOST}:${config.PORT}`).replace(/\/$/, '');
  const secret = config.CRON_SECRET?.[0];
  if (secret === undefined && path.startsWith('/internal/')) {
    throw new ConfigError(`${lockError.message}: stop the service, or set CRON_SECRET to its value`);
  }
  const response = await fetch(base + path, {
    method,
    headers: { ...(secret && { authorization: `Bearer ${secret}` }), 'content-type': 'application/json' },
    ...(body && { body: JSON.stringify(body) }),
  }).catch((cause: Error) => {
    throw new ConfigError(`${lockError.message}, and no service answers at ${base}`, { cause });
  });
  const { success, error, hint, ...answer } = (await response.json()) as Record<string, unknown>;
  if (success !== true) throw new ConfigError(`${error}. ${hint}`);
  return answer;
}

type Work = {
  /** Whether the command works in the data directory, which a running service may have locked. */
  readonly usesDirectory: boolean;
  /** The request that carries the command out in a running service. */
  readonly request: ServiceRequest;
  readonly onDatabase: (orm: Database) => Promise<unknown>;
};

/** Works on the database directly. If a running service has locked the data directory, calls its endpoint instead. */
export async function runOrCall({ config, log, stops }: CommandParts, work: Work): Promise<unknown> {
  if (work.usesDirectory) {
    try {
      stops.push(lockDirectory(resolve(config.DATA_DIR), log));
    } catch (error) {
      if (error instanceof DirectoryRefused) return callService(config, work.request, error);
      throw error;
    }
  }
  return startDatabase(config, stops)
    .then(({ orm }) => work.onDatabase(orm))
    .catch(refuse);
}

/** Makes a program that runs a command and prints its answer as JSON. Prints the usage if the arguments are no valid command. */
export const answering =
  <Command>(
    usage: string,
    parse: (args: readonly string[]) => Command | null,
    run: (parts: CommandParts, command: Command) => Promise<unknown>,
  ): Program =>
  async (args, env, { stdout, stderr }) => {
    if (printHelp(args, usage, stdout)) return 0;
    const command = parse(args);
    if (command === null) {
      stderr.write(usage);
      return 1;
    }
    return withStops(stderr, async (stops) => {
      const config = readConfig(env);
      const answer = await run({ config, log: await logOf(config, env, stderr), stops }, command);
      stdout.write(`${JSON.stringify(answer, null, 2)}\n`);
      return 0;
    });
  };
