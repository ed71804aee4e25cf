import { pages } from '../../../web/src/pages.js';

/** For each page, by its folder, a selector of content that the page shows only when its data has arrived. */
const CONTENT: Readonly<Record<string, string>> = {
  market: '.list .agent-link',
  feed: '.feed-row .agent-link',
  seasons: '.list .agent-link',
  season: '.list .agent-link',
  developers: '.facts .copy',
  agent: '.list .agent-link',
  // The positions of the connected wallet. Until a wallet is connected, the page shows a sample instead.
  portfolio: '.stack > .card > .sums .amount',
  wallet: '.sums .amount',
  // The demo has no links.
  links: '.links-page .list .agent-link, .links-page .empty',
  // The page reads no data.
  theses: '.theses-page .card',
  // The page reads no data before it has an API key, so this is the field for the key.
  settings: '.field input',
  claim: '.post-text bdi',
};
const LIVE = ['market', 'feed', 'agent', 'portfolio', 'wallet'];

/** All pages of the dashboard, named by their folders. A `path` may have parameters. `isLive`: the page shows live events. */
export const pageViews = pages.map(({ path, folder }) => ({
  name: folder,
  path,
  isLive: LIVE.includes(folder),
  content: CONTENT[folder] as string,
}));
export type PageView = (typeof pageViews)[number];

/** Replaces the parameters of a path, such as `:address`, by the examples. */
export const filledPath = (path: string, examples: Readonly<Record<string, string>>): string =>
  path.replace(/:(\w+)/g, (_, name: string) => String(examples[name]));
