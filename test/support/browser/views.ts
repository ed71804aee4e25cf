import { pages } from '../../../web/src/pages.js';

/** A page of the dashboard over the demo market. */
export type PageView = {
  /** Name of the folder of the page. */
  readonly name: string;
  readonly path: string;
  /** Whether live events arrive. */
  readonly isLive: boolean;
  /** Selector of content that the page shows only when its data has arrived. */
  readonly content: string;
};

const CONTENT: Readonly<Record<string, Pick<PageView, 'content' | 'isLive'>>> = {
  market: { content: '.list .agent-link', isLive: true },
  feed: { content: '.feed-row .agent-link', isLive: true },
  seasons: { content: '.list .agent-link', isLive: false },
  season: { content: '.list .agent-link', isLive: false },
  developers: { content: '.facts .copy', isLive: false },
  agent: { content: '.list .agent-link', isLive: true },
  // The positions of a wallet, which has to be connected before.
  portfolio: { content: '.sums .amount', isLive: false },
  claim: { content: '.post-text bdi', isLive: false },
};

/** All pages. Their paths have parameters. */
export const pageViews: readonly PageView[] = pages.map(({ path, folder }) => {
  const found = CONTENT[folder];
  if (!found) throw new Error(`no example of ${folder}`);
  return { name: folder, path, ...found };
});

/** Fills in the parameters of a path. */
export const filledPath = (path: string, examples: Readonly<Record<string, string>>): string =>
  path.replace(/:(\w+)/g, (_, name: string) => {
    const example = examples[name];
    if (example === undefined) throw new Error(`no example of ${name}`);
    return example;
  });
