import type { SqlEntityManager } from '@mikro-orm/sql';
import { isDiskFull } from '../observe/outage.js';
import { traced } from '../observe/spans.js';
import type { WriteCount } from './cache.js';
import type { Database } from './database.js';

export type WriteOptions = {
  /** False if no other caller reads the changes. The write is then not counted. @default true */
  readonly invalidates?: boolean;
};

export type DiskFull = {
  /** The database cannot store more: it refused a write, and changed nothing. */
  onFull(): void;
  /** The embedded database has crashed, because it could not write its log. It answers no more statements. */
  onCrash(): void;
};

/** Runs `work` in one transaction and counts it as a write, which makes cached values of this process stale. */
export type Write = <T>(work: (tx: SqlEntityManager) => Promise<T>, options?: WriteOptions) => Promise<T>;

export function openWrite(orm: Database, writes: WriteCount, disk?: DiskFull): Write {
  return (work, { invalidates = true } = {}) =>
    traced(
      () => ({ name: 'transaction' }),
      async () => {
        let committing = false;
        try {
          return await (orm.em.fork() as SqlEntityManager).transactional(async (tx) => {
            const result = await work(tx);
            committing = true;
            return result;
          });
        } catch (error) {
          if (isDiskFull(error)) {
            const { severity } = error as { severity?: string };
            if (severity === 'PANIC') disk?.onCrash();
            else disk?.onFull();
          }
          throw error;
        } finally {
          // Failed commits count too: the server may have committed before the connection broke.
          if (committing && invalidates) writes.count++;
        }
      },
    );
}
