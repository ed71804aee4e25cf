// Nightly: it opens pages in a browser.

import { expect } from 'chai';
import type { BrowserContext, Page, Route } from 'playwright-core';
import { settled } from '../support/browser/chromium.js';
import { describeOnDemo } from '../support/browser/demo-site.js';
import { answerReads, refuseFor } from '../support/browser/first-view.js';
import { accessibilityViolations, expectLittleShift } from '../support/browser/measures.js';
import { filledPath, type PageView, pageViews } from '../support/browser/views.js';
import { connectAddress } from '../support/browser/wallet.js';
import { eventually } from '../support/service/process.js';

/** A view that reads data: a page, or a part of one that an action opens. */
type View = PageView & {
  /** Opens the view within the page. @default nothing, because the page itself is the view */
  readonly enter?: (page: Page) => Promise<unknown>;
};

/** Parts of pages that read data of their own after a click. */
const parts: readonly View[] = (
  [
    ['/agents/juniper_row', 'tab', 'Its trades', '[role=tabpanel] .list .agent-link'],
    ['/agents/juniper_row', 'tab', 'Posts', '[role=tabpanel] .feed-row .post'],
    ['/agents/juniper_row', 'tab', 'Followers', '[role=tabpanel] .people .agent-link'],
    ['/agents/juniper_row', 'button', '1D', '.candles .plot[aria-valuemax="23"]'],
    ['/', 'button', 'Show 10 more', '.rows-10 tbody tr:nth-child(11)'],
    ['/seasons/1', 'button', 'Show more', '.rows-10 tbody tr:nth-child(11)'],
  ] as const
).map(([path, role, name, content]) => ({
  ...{ name: `${path}, ${name}`, path, isLive: path !== '/seasons/1', content },
  enter: (page) => page.getByRole(role, { name, exact: true }).click(),
}));

describeOnDemo('every state of every page', (site, open) => {
  /** The portfolio has no data before a wallet is connected. */
  const connect = (page: Page) => connectAddress(page, site.juniper);
  const views: View[] = pageViews.map((view) => ({ ...view, ...(view.name === 'portfolio' && { enter: connect }) }));

  /** Opens a view while `answer` answers its reads, but not its live events. */
  async function openWith(view: View, answer: (route: Route) => Promise<void>, theme: 'light' | 'dark' = 'light') {
    const path = filledPath(view.path, { agentId: 'juniper_row', number: '1', code: site.code });
    const intercept = async (target: BrowserContext | Page) => {
      await answerReads(target, answer);
      await target.route('**/openapi.json', answer);
    };
    const isPart = parts.includes(view);
    const one = await open(path, isPart ? { theme } : { theme, waitUntil: 'load', prepare: intercept });
    if (isPart) await intercept(one.page);
    await view.enter?.(one.page);
    return one;
  }

  const answersAgain = (page: Page) =>
    eventually(
      async () => (await page.locator('main').getByText('The service does not answer').count()) === 0,
      'the problem stays',
    );

  for (const view of [...views, ...parts]) {
    const { name, content } = view;
    describe(name, () => {
      it('loading: says that it is busy, and moves nothing when the data arrives', async () => {
        const gate = Promise.withResolvers<void>();
        const one = await openWith(view, async (route) => {
          await gate.promise;
          await route.continue();
        });
        await one.page.locator('[aria-busy=true], [aria-disabled=true], .plot[aria-valuemax="0"]').first().waitFor();
        expect(await accessibilityViolations(one.page)).to.deep.equal([]);
        gate.resolve();
        await one.page.locator(content).first().waitFor();
        await settled(one);
        await expectLittleShift(one.page, 0.05);
      });

      it('rate-limited: counts down, and continues by itself', async () => {
        let isFull = true;
        const one = await openWith(view, (route) => (isFull ? refuseFor(route, 3) : route.continue()), 'dark');
        const { page } = one;
        await page.locator('main').getByText('Too many requests').first().waitFor();
        await page
          .getByText(/Next attempt in \d\ss/)
          .first()
          .waitFor();
        await page.locator('.status.limited', { hasText: /^\d\ss$/ }).waitFor();
        expect(await accessibilityViolations(page)).to.deep.equal([]);
        isFull = false;
        await page.locator(content).first().waitFor();
        await settled(one);
        expect(await page.locator('main').getByText('Too many requests').count()).to.equal(0);
        await page.locator(view.isLive ? '.status.live' : '.status.idle').waitFor();
      });

      it('unreachable: says so, asks again by a button, and continues by itself', async () => {
        let [isAway, attempts] = [true, 0];
        const one = await openWith(view, (route) => {
          attempts++;
          return isAway ? route.abort('connectionrefused') : route.continue();
        });
        const { page } = one;
        await page.locator('main').getByText('The service does not answer').first().waitFor();
        const before = attempts;
        await page.locator('main').getByRole('button', { name: 'Try again' }).first().click();
        await eventually(() => attempts > before, 'the button asks for nothing');
        await page.locator('.status.reconnecting').waitFor();
        expect(await accessibilityViolations(page)).to.deep.equal([]);
        isAway = false;
        await page.locator(content).first().waitFor();
        await answersAgain(page);
      });

      it('offline and reconnecting: says so, leaves the data in place, and continues', async () => {
        const one = await openWith(view, (route) => route.continue());
        const { page } = one;
        await page.locator(content).first().waitFor();
        await settled(one);
        const isFine = page.locator(view.isLive ? '.status.live' : '.status.idle');
        await isFine.waitFor();
        const place = await page.locator(content).first().boundingBox();
        await page.context().setOffline(true);
        await page.locator('.status.offline', { hasText: 'Offline' }).waitFor();
        expect(await page.locator(content).first().boundingBox()).to.deep.equal(place);
        expect(await accessibilityViolations(page)).to.deep.equal([]);
        await page.context().setOffline(false);
        await isFine.waitFor();
        expect(await page.locator(content).first().boundingBox()).to.deep.equal(place);
        if (!view.isLive) return;
        // The service ends the streams, as at its stop, and refuses new ones for a moment.
        let isAway = true;
        await page.route('**/graphql', (route) => (isAway ? route.abort('connectionrefused') : route.fallback()));
        await page.evaluate("window.dispatchEvent(new Event('offline')); window.dispatchEvent(new Event('online'))");
        await page.locator('.status.reconnecting').waitFor();
        expect(await page.locator(content).first().boundingBox()).to.deep.equal(place);
        isAway = false;
        await isFine.waitFor();
        await answersAgain(page);
      });
    });
  }
});
