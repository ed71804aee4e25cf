import type Router from '@koa/router';
import type { Deps } from '../../deps.js';
import { AppError } from '../../errors.js';
import { sendPublic } from '../../server/http/public-answer.js';
import { publicReadDeps } from '../../server/perform.js';
import { agentPicture } from './agent-picture.js';
import { renderer } from './render.js';
import { seasonPicture } from './season-picture.js';
import { tradePicture } from './trade-picture.js';

/** The pictures, each by the folder of its path. Every one is drawn from the id in the path. */
const drawings = {
  agents: { draw: agentPicture, missing: 'AGENT_NOT_FOUND' },
  trades: { draw: tradePicture, missing: 'NOT_FOUND' },
  seasons: { draw: seasonPicture, missing: 'SEASON_NOT_FOUND' },
} as const;

/** Characters of agentIds, event ids and season numbers. */
const ID = /^[\w-]{1,64}$/;

/** A crawler reads a picture once. A client may show a picture that is a minute old. */
const CACHE_CONTROL = 'public, max-age=60';

/** Serves the pictures that link previews show, such as /share/agents/scout.png. */
export function servePictures(deps: Deps, router: Router): void {
  const render = renderer(deps);
  for (const [folder, { draw, missing }] of Object.entries(drawings)) {
    router.get(`/share/${folder}/:id.png`, async (ctx) => {
      const id = String(ctx.params.id);
      if (!ID.test(id)) throw new AppError(missing);
      const source = publicReadDeps(deps, undefined, ctx.state.ip);
      // A crowd that follows one link causes one read a second.
      const svg = await source.caches.restAnswers.get(
        ctx.path,
        () => draw(source, id),
        ({ length }) => length,
      );
      sendPublic(ctx, 'image/png', await render(svg), CACHE_CONTROL);
    });
  }
}
