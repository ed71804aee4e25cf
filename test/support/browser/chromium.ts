import { existsSync } from 'node:fs';
import { type Browser, type BrowserContext, chromium, type Page } from 'playwright-core';
import { eventually } from '../service/process.js';

/** Program of the browser. undefined if there is none. */
export const chromiumPath = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'].find(
  existsSync,
);

/** Flags that disable background requests of the browser itself, which the tests would otherwise record. */
const quiet = ['--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run', '--disable-background-networking'];

/** Declares a suite that needs a browser. Where there is none, it has one skipped test that says so. */
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
      browser = await chromium.launch({ executablePath: chromiumPath, args: quiet });
    });
    after(() => browser?.close());
    suite(() => browser);
  });
}

/** An open page, and everything about it that a user would not see. */
export type Visit = {
  readonly page: Page;
  /** Errors, messages in the console, violations of the Content-Security-Policy and failed requests. */
  readonly complaints: string[];
  readonly requested: URL[];
  /** The operations that the page has sent to GraphQL. */
  readonly operations: string[];
  close(): Promise<void>;
};

export type VisitOptions = {
  readonly theme?: 'light' | 'dark';
  readonly width?: number;
  readonly height?: number;
  /** Prepares the browser before the page loads. */
  readonly prepare?: (context: BrowserContext) => Promise<unknown>;
};

/** Opens a page in a browser profile of its own. */
export async function visit(browser: Browser, url: string, options: VisitOptions = {}): Promise<Visit> {
  const { theme = 'light', width = 1280, height = 900, prepare } = options;
  const context = await browser.newContext({
    colorScheme: theme,
    viewport: { width, height },
    reducedMotion: 'reduce',
  });
  await prepare?.(context);
  const page = await context.newPage();
  const recorded = record(page);
  await page.goto(url);
  return { page, ...recorded, close: () => context.close() };
}

function record(page: Page): Pick<Visit, 'complaints' | 'requested' | 'operations'> {
  const complaints: string[] = [];
  const requested: URL[] = [];
  const operations: string[] = [];
  page.on('request', (request) => {
    const url = new URL(request.url());
    requested.push(url);
    if (url.pathname !== '/graphql' || request.method() !== 'POST') return;
    const { query = '' } = JSON.parse(request.postData() ?? '{}') as { query?: string };
    operations.push(/^(?:query|subscription|mutation) (\w+)/.exec(query)?.[1] ?? query);
  });
  page.on('pageerror', (error) => complaints.push(String(error)));
  page.on('console', (message) => complaints.push(message.text()));
  page.on('requestfailed', (request) => {
    const reason = request.failure()?.errorText ?? '';
    // The page itself aborts streams and searches that it no longer needs, so an aborted request is no fault.
    if (reason !== 'net::ERR_ABORTED') complaints.push(`${request.url()} ${reason}`);
  });
  return { complaints, requested, operations };
}

/** Waits until the page shows its heading and no part of it is loading. */
export async function settled({ page }: Visit): Promise<void> {
  await page.locator('main h1').first().waitFor();
  await eventually(async () => (await page.locator('[aria-busy=true]').count()) === 0, 'the page keeps loading');
  await page.waitForTimeout(300);
}

/** Requests of a visit to other origins. */
export const foreign = ({ requested }: Visit, origin: string): string[] =>
  requested.filter((url) => url.protocol.startsWith('http') && url.origin !== origin).map(String);
