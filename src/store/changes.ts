import type { EventSubscriber } from '@mikro-orm/core';
import type { Database } from './database.js';
import { writes } from './writes.js';

/** How many writes this process has brought to an end. An answer that was begun before the last of them may be old. */
export type Changes = {
  readonly count: number;
  /** Something else than a write has made what was answered before too old to be answered again. */
  note(): void;
};

const counted = new WeakMap<Database, Changes>();

/**
 * The changes of a database: every transaction that was committed, and every write outside of one. What changes nothing
 * that anybody else sees may work on a fork with `freshEventManager`, and is not counted.
 */
export function changesOf(orm: Database): Changes {
  const known = counted.get(orm);
  if (known) return known;
  const changes = {
    count: 0,
    note: () => {
      changes.count++;
    },
  };
  counted.set(orm, changes);
  const subscriber: EventSubscriber = {
    afterTransactionCommit: async () => {
      changes.count++;
    },
  };
  orm.em.getEventManager().registerSubscriber(subscriber);
  const connection = orm.em.getConnection() as unknown as { execute: (...given: unknown[]) => Promise<unknown> };
  const execute = connection.execute.bind(connection);
  connection.execute = async (...given) => {
    const [text, , , transaction] = given;
    if (transaction !== undefined || (typeof text === 'string' && !writes(text))) return execute(...given);
    try {
      return await execute(...given);
    } finally {
      changes.count++;
    }
  };
  return changes;
}
