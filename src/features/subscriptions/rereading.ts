import type { Deps } from '../../deps.js';
import { isRereading, readCursor } from '../../index/cursor.js';
import { markOutage } from '../../observe/database-errors.js';

/**
 * Reads contents of events. While the index reads blocks again after a repair, facts are missing that are not gone: if contents lack
 * some, this throws, and the hub tries again.
 */
export async function unlessRereading<T>(deps: Deps, read: () => Promise<T>, lacksFacts: (contents: T) => boolean): Promise<T> {
  const first = await read();
  if (!lacksFacts(first)) return first;
  // A second look, between two looks at an index that was not repaired meanwhile, tells what is gone.
  const before = await readCursor(deps);
  const contents = await read();
  const after = await readCursor(deps);
  const isAtRest = !isRereading(before) && !isRereading(after) && before.rereadTo === after.rereadTo;
  if (lacksFacts(contents) && !isAtRest) throw markOutage(new Error('the index reads blocks again'), 'DATABASE_BUSY');
  return contents;
}
