import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import type { BrowserContext, Page, Route } from 'playwright-core';
import { describeOnDemo } from '../../support/browser/demo-site.js';
import { accessibilityViolations } from '../../support/browser/measures.js';
import { serveDemo } from '../../support/service/demo.js';
import { root } from '../../support/service/process.js';

/** The path of the script of the seasons page in the build. */
const SCRIPT = (JSON.parse(readFileSync(join(root, 'dist/dashboard/manifest.json'), 'utf8')) as Record<string, { file: string }>)[
  'src/pages/seasons/page.tsx'
]?.file as string;

/** All computed styles of the head of the season. The style sheet of the page sets some, so they show whether it is loaded. */
const STYLES = `(() => {
  const style = getComputedStyle(document.querySelector('.season-head'));
  return [...style].map((name) => name + ': ' + style.getPropertyValue(name)).sort();
})()`;

describeOnDemo('a page whose script does not load', (site, open) => {
  const link = (page: Page, name: string) => page.getByRole('navigation').getByRole('link', { name, exact: true });
  const heading = (page: Page, name: string | RegExp) => page.getByRole('heading', { level: 1, name });

  /** Stores a value in the memory of the tab. It is lost when the document is loaded again. */
  const keep = (page: Page) => page.evaluate('window.kept = 1');
  const isKept = (page: Page) => page.evaluate('window.kept === 1');

  for (const { name, says, status, leave, comeBack } of [
    {
      name: 'without network',
      says: 'No network',
      status: 'offline',
      leave: (page: Page) => page.context().setOffline(true),
      comeBack: (page: Page) => page.context().setOffline(false),
    },
    {
      name: 'while the service is stopped',
      says: 'The service does not answer',
      status: 'reconnecting',
      leave: () => site.service.stop(),
      comeBack: async () => {
        const { port } = new URL(site.service.url);
        site.service = await serveDemo(site.directory, undefined, { PORT: port });
      },
    },
  ] as const) {
    it(`${name} names the cause, counts down, follows other links, and appears by itself with its styles`, async () => {
      const direct = await open('/seasons');
      const { page } = await open('/');
      await keep(page);
      await leave(page);
      await link(page, 'Seasons').click();
      await heading(page, says).waitFor();
      await page.locator(`.status.${status}`).waitFor();
      await page
        .locator('main')
        .getByText(/^Next attempt in \d+\ss$/)
        .waitFor();
      await link(page, 'Market').click();
      await heading(page, 'Agent ticket market').waitFor();
      await link(page, 'Seasons').click();
      await heading(page, says).waitFor();
      await comeBack(page);
      await heading(page, /^Season \d/).waitFor();
      await page.locator('.list .agent-link').first().waitFor();
      expect(await page.evaluate(STYLES)).to.deep.equal(await direct.page.evaluate(STYLES));
      await page.locator('.status.idle').waitFor({ state: 'attached' });
      expect(await isKept(page), 'the document was loaded again').to.equal(true);
    });
  }

  it('shows its parts by itself, with their styles, when only their scripts were missing', async () => {
    let isAway = true;
    const { page } = await open('/agents/juniper_row', {
      waitUntil: 'load',
      prepare: (context) =>
        context.route(/\/assets\/(panel|connect-panel|candle-chart)-/, (route) =>
          isAway ? route.abort('connectionrefused') : route.continue(),
        ),
    });
    await page.locator('#trade').getByText('The service does not answer').waitFor();
    expect(await page.locator('.canvas canvas').count()).to.equal(0);
    isAway = false;
    await page.locator('.canvas canvas').first().waitFor();
    await page.locator('#trade input').first().waitFor();
    const sheets = await page.evaluate('[...document.styleSheets].map(({ href }) => href).join()');
    expect(sheets).to.include('/assets/panel-');
    expect(await page.locator('link[data-failed]').count()).to.equal(0);
  });

  /**
   * Serves the version before an update. Its scripts have other names, and that of the seasons is gone. Returns
   * a function that counts the loads of documents.
   */
  async function serveOldVersion(context: BrowserContext, isOld: () => boolean): Promise<() => number> {
    let documents = 0;
    await context.route('**/*', async (route: Route) => {
      const request = route.request();
      if (!request.isNavigationRequest()) return route.fallback();
      documents++;
      if (!isOld()) return route.continue();
      const response = await route.fetch();
      return route.fulfill({ response, body: (await response.text()).replaceAll('"/assets/', '"/old/') });
    });
    await context.route('**/old/**', (route) => {
      const url = route.request().url();
      return url.endsWith(SCRIPT.replace('assets', '')) ? route.fulfill({ status: 404 }) : fulfilled(route, url);
    });
    return () => documents;
  }
  const fulfilled = async (route: Route, url: string) =>
    route.fulfill({ response: await route.fetch({ url: url.replace('/old/', '/assets/') }) });

  for (const { name, always, shown } of [
    { name: 'loads the new one', always: false, shown: /^Season \d/ },
    { name: 'loads the document once, even if it gets the old one again', always: true, shown: 'This page failed' },
  ]) {
    it(`because the service has another version ${name}`, async () => {
      let isUpdated = false;
      let documents = () => 0;
      const { page } = await open('/', {
        prepare: async (context) => {
          documents = await serveOldVersion(context, () => always || !isUpdated);
        },
      });
      isUpdated = true;
      await keep(page);
      await link(page, 'Seasons').click();
      await heading(page, shown).waitFor();
      expect([documents(), await isKept(page)]).to.deep.equal([2, false]);
      await link(page, 'Market').click();
      await heading(page, 'Agent ticket market').waitFor();
      expect(documents()).to.equal(2);
    });
  }

  for (const [name, body] of [
    ['when it starts', 'throw new TypeError("fault")'],
    ['when it is drawn', 'export default () => { throw new TypeError("fault") }'],
  ] as const) {
    it(`because it has a fault ${name} says so, and lets other pages work`, async () => {
      const { page } = await open('/');
      await keep(page);
      await page.route(`**/${SCRIPT}`, (route) => route.fulfill({ contentType: 'text/javascript', body }));
      await link(page, 'Seasons').click();
      await heading(page, 'This page failed').waitFor();
      expect(await accessibilityViolations(page)).to.deep.equal([]);
      await link(page, 'Feed').click();
      await heading(page, 'Feed').waitFor();
      await page.locator('.feed-row .agent-link').first().waitFor();
      expect(await isKept(page)).to.equal(true);
      await page.unroute(`**/${SCRIPT}`);
      await page.goBack();
      await heading(page, 'This page failed').waitFor();
      await page.getByRole('button', { name: 'Load again' }).click();
      await heading(page, /^Season \d/).waitFor();
    });
  }
});
