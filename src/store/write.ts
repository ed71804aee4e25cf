import type { SqlEntityManager } from '@mikro-orm/sql';
import type { WriteCount } from './cache.js';
import type { Database } from './database.js';

/**
 * Runs `work` in one transaction and counts it as a write, which makes cached values of this process stale. With
 * `invalidates: false` the write is not counted: use it for changes that no other caller reads.
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
      // Counts failed commits too: the server may have committed before the connection broke.
      if (committing && invalidates) writes.count++;
    }
  };
}
