import type { SqlEntityManager } from '@mikro-orm/sql';
import { DevPost } from '../store/entities/dev-post.js';
import type { PostHost } from './post-host.js';

export interface EmbeddedPostHost extends PostHost {
  /** Publishes a post and returns its URL. */
  publish(handle: string, text: string): Promise<string>;
}

/** Post host for the embedded chain. Posts are rows of the database. */
export function embeddedPostHost(deps: { em: SqlEntityManager; clock: { now(): Date } }): EmbeddedPostHost {
  return {
    async publish(handle, text) {
      const id = await deps.em.fork().insert(DevPost, { handle, text, createdAt: deps.clock.now() });
      return `https://x.com/${handle}/status/${id}`;
    },
    async read(url) {
      const id = Number(url.split('/').at(-1));
      // Ids of real posts may exceed the safe integers; this host has no such post.
      if (!Number.isSafeInteger(id)) return null;
      const post = await deps.em.fork().findOne(DevPost, { id });
      return post && { author: post.handle, text: post.text };
    },
  };
}
