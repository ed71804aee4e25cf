import { existsSync } from 'node:fs';
import { type Browser, type BrowserContext, chromium, type Page, type Request } from 'playwright-core';
import { dashboardQueries } from '../../../src/features/dashboard/dashboard.js';
import { HANG_MS } from '../hang.js';
import { eventually } from '../service/process.js';

/** Path of the browser program. undefined if none is installed. */
export const chromiumPath = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'].find(existsSync);

/**
 * Flags that let the browser run as root and without a GPU, and that disable its background requests, which the tests would
 * otherwise record.
 */
const quiet = ['--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run', '--disable-background-networking'];

/** Declares a suite that needs a browser. Without a browser, the suite has only a pending test that says what to install. */
export function describeInBrowser(title: string, suite: (browser: () => Browser) => void): void {
  if (chromiumPath === undefined) {
    describe(`${title} (SKIPPED: Chromium is not installed)`, () => {
      it('needs /usr/bin/chromium: apt-get install chromium');
    });
    return;
  }
  describe(title, () => {
    let browser: Browser;
    before(async () => {
      browser = await chromium.launch({ executablePath: chromiumPath, args: quiet, timeout: HANG_MS });
    });
    after(() => browser?.close());
    suite(() => browser);
  });
}

/** An open page, and a record of what a user would not see, such as its errors and requests. */
export type Visit = {
  readonly page: Page;
  /** Errors, messages in the console, violations of the Content-Security-Policy and failed requests. */
  readonly complaints: string[];
  readonly requested: URL[];
  /** The operations that the page has sent to GraphQL. */
  readonly operations: string[];
  /** Requests that have no complete answer yet. Streams of events are left out, because they never complete. */
  readonly pending: ReadonlySet<Request>;
  close(): Promise<void>;
};

export type VisitOptions = {
  readonly theme?: 'light' | 'dark';
  readonly width?: number;
  readonly height?: number;
  /** Prepares the browser before the page loads. */
  readonly prepare?: (context: BrowserContext) => Promise<unknown>;
  /**
   * Whether the page may send any document to GraphQL. Otherwise, documents that the dashboard does not have are complaints.
   * @default false
   */
  readonly sendsAnyDocument?: boolean;
  /** What `visit` waits for. `settled`: the page has drawn all that it shows. @default 'load' */
  readonly waitUntil?: 'load' | 'commit' | 'settled';
};

/**
 * A script that defines `window.drawn`, which waits until everything is drawn and the page has nothing to do. It uses the original
 * functions of the browser, so it also works while a test turns the clock of the page.
 */
const DRAWN = `{
  const { requestAnimationFrame, requestIdleCallback } = window;
  window.drawn = () => new Promise((resolve) => {
    requestAnimationFrame(() => requestAnimationFrame(() => requestIdleCallback(resolve)));
  }).then(() => undefined);
}`;

/** A script that waits until everything is drawn, and returns the state of the document. */
const STATE = 'window.drawn().then(() => document.readyState)';

/** Opens a page in a separate browser profile, without cookies or storage of other visits. */
export async function visit(browser: Browser, url: string, options: VisitOptions = {}): Promise<Visit> {
  const { theme = 'light', width = 1280, height = 900, waitUntil = 'load' } = options;
  const context = await browser.newContext({
    colorScheme: theme,
    viewport: { width, height },
    reducedMotion: 'reduce',
    permissions: ['clipboard-read', 'clipboard-write'],
  });
  context.setDefaultTimeout(HANG_MS);
  await context.addInitScript({ content: DRAWN });
  await options.prepare?.(context);
  const page = await context.newPage();
  const recorded = record(page, options.sendsAnyDocument === true);
  await page.goto(url, { waitUntil: waitUntil === 'settled' ? 'load' : waitUntil });
  const one = { page, ...recorded, close: () => context.close() };
  if (waitUntil === 'settled') await settled(one);
  return one;
}

/** The documents of the dashboard, which the service knows by their hash. A page of the dashboard sends no others. */
const known: ReadonlySet<string> = new Set(dashboardQueries());

function record(page: Page, sendsAnyDocument: boolean) {
  const complaints: string[] = [];
  const requested: URL[] = [];
  const operations: string[] = [];
  const pending = new Set<Request>();
  page.on('request', (request) => {
    if (request.headers().accept !== 'text/event-stream') pending.add(request);
    const url = new URL(request.url());
    requested.push(url);
    if (url.pathname !== '/graphql' || request.method() !== 'POST') return;
    const { query = '' } = JSON.parse(request.postData() ?? '{}') as { query?: string };
    // The page /graphql is an editor, in which a user writes the documents.
    const isFree = sendsAnyDocument || new URL(page.url()).pathname === '/graphql';
    if (!isFree && !known.has(query)) complaints.push(`the service does not know the document ${query}`);
    operations.push(/^(?:query|subscription|mutation) (\w+)/.exec(query)?.[1] ?? query);
  });
  page.on('pageerror', (error) => complaints.push(String(error)));
  page.on('console', (message) => complaints.push(message.text()));
  page.on('requestfinished', (request) => pending.delete(request));
  page.on('requestfailed', (request) => {
    pending.delete(request);
    const reason = request.failure()?.errorText ?? '';
    // The page itself aborts streams and searches that it no longer needs, so an aborted request is no fault.
    if (reason !== 'net::ERR_ABORTED') complaints.push(`${request.url()} ${reason}`);
  });
  return { complaints, requested, operations, pending };
}

/** Waits until the page shows its heading, has the answers to all its requests, and has drawn them. */
export async function settled({ page, requested, pending }: Visit): Promise<void> {
  await page.locator('main h1').first().waitFor();
  await eventually(
    async () => {
      const before = requested.length;
      if (pending.size > 0 || (await page.evaluate(STATE)) !== 'complete') return false;
      // While the page was drawn, it may have sent more requests.
      if (pending.size > 0 || requested.length > before) return false;
      return (await page.locator('[aria-busy=true]').count()) === 0;
    },
    () => `the page keeps loading ${[...pending].map((request) => request.url()).join()}`,
  );
}

/** The URLs at other origins that the page has requested during the visit. */
export const foreign = ({ requested }: Visit, origin: string): string[] =>
  requested.filter((url) => url.protocol.startsWith('http') && url.origin !== origin).map(String);
