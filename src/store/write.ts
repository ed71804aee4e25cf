import type { SqlEntityManager } from '@mikro-orm/sql';
import type { WriteCount } from './cache.js';
import type { Database } from './database.js';

/**
 * Runs `work` in one transaction and counts it as a write, so that cached answers that began before it are stale. With
 * `invalidates: false` it is not counted: for changes that no other caller reads.
 */
export type Write = <T>(
  work: (tx: SqlEntityManager) => Promise<T>,
  options?: { readonly invalidates?: boolean },
) => Promise<T>;

export function openWrite(orm: Database, writes: WriteCount): Write {
  return async (work, { invalidates = true } = {}) => {
    let committing = false;
    try {
      return await (orm.em.fork() as SqlEntityManager).transactional(async (tx) => {
        const result = await work(tx);
        committing = true;
        return result;
      });
    } finally {
      // Also after an error: the connection may have been lost once the server had committed.
      if (committing && invalidates) writes.count++;
    }
  };
}
