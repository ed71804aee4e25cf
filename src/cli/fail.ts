import { ChainMismatch } from '../chain/market.js';
import { ConfigError } from '../config.js';
import { OtherChainData } from '../core/trading/commands/cursor.js';
import type { Stops } from '../service/stops.js';
import { DirectoryRefused } from '../store/data-directory.js';

const expectedErrors = [ConfigError, DirectoryRefused, ChainMismatch, OtherChainData];

/** Prints an error and exits. Errors that the operator can fix are printed as one line, all others with their stack. */
export function fail(error: unknown): never {
  const expected = expectedErrors.some((kind) => error instanceof kind);
  process.stderr.write(
    `curvet: ${expected && error instanceof Error ? error.message : error instanceof Error ? error.stack : error}\n`,
  );
  process.exit(1);
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
