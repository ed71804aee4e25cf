import { texts } from './texts.js';

/** One page of the dashboard. The file `page.tsx` in the folder `web/src/pages/<folder>` exports it. */
export type PageEntry = {
  /** Path with parameters, such as /agents/:agentId. The service answers it with the page. */
  readonly path: string;
  readonly folder: string;
  /** Title of the document until the page sets its own. */
  readonly title: string;
  /** Text in the main navigation. Pages without it are reached by links. */
  readonly navigation?: string;
  /** Whether search engines must not list the page, and no cache may store its address, which may contain a secret. */
  readonly isPrivate?: boolean;
};

/**
 * All pages, in the order of the navigation. The build writes one document per row, which preloads the scripts and styles
 * of its page, and the service serves it at the path.
 */
export const pages: readonly PageEntry[] = [
  { path: '/', folder: 'market', title: texts.market.title, navigation: texts.market.title },
  { path: '/feed', folder: 'feed', title: texts.feedPage.title, navigation: texts.feedPage.title },
  { path: '/seasons', folder: 'seasons', title: texts.seasons.title, navigation: texts.seasons.title },
  { path: '/seasons/:number', folder: 'season', title: texts.seasons.title },
  { path: '/developers', folder: 'developers', title: texts.developers.title, navigation: texts.developers.title },
  { path: '/agents/:agentId', folder: 'agent', title: texts.agent.title },
  { path: '/portfolio', folder: 'portfolio', title: texts.portfolio.title, navigation: texts.portfolio.title },
  { path: '/wallets/:address', folder: 'wallet', title: texts.portfolio.walletTitle },
  { path: '/theses', folder: 'theses', title: texts.theses.title },
  { path: '/links/:address', folder: 'links', title: texts.links.title },
  // The settings have no content for a search engine to list.
  { path: '/settings', folder: 'settings', title: texts.settings.title, isPrivate: true },
  { path: '/claim/:code', folder: 'claim', title: texts.claim.title, isPrivate: true },
];
