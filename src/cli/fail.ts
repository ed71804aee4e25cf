import { ConfigError } from '../config/config.js';
import { AppError, OperatorError } from '../errors/errors.js';
import { isDiskFull } from '../observe/database-errors.js';
import { firstLine } from '../observe/outages.js';
import type { Stops } from '../service/stops.js';
import type { Streams } from './program.js';

/** Runs a program. An error gives exit code 1: a line for each fault that the operator can fix, otherwise its stack. */
export async function printErrors(stderr: Streams['stderr'], program: () => Promise<number>): Promise<number> {
  try {
    return await program();
  } catch (error) {
    stderr.write(`${messageOf(error)}\n`);
    return 1;
  }
}

function messageOf(error: unknown): string {
  if (!(error instanceof Error)) return `curvet: ${error}`;
  const isFull = isDiskFull(error) || ('code' in error && error.code === 'ENOSPC');
  if (isFull) return `curvet: DATA_DIR: no space is left on the disk, or on that of the database: ${firstLine(error)}`;
  return error instanceof OperatorError ? error.message.replace(/^/gm, 'curvet: ') : `curvet: ${error.stack}`;
}

/** Turns a refusal of a use case into a `ConfigError`, which is printed without a stack. Other errors are thrown unchanged. */
export function refuse(error: unknown): never {
  if (error instanceof AppError) throw new ConfigError(`${error.message}. ${error.hint}`, { cause: error });
  throw error;
}

/** Runs a command, and stops the parts that it started. Errors are printed, and give exit code 1. */
export const withStops = (stderr: Streams['stderr'], command: (stops: Stops) => Promise<number>): Promise<number> =>
  printErrors(stderr, async () => {
    const stops: Stops = [];
    try {
      return await command(stops);
    } finally {
      for (const stop of stops.reverse()) await stop();
    }
  });
