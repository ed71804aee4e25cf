import { expect } from 'chai';
import type { BrowserContext, Page, Route } from 'playwright-core';
import { settled } from '../../support/browser/chromium.js';
import { describeOnDemo, describeOnWorld } from '../../support/browser/demo-site.js';
import { answerReads, refuseFor } from '../../support/browser/first-view.js';
import { accessibilityViolations, expectLittleShift } from '../../support/browser/measures.js';
import { filledPath, type PageView, pageViews } from '../../support/browser/views.js';
import { connectAddress } from '../../support/browser/wallet.js';
import { eventually } from '../../support/service/process.js';

/** A view that reads data: a page, or a part of a page that an action opens. */
type View = PageView & {
  /** Opens the view within the page. @default nothing, because the page itself is the view */
  readonly enter?: (page: Page) => Promise<unknown>;
};

/** Parts of pages that read more data after a click. */
const parts: readonly View[] = (
  [
    ['/agents/juniper_row', 'tab', 'Trades it made', '[role=tabpanel] .list .agent-link'],
    ['/agents/juniper_row', 'tab', 'Profit', '[role=tabpanel] .profit .here'],
    ['/agents/juniper_row', 'tab', 'Theses', '[role=tabpanel] .theses .agent-link'],
    ['/agents/juniper_row', 'tab', 'Posts', '[role=tabpanel] .feed-row .post'],
    ['/agents/juniper_row', 'tab', 'Followers', '[role=tabpanel] .people .agent-link'],
    // The chart of a day has the candles 0 to 23.
    ['/agents/juniper_row', 'button', '1D', '.candles .plot[aria-valuemax="23"]'],
    ['/', 'tab', 'All agents', '[role=tabpanel] .sorted .agent-link'],
    ['/?list=all', 'button', 'Show more', '.sorted tbody tr:nth-child(21)'],
    ['/seasons/1', 'button', 'Show more', '.rows-10 tbody tr:nth-child(11)'],
  ] as const
).map(([path, role, name, content]) => ({
  name: `${path}, ${name}`,
  path,
  isLive: path !== '/seasons/1',
  content,
  enter: (page) => page.getByRole(role, { name, exact: true }).click(),
}));

describeOnDemo('the view', (site, open) => {
  /** Connects a wallet, because the portfolio has no data before. */
  const connect = (page: Page) => connectAddress(page, site.juniper);
  // The settings are left out, because they read nothing before they have a key. test/ci/web/settings.test.ts tests them. The page
  // about theses reads nothing at all.
  const views: View[] = pageViews
    .filter(({ name }) => name !== 'settings' && name !== 'theses')
    .map((view) => ({ ...view, ...(view.name === 'portfolio' && { enter: connect }) }));

  /** Opens a view. `answer` answers its reads, but not its live events. */
  async function openWith(view: View, answer: (route: Route) => Promise<void>, theme: 'light' | 'dark' = 'light') {
    const path = filledPath(view.path, { agentId: 'juniper_row', number: '1', code: site.code, address: site.juniper });
    const intercept = async (target: BrowserContext | Page) => {
      await answerReads(target, answer);
      await target.route('**/openapi.json', answer);
    };
    const isPart = parts.includes(view);
    const one = await open(path, isPart ? { theme } : { theme, waitUntil: 'load', prepare: intercept });
    if (isPart) await intercept(one.page);
    await view.enter?.(one.page);
    return {
      one,
      page: one.page,
      shown: one.page.locator(view.content).first(),
      says: (text: string | RegExp) => one.page.locator('main').getByText(text).first(),
      isFine: one.page.locator(view.isLive ? '.status.live' : '.status.idle'),
    };
  }

  for (const view of [...views, ...parts]) {
    describe(view.name, () => {
      it('says that it is busy while it loads, and moves nothing when the data arrives', async () => {
        const gate = Promise.withResolvers<void>();
        const { one, page, shown } = await openWith(view, async (route) => {
          await gate.promise;
          await route.continue();
        });
        await page.locator('[aria-busy=true], [aria-disabled=true], .plot[aria-valuemax="0"]').first().waitFor();
        expect(await accessibilityViolations(page)).to.deep.equal([]);
        gate.resolve();
        await shown.waitFor();
        await settled(one);
        await expectLittleShift(page, 0.05);
      });

      it('counts down at a rate limit, and continues by itself', async () => {
        let isFull = true;
        const answer = (route: Route) => (isFull ? refuseFor(route, 3) : route.continue());
        const { one, page, shown, says, isFine } = await openWith(view, answer, 'dark');
        await says('Too many requests').waitFor();
        await says(/Next attempt in \d\ss/).waitFor();
        await page.locator('.status.limited', { hasText: /^\d\ss$/ }).waitFor();
        expect(await accessibilityViolations(page)).to.deep.equal([]);
        isFull = false;
        await shown.waitFor();
        await settled(one);
        expect(await says('Too many requests').count()).to.equal(0);
        await isFine.waitFor({ state: 'attached' });
      });

      it('says that the service is unreachable, asks again by a button, and continues by itself', async () => {
        let [isAway, attempts] = [true, 0];
        const { page, shown, says } = await openWith(view, (route) => {
          attempts++;
          return isAway ? route.abort('connectionrefused') : route.continue();
        });
        await says('The service does not answer').waitFor();
        const before = attempts;
        await page.locator('main').getByRole('button', { name: 'Try again' }).first().click();
        await eventually(() => attempts > before, 'the button asks for nothing');
        await page.locator('.status.reconnecting').waitFor();
        expect(await accessibilityViolations(page)).to.deep.equal([]);
        isAway = false;
        await shown.waitFor();
        await says('The service does not answer').waitFor({ state: 'detached' });
      });

      it('says that it is offline or reconnecting, leaves its data in place, and continues', async () => {
        const { one, page, shown, says, isFine } = await openWith(view, (route) => route.continue());
        await shown.waitFor();
        await settled(one);
        await isFine.waitFor({ state: 'attached' });
        const place = await shown.boundingBox();
        const expectPlace = async () => expect(await shown.boundingBox()).to.deep.equal(place);
        await page.context().setOffline(true);
        await page.locator('.status.offline', { hasText: 'Offline' }).waitFor();
        await expectPlace();
        expect(await accessibilityViolations(page)).to.deep.equal([]);
        await page.context().setOffline(false);
        await isFine.waitFor({ state: 'attached' });
        await expectPlace();
        if (!view.isLive) return;
        // Ends the streams and refuses new ones for a moment, as the service does at its stop.
        let isAway = true;
        await page.route('**/graphql', (route) => (isAway ? route.abort('connectionrefused') : route.fallback()));
        await page.evaluate("window.dispatchEvent(new Event('offline')); window.dispatchEvent(new Event('online'))");
        await page.locator('.status.reconnecting').waitFor();
        await expectPlace();
        isAway = false;
        await isFine.waitFor({ state: 'attached' });
        await says('The service does not answer').waitFor({ state: 'detached' });
      });
    });
  }
});

