import type { Deps } from '../../deps.js';
import { isRereading, readCursor } from '../../index/cursor.js';
import { markOutage } from '../../observe/database-errors.js';

/**
 * Reads the objects that live events refer to. A missing object either is gone, or will be there soon, because the index reads its
 * block again after a repair. If a repair may be the reason, this throws, and the hub tries again later.
 */
export async function unlessRereading<T>(deps: Deps, read: () => Promise<T>, lacksFacts: (contents: T) => boolean): Promise<T> {
  const first = await read();
  if (!lacksFacts(first)) return first;
  // Reads again, and checks before and after it that no repair runs. Only then is a missing object certainly gone.
  const before = await readCursor(deps);
  const contents = await read();
  const after = await readCursor(deps);
  const isAtRest = !isRereading(before) && !isRereading(after) && before.rereadTo === after.rereadTo;
  if (lacksFacts(contents) && !isAtRest) throw markOutage(new Error('the index reads blocks again'), 'DATABASE_BUSY');
  return contents;
}
