import type { BrowserContext, Page, Request, Route } from 'playwright-core';

/**
 * Restricts the page at this address to what its first view may need: the document, the files that it names, and one GraphQL
 * query. Other requests wait until `end` is called. The main script waits until `showsView` is called, so that a test can look at the page
 * without it before, for example at its theme.
 */
export async function firstView(address: string) {
  const html = await (await fetch(address, { headers: { accept: 'text/html' } })).text();
  const named = new Set([...html.matchAll(/(?:src|href)="(\/assets\/[^"]*)"/g)].map(([, path]) => path));
  const [started, ended] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const needed = new Set<Request>();
  let queries = 0;
  const isNeeded = (request: Request): boolean => {
    const { pathname } = new URL(request.url());
    if (request.isNavigationRequest() || named.has(pathname)) return true;
    return pathname === '/graphql' && request.headers().accept !== 'text/event-stream' && queries++ === 0;
  };
  const answer = async (route: Route): Promise<void> => {
    const request = route.request();
    if (isNeeded(request)) {
      needed.add(request);
      const isMainScript = /\/index-[^/]*\.js$/.test(request.url());
      if (isMainScript) await started.promise;
    } else {
      await ended.promise;
    }
    await route.continue();
  };
  return {
    /** Holds back the main script and all requests that the first view does not need. Tests pass it to `visit`. */
    prepare: (context: BrowserContext) => context.route('**/*', answer),
    /** Lets the main script load, and waits until the page has an element of the first view. */
    async showsView(page: Page, selector: string): Promise<void> {
      started.resolve();
      await page.locator(selector).first().waitFor({ state: 'attached' });
    },
    /** Returns the number of requests of the first view, and the bytes of their response bodies as sent over the network. */
    async cost(): Promise<{ readonly requests: number; readonly bytes: number }> {
      const sizes = await Promise.all([...needed].map((request) => request.sizes()));
      return { requests: needed.size, bytes: sizes.reduce((sum, { responseBodySize }) => sum + responseBodySize, 0) };
    },
    /** Answers the requests that were held back. */
    end: ended.resolve,
  };
}

/** Removes the first answer that the service puts in each document, so that the page sends its first query itself. */
export const withoutFirstAnswer = (target: BrowserContext | Page): Promise<unknown> =>
  target.route('**/*', async (route) => {
    if (!route.request().isNavigationRequest()) return route.fallback();
    const response = await route.fetch();
    const body = (await response.text()).replace(/<script type="application\/json".*?<\/script>/s, '');
    return route.fulfill({ response, body });
  });

/** Lets `answer` answer all GraphQL reads of the page, also the first one. Live events still come from the service. */
export async function answerReads(
  target: BrowserContext | Page,
  answer: (route: Route, query: string) => Promise<void>,
): Promise<void> {
  await withoutFirstAnswer(target);
  await target.route('**/graphql', (route) => {
    const { query = '' } = (route.request().postDataJSON() ?? {}) as { query?: string };
    return route.request().headers().accept === 'text/event-stream' ? route.continue() : answer(route, query);
  });
}

/** Refuses a read as the service does when a rate limit is used up. The page may send it again after this number of seconds. */
export function refuseFor(route: Route, seconds: number): Promise<void> {
  const error = { message: 'Too many requests', extensions: { code: 'RATE_LIMITED', retryAfter: seconds } };
  return route.fulfill({ status: 429, headers: { 'retry-after': String(seconds) }, json: { errors: [error] } });
}

/** A script that waits until the document and its styles are loaded, and returns the color behind the page. */
export const GROUND = `new Promise((resolve) => {
  const look = () => {
    const sheets = [...document.querySelectorAll('link[rel=stylesheet]')];
    if (document.readyState === 'loading' || sheets.some(({ sheet }) => sheet === null)) requestAnimationFrame(look);
    else resolve(getComputedStyle(document.documentElement).backgroundColor);
  };
  look();
})`;
