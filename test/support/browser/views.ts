import { pages } from '../../../web/src/pages.js';

/** For each folder of a page, a selector of content that the page shows only when its data has arrived. */
const CONTENT: Readonly<Record<string, string>> = {
  market: '.list .agent-link',
  feed: '.feed-row .agent-link',
  seasons: '.list .agent-link',
  season: '.list .agent-link',
  developers: '.facts .copy',
  agent: '.list .agent-link',
  // The positions of a wallet, which has to be connected before. Until then there is a sample.
  portfolio: '.stack > .card > .sums .amount',
  wallet: '.sums .amount',
  // It reads nothing before it has a key.
  settings: '.field input',
  claim: '.post-text bdi',
};
const LIVE = ['market', 'feed', 'agent', 'portfolio', 'wallet'];

/** All pages of the dashboard, by the names of their folders. Their paths have parameters. `isLive`: live events arrive. */
export const pageViews = pages.map(({ path, folder }) => ({
  name: folder,
  path,
  isLive: LIVE.includes(folder),
  content: CONTENT[folder] as string,
}));
export type PageView = (typeof pageViews)[number];

/** Fills in the parameters of a path. */
export const filledPath = (path: string, examples: Readonly<Record<string, string>>): string =>
  path.replace(/:(\w+)/g, (_, name: string) => String(examples[name]));
