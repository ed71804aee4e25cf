import { type ReadonlySignal, signal } from '@preact/signals';
import type { ComponentType } from 'preact';

export type Params = Readonly<Record<string, string>>;
export type PageProps = { readonly params: Params };

/** One page of the dashboard. `routes.ts` makes a route of each row in `pages.ts`. */
export type Route = {
  /** Path with parameters, such as /agents/:agentId. The service answers it with the page. */
  readonly path: string;
  /** Title of the document until the page sets its own. */
  readonly title: string;
  readonly load: () => Promise<{ readonly default: ComponentType<PageProps> }>;
};

/** Where the reader is. `route` is undefined if no page has the path. */
export type Location = { readonly route: Route | undefined; readonly params: Params; readonly url: URL };

export type Router = {
  readonly location: ReadonlySignal<Location>;
  /** Opens a page. With `replace`, it takes the place of the present page in the history, so that Back skips the present page. */
  open(href: string, options?: { readonly replace?: boolean }): void;
  /**
   * Scrolls to the reader's last position on this page, or to the part that the address names, or to the top of the page.
   * `isReady` tells whether the content of the page is displayed. Only from then on, the position of the reader is stored.
   */
  settle(isReady?: boolean): void;
  /**
   * The values that parts of the page store for this visit, by name, such as loaded lists. A visit begins when a page is opened.
   * Back returns to the earlier visit and its values. They are in the memory, so loading the document again loses them.
   */
  kept(): Map<string, unknown>;
};

/** What the history of the browser stores for each entry: the scroll position, and the number of the visit. */
type Entry = { readonly top?: number; readonly visit?: number };

/** Maximum number of visits whose values are stored. The values of the oldest visit are dropped. */
const VISITS = 20;

const patternOf = (path: string): RegExp => new RegExp(`^${path.replace(/:(\w+)/g, '(?<$1>[^/]+)')}/?$`);

export function locate(routes: readonly Route[], url: URL): Location {
  for (const route of routes) {
    const match = patternOf(route.path).exec(url.pathname);
    if (match) return { route, params: decoded(match.groups ?? {}), url };
  }
  return { route: undefined, params: {}, url };
}

function decoded(groups: Readonly<Record<string, string>>): Params {
  const entries = Object.entries(groups).map(([name, value]) => {
    try {
      return [name, decodeURIComponent(value)];
    } catch {
      return [name, value];
    }
  });
  return Object.fromEntries(entries);
}

const entry = () => (window.history.state ?? {}) as Entry;

/** Starts the router, which opens links to pages of the dashboard without loading the document again. */
export function startRouter(routes: readonly Route[]): Router {
  const here = () => new URL(window.location.href);
  const location = signal(locate(routes, here()));
  window.history.scrollRestoration = 'manual';
  // False while a page is replaced: its content gets shorter, so the browser scrolls to a position that the reader did not choose.
  let isSettled = false;
  const note = (part: Entry) => window.history.replaceState({ ...entry(), ...part }, '');
  const remember = () => {
    if (isSettled) note({ top: window.scrollY });
  };
  const visits = new Map<number, Map<string, unknown>>();
  // Visits are numbered from the present time on. Entries of the history outlive the document, so numbers from 1 on would repeat.
  let last = Date.now();
  let visit = last;
  /** Takes over the address that the browser has now. Returns whether it belongs to another page. */
  const go = () => {
    const isOther = here().pathname !== location.value.url.pathname;
    if (isOther) isSettled = false;
    // A link to a part of the page adds an entry to the history, but the reader stays on the page, so the visit stays the same.
    visit = entry().visit ?? (isOther ? ++last : visit);
    note({ visit });
    location.value = locate(routes, here());
    return isOther;
  };
  const kept = () => {
    const values = visits.get(visit) ?? new Map<string, unknown>();
    visits.set(visit, values);
    if (visits.size > VISITS) visits.delete(visits.keys().next().value ?? 0);
    return values;
  };
  const open: Router['open'] = (href, { replace = false } = {}) => {
    remember();
    // The same page with another filter starts at the present scroll position, so that the reader stays in place.
    const isSame = new URL(href, window.location.href).pathname === window.location.pathname;
    if (replace) window.history.replaceState(entry(), '', href);
    else window.history.pushState({ visit: ++last, ...(isSame && { top: window.scrollY }) }, '', href);
    go();
  };
  go();
  window.addEventListener('popstate', () => {
    // A change within the page scrolls now. Another page calls `settle` itself, when its content is displayed.
    if (!go()) settle();
  });
  window.addEventListener('pagehide', remember);
  onScrolled(remember);
  document.addEventListener('click', (event) => {
    const link = followed(event);
    if (link === undefined || locate(routes, link).route === undefined) return;
    event.preventDefault();
    if (link.href !== window.location.href) open(link.href);
  });
  const settle = (isReady = false) => {
    const { top } = entry();
    const part = top === undefined ? document.getElementById(window.location.hash.slice(1)) : null;
    if (part) part.scrollIntoView({ behavior: 'instant' });
    else window.scrollTo({ top: top ?? 0, behavior: 'instant' });
    isSettled ||= isReady;
  };
  return { location, open, settle, kept };
}

/** Calls `act` when the reader has stopped scrolling. */
function onScrolled(act: () => void): void {
  let timer: ReturnType<typeof setTimeout> | undefined;
  window.addEventListener('scroll', () => {
    clearTimeout(timer);
    timer = setTimeout(act, 100);
  });
}

/**
 * The URL of the clicked link if the router may open it: a plain click on a link to another page of this service, without a
 * modifier key. undefined for any other click, which is left to the browser.
 */
function followed(event: MouseEvent): URL | undefined {
  if (event.defaultPrevented || event.button !== 0) return undefined;
  if (event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return undefined;
  const link = (event.target as Element).closest?.('a');
  if (!link?.href || link.target !== '' || link.hasAttribute('download')) return undefined;
  const url = new URL(link.href);
  const isFragment = url.hash !== '' && url.pathname === window.location.pathname;
  return url.origin === window.location.origin && !isFragment ? url : undefined;
}
