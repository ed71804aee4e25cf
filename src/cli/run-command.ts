import { resolve } from 'node:path';
import { type Logger, pino } from 'pino';
import { type Config, readConfig } from '../config.js';
import { startDatabase } from '../service/database.js';
import type { Stops } from '../service/stops.js';
import { DirectoryRefused, lockDirectory } from '../store/data-directory.js';
import type { Database } from '../store/database.js';
import { callService, type ServiceRequest } from './call-service.js';
import { finish, refuse } from './fail.js';

type Work = {
  /** Whether the command works in the data directory, which a running service may hold. */
  readonly usesDirectory: boolean;
  /** The request that carries the command out in a running service. */
  readonly request: ServiceRequest;
  readonly onDatabase: (orm: Database, log: Logger) => Promise<unknown>;
};

/** Works on the database. If a running service holds the data directory, calls its endpoint instead. */
export async function runOrCall(config: Config, stops: Stops, work: Work): Promise<unknown> {
  const log = pino({ level: config.LOG_LEVEL }, process.stderr);
  if (work.usesDirectory) {
    try {
      stops.push(lockDirectory(resolve(config.DATA_DIR), log));
    } catch (error) {
      if (error instanceof DirectoryRefused) return callService(config, work.request, error);
      throw error;
    }
  }
  return startDatabase(config, stops)
    .then(({ orm }) => work.onDatabase(orm, log))
    .catch(refuse);
}

/** Runs a command, prints its answer as JSON and exits. Prints the usage if there is no valid command. */
export async function printAnswer<Command>(
  command: Command | null,
  usage: string,
  run: (config: Config, command: Command, stops: Stops) => Promise<unknown>,
): Promise<never> {
  if (command === null) {
    process.stderr.write(usage);
    process.exit(1);
  }
  return finish(async (stops) => {
    const answer = await run(readConfig(process.env), command, stops);
    process.stdout.write(`${JSON.stringify(answer, null, 2)}\n`);
    return 0;
  });
}
