import { ChainMismatch } from '../chain/market.js';
import { ConfigError } from '../config.js';
import { OtherChainData } from '../core/trading/commands/cursor.js';
import { AppError } from '../errors.js';
import { isDiskFull } from '../outage.js';
import { firstLine } from '../service/database.js';
import type { Stops } from '../service/stops.js';
import { DirectoryRefused } from '../store/data-directory.js';

const expectedErrors = [ConfigError, DirectoryRefused, ChainMismatch, OtherChainData];

/** Prints an error and exits. Errors that the operator can fix are printed as one line, all others with their stack. */
export function fail(error: unknown): never {
  process.stderr.write(`curvet: ${messageOf(error)}\n`);
  process.exit(1);
}

function messageOf(error: unknown): unknown {
  if (!(error instanceof Error)) return error;
  const isFull = isDiskFull(error) || ('code' in error && error.code === 'ENOSPC');
  if (isFull) return `DATA_DIR: no space is left on the disk, or on that of the database: ${firstLine(error)}`;
  return expectedErrors.some((kind) => error instanceof kind) ? error.message : error.stack;
}

/** Throws a refusal of the core as an error that is printed as one line. */
export function refuse(error: unknown): never {
  if (error instanceof AppError) throw new ConfigError(`${error.message}. ${error.hint}`, { cause: error });
  throw error;
}

/** Runs a command, stops the parts that it started, and exits with the code that the command returns. */
export async function finish(command: (stops: Stops) => Promise<number>): Promise<never> {
  const stops: Stops = [];
  const end = await command(stops).then(
    (code) => () => process.exit(code),
    (error: unknown) => () => fail(error),
  );
  for (const stop of stops.reverse()) await stop();
  return end();
}
