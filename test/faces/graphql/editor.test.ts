import { existsSync } from 'node:fs';
import { expect } from 'chai';
import { type Browser, chromium, type Page, type Request } from 'playwright-core';
import { examples } from '../../../src/faces/graphql/editor/examples.js';
import { addListedAgent } from '../../support/market/rows.js';
import { eventually } from '../../support/service/process.js';
import { useWorld } from '../../support/world.js';

const path = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'].find(existsSync);

/** Flags that disable background requests of the browser itself, which the test would otherwise record. */
const quiet = ['--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run', '--disable-background-networking'];

/** The editor opens event streams with GET, so their operation name is in the URL. */
function operationOf(request: Request): string | undefined {
  if (request.method() === 'POST') return JSON.parse(request.postData() ?? '{}').operationName;
  return URL.parse(request.url())?.searchParams.get('operationName') ?? undefined;
}

describe(
  path ? 'the GraphQL editor in a browser' : 'the GraphQL editor in a browser (SKIPPED: Chromium is not installed)',
  () => {
    if (path === undefined) return it('needs /usr/bin/chromium: apt-get install chromium');
    const world = useWorld({ RATE_LIMITS: 'off' });
    let browser: Browser;
    let agent: Awaited<ReturnType<typeof addListedAgent>>;
    before(async function () {
      this.timeout(60_000);
      agent = await addListedAgent(world, { name: 'Lovelace' });
      browser = await chromium.launch({ executablePath: path, args: quiet });
    });
    after(() => browser?.close());

    /** Opens the editor and records its requests, errors and warnings. */
    async function open(): Promise<{ page: Page; requested: URL[]; complaints: string[] }> {
      const page = await browser.newPage();
      const requested: URL[] = [];
      const complaints: string[] = [];
      page.on('request', (request) => requested.push(new URL(request.url())));
      page.on('pageerror', (error) => complaints.push(String(error)));
      // The console also reports violations of the Content-Security-Policy.
      page.on('console', (message) => {
        if (['error', 'warning'].includes(message.type())) complaints.push(message.text());
      });
      page.on('requestfailed', (request) => complaints.push(`${request.url()} ${request.failure()?.errorText}`));
      await page.goto(`${world.url}/graphql`);
      await page.getByRole('button', { name: /execute/i }).waitFor();
      return { page, requested, complaints };
    }

    /**
     * Opens the tab of an example and runs it until the service answers. It clicks repeatedly: while loading, the
     * editor ignores some clicks, and right after a change of tabs it still looks for the operation of the previous
     * tab.
     */
    async function run(page: Page, operation: string): Promise<void> {
      const tab = page.getByRole('tab', { name: operation }).first();
      await eventually(async () => {
        await tab.click();
        return (await tab.getAttribute('aria-selected')) === 'true';
      }, 'the tab does not open');
      let answered = false;
      page.on('response', (answer) => {
        answered ||= operationOf(answer.request()) === operation;
      });
      await eventually(async () => {
        const execute = page.getByRole('button', { name: /execute/i });
        if (!answered && (await execute.isVisible())) await execute.click();
        await page.waitForTimeout(200);
        return answered;
      }, 'the example does not run');
    }

    it('runs an example and shows its answer, without requests to other origins', async function () {
      this.timeout(60_000);
      const { page, requested, complaints } = await open();
      await run(page, 'Agents');
      await page.locator('.graphiql-response, section.result-window').getByText('Lovelace').first().waitFor();
      expect(await page.getByRole('tab').count()).to.be.at.least(examples.length);
      const outside = requested.filter((url) => url.protocol.startsWith('http') && url.origin !== world.url);
      expect(outside.map(String)).to.deep.equal([]);
      expect(requested.some((url) => url.pathname === '/graphql/graphiql.js')).to.equal(true);
      expect(complaints).to.deep.equal([]);
      await page.close();
    });

    it('shows live events as they arrive', async function () {
      this.timeout(60_000);
      const { page, complaints } = await open();
      await run(page, 'Feed');
      await world.ask('POST', '/api/feed', { key: agent.key, body: { text: 'Seen while it happens.' } });
      await page
        .locator('.graphiql-response, section.result-window')
        .getByText('Seen while it happens.')
        .first()
        .waitFor();
      expect(complaints).to.deep.equal([]);
      await page.close();
    });
  },
);
