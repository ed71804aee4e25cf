import { ChainMismatch } from '../chain/market.js';
import { ConfigError } from '../config.js';
import { OtherChainData } from '../core/trading/commands/cursor.js';
import { DirectoryRefused } from '../store/data-directory.js';

const expectedErrors = [ConfigError, DirectoryRefused, ChainMismatch, OtherChainData];

/** What the operator must change: one line says it. Anything else is a fault, and its stack helps. */
export function fail(error: unknown): never {
  const expected = expectedErrors.some((kind) => error instanceof kind);
  process.stderr.write(
    `curvet: ${expected && error instanceof Error ? error.message : error instanceof Error ? error.stack : error}\n`,
  );
  process.exit(1);
}
