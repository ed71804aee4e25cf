import type Router from '@koa/router';
import type { Deps } from '../../deps.js';
import { assetOf, sendAsset } from '../../server/http/assets.js';
import { joined, markup } from '../../server/http/html.js';
import { bytesOf, sendPublic } from '../../server/http/public-answer.js';
import { readDeps } from '../../server/run.js';
import { once } from '../../tasks.js';
import { LEADERBOARD, readAgents } from '../agents/lists/agents.js';
import { listSeasons } from '../seasons/seasons.js';
import { dashboardPages } from './dashboard.js';

/** Maximum numbers of agents and seasons in the sitemap. A list query returns 1,000 rows at most (`atMost` in src/store/pages.ts). */
const MAX_AGENTS = 1000;
const MAX_SEASONS = 100;

const CACHE_CONTROL = 'public, max-age=300';

/** Paths that crawlers must not read: they have no pages, secret addresses (`/claim/`), or one page for each wallet. */
const DISALLOWED = ['/api/', '/graphql', '/mcp', '/dev/', '/claim/', '/wallets/'];

/** Serves /robots.txt and /sitemap.xml to search engines. */
export function serveCrawlers(deps: Deps, router: Router): void {
  const robots = once(() => assetOf('text/plain; charset=utf-8', robotsText(deps.publicUrl)));
  router.get('/robots.txt', async (ctx) => sendAsset(ctx, await robots(), CACHE_CONTROL));
  router.get('/sitemap.xml', async (ctx) => {
    const source = readDeps(deps, null);
    // This ignores `Cache-Control: no-cache`, so that no client can cause a read of all agents each time.
    const bytes = await deps.caches.sitemap.get('', async () => bytesOf(await sitemapText(source)));
    sendPublic(ctx, 'application/xml', bytes, CACHE_CONTROL);
  });
}

const robotsText = (url: string): string =>
  `User-agent: *\n${DISALLOWED.map((path) => `Disallow: ${path}\n`).join('')}\nSitemap: ${url}/sitemap.xml\n`;

/** The sitemap lists the pages without parameters, the agents with the most tickets, and the newest seasons. */
async function sitemapText(deps: Deps): Promise<string> {
  const page = { offset: 0, limit: MAX_AGENTS };
  const [listed, seasons] = await Promise.all([readAgents(deps, { ...LEADERBOARD, page, names: ['agentId'] }), listSeasons(deps)]);
  const paths = [
    ...dashboardPages(),
    ...listed.map(({ agentId }) => `/agents/${encodeURIComponent(agentId)}`),
    ...seasons.slice(0, MAX_SEASONS).map(({ number }) => `/seasons/${number}`),
  ];
  return markup`<?xml version="1.0" encoding="UTF-8"?>
<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">
${joined(paths.map((path) => markup`<url><loc>${deps.publicUrl}${path}</loc></url>`))}
</urlset>
`.text;
}
