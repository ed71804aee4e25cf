import type { Sql, Write } from '../store/sql.js';
import { DevPost } from './entity.js';
import type { SocialPost } from './post-host.js';

/** Post host for the embedded chain. Posts are rows of the database. */
export function embeddedPostHost(deps: { sql: Sql; write: Write; clock: { now(): Date } }) {
  return {
    async publish(handle: string, text: string): Promise<string> {
      const post = { handle, text, createdAt: deps.clock.now() };
      const id = await deps.write((tx) => tx.insert(DevPost, post), { invalidates: false });
      return `https://x.com/${handle}/status/${id}`;
    },
    async read(url: string): Promise<SocialPost | null> {
      const id = Number(url.split('/').at(-1));
      // Ids of real posts may exceed the safe integers. The embedded post host has no post with such an id.
      if (!Number.isSafeInteger(id)) return null;
      const [post] = await deps.sql<SocialPost & object>('select handle as author, text from dev_post where id = $1', [id]);
      return post ?? null;
    },
  };
}