describeOnWorld('a page of the dashboard', { RATE_LIMITS: 'off' }, (_, open) => {
  for (const [path, ...says] of [
    ['/', 'No ticket was traded', 'Nothing has happened'],
    ['/?list=all', 'No agent has registered'],
    ['/?list=all&claimed=true', 'No agent matches these filters.', 'Clear the filters'],
    ['/seasons', 'No season has started yet.'],
    ['/seasons/last', 'Page not found'],
    // These pages do not repeat their request.
    ['/agents/nobody_here', 'There is no such agent', 'No agent has a similar name.'],
    ['/seasons/99', 'Not found', 'Season not found. The page of seasons lists those that exist.'],
    ['/feed?agent=nobody_here', 'Not found', 'Show all agents'],
  ] as const) {
    it(`says that it has nothing to show: ${path}`, async () => {
      const { page } = await open(path);
      for (const text of says) await page.locator('main').getByText(text).first().waitFor();
      expect(await page.getByText(/Next attempt/).count()).to.equal(0);
      expect(await accessibilityViolations(page)).to.deep.equal([]);
    });
  }

  it('counts down in its header after a refused search, until the limit ends', async () => {
    const { page } = await open('/seasons', {
      prepare: async (context) => {
        await context.clock.install();
        await answerReads(context, (route, query) =>
          query.startsWith('query Search') ? refuseFor(route, 3600) : route.continue(),
        );
      },
    });
    await page.getByRole('combobox', { name: 'Search agents' }).fill('heron');
    await page.locator('.status.limited', { hasText: /^\d+\smin \d+\ss$/ }).waitFor();
    await page.clock.fastForward(3_610_000);
    await page.locator('.status.idle').waitFor({ state: 'attached' });
  });

  it('says above old data that it cannot be renewed', async () => {
    let isAway = false;
    const { page } = await open('/seasons', {
      prepare: async (context) => {
        await context.clock.install();
        await answerReads(context, (route) => (isAway ? route.abort('connectionrefused') : route.continue()));
      },
    });
    await page.getByRole('link', { name: 'Developers' }).click();
    await page.getByRole('heading', { level: 1, name: 'Developers' }).waitFor();
    isAway = true;
    // The page shows a stored answer for ten seconds without a request, so the clock passes this time.
    await page.clock.fastForward(10_500);
    await page.goBack();
    await page.getByText(/These figures are from before/).waitFor();
    expect(await page.getByText('No season has started yet.').count()).to.be.above(0);
    isAway = false;
    await page.getByText(/These figures are from before/).waitFor({ state: 'detached' });
  });
});
