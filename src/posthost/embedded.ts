import type { SqlEntityManager } from '@mikro-orm/sql';
import { DevPost } from '../store/entities/dev-post.js';
import type { PostHost } from './post-host.js';

export interface EmbeddedPostHost extends PostHost {
  /** Publishes a post and gives its URL. */
  publish(handle: string, text: string): Promise<string>;
}

/** The post host of the embedded chain: posts are rows of the own database. */
export function embeddedPostHost(deps: { em: SqlEntityManager; clock: { now(): Date } }): EmbeddedPostHost {
  return {
    async publish(handle, text) {
      const id = await deps.em.fork().insert(DevPost, { handle, text, createdAt: deps.clock.now() });
      return `https://x.com/${handle}/status/${id}`;
    },
    async read(url) {
      const id = Number(url.split('/').at(-1));
      // Ids of real posts may be larger than any number of this host.
      if (!Number.isSafeInteger(id)) return null;
      const post = await deps.em.fork().findOne(DevPost, { id });
      return post && { author: post.handle, text: post.text };
    },
  };
}
