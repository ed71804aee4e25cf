// Nightly: it opens pages in a browser.

import { expect } from 'chai';
import type { BrowserContext, Route } from 'playwright-core';
import { describeInBrowser, settled, type Visit } from '../support/browser/chromium.js';
import { useVisits } from '../support/browser/demo-site.js';
import { withoutFirstAnswer } from '../support/browser/first-view.js';
import { accessibilityViolations } from '../support/browser/measures.js';
import { eventually } from '../support/service/process.js';
import { useWorld } from '../support/world.js';

/** Answers the queries of the page, not its subscriptions, by the given function. */
const answerQueries = (answer: (route: Route) => Promise<void>) => async (context: BrowserContext) => {
  await withoutFirstAnswer(context);
  await context.route('**/graphql', (route) =>
    route.request().headers().accept === 'text/event-stream' ? route.continue() : answer(route),
  );
};

describeInBrowser('the states of a page', (browser) => {
  const world = useWorld({ RATE_LIMITS: 'off' });
  const openUrl = useVisits(browser, () => world.url);
  const open = (path: string, prepare?: (context: BrowserContext) => Promise<void>): Promise<Visit> =>
    openUrl(path, { waitUntil: 'load', ...(prepare && { prepare }) });

  it('empty: each list of the market says so', async () => {
    const one = await open('/');
    await settled(one);
    for (const text of ['No ticket was traded', 'No agent has registered', 'Nothing has happened']) {
      await one.page.getByText(text).waitFor();
    }
    expect(await accessibilityViolations(one.page)).to.deep.equal([]);
    expect(one.complaints).to.deep.equal([]);
  });

  it('loading: skeletons hold the place, and say that they are busy', async () => {
    const gate = Promise.withResolvers<void>();
    const one = await open('/', async (context) => {
      await answerQueries(async (route) => {
        await gate.promise;
        await route.continue();
      })(context);
    });
    await one.page.locator('tbody[aria-busy=true] .bar').first().waitFor();
    expect(await accessibilityViolations(one.page)).to.deep.equal([]);
    gate.resolve();
    await settled(one);
    expect(await one.page.locator('.bar').count()).to.equal(0);
  });

  it('rate-limited: a countdown, and the page by itself after it', async () => {
    let refusals = 1;
    const one = await open('/', async (context) => {
      await context.clock.install();
      await answerQueries((route) => {
        if (refusals-- <= 0) return route.continue();
        const error = { message: 'Too many requests', extensions: { code: 'RATE_LIMITED', retryAfter: 3600 } };
        const headers = { 'retry-after': '3600', 'content-type': 'application/json' };
        return route.fulfill({ status: 429, headers, body: JSON.stringify({ errors: [error] }) });
      })(context);
    });
    const { page } = one;
    await page.getByRole('alert').getByText('Too many requests').waitFor();
    await page.getByText(/Next attempt in \d/).waitFor();
    expect(await page.locator('.status').getAttribute('class')).to.include('limited');
    expect(await accessibilityViolations(page)).to.deep.equal([]);
    await page.clock.fastForward(3_600_000);
    await page.getByRole('region', { name: 'Leaderboard' }).waitFor();
    expect(await page.getByRole('alert').count()).to.equal(0);
  });

  it('unreachable: what happened, a button, and an attempt by itself', async () => {
    let isAway = true;
    let attempts = 0;
    const one = await open('/', async (context) => {
      await answerQueries((route) => {
        attempts++;
        return isAway ? route.abort('connectionrefused') : route.continue();
      })(context);
    });
    const { page } = one;
    await page.getByText('The service does not answer').waitFor();
    expect(await accessibilityViolations(page)).to.deep.equal([]);
    const before = attempts;
    await page.getByRole('button', { name: 'Try again' }).click();
    await eventually(() => attempts > before, 'the button asked for nothing');
    isAway = false;
    await page.getByRole('region', { name: 'Leaderboard' }).waitFor();
  });

  it('offline: the header says so, the data stays, and the page continues', async () => {
    const one = await open('/');
    await settled(one);
    const { page } = one;
    await page.locator('.status.live').waitFor();
    await page.context().setOffline(true);
    await page.locator('.status.offline').waitFor();
    expect(await page.getByRole('region', { name: 'Leaderboard' }).count()).to.equal(1);
    await page.context().setOffline(false);
    await page.locator('.status.live').waitFor();
  });

  it('a refused search: the header counts down, and forgets it without another request', async () => {
    const one = await open('/seasons', async (context) => {
      await context.clock.install();
      await answerQueries((route) => {
        const { query } = route.request().postDataJSON() as { query: string };
        if (!query.startsWith('query Search')) return route.continue();
        const error = { message: 'Too many requests', extensions: { code: 'RATE_LIMITED', retryAfter: 3600 } };
        const headers = { 'retry-after': '3600', 'content-type': 'application/json' };
        return route.fulfill({ status: 429, headers, body: JSON.stringify({ errors: [error] }) });
      })(context);
    });
    await settled(one);
    await one.page.getByRole('combobox', { name: 'Search agents' }).fill('heron');
    await one.page.locator('.status.limited', { hasText: /^\d+\smin \d+\ss$/ }).waitFor();
    await one.page.clock.fastForward(3_610_000);
    await one.page.locator('.status.idle').waitFor();
  });

  it('unknown agent: a sentence and no retry by itself', async () => {
    const one = await open('/agents/nobody_here');
    await one.page.getByRole('alert').getByText('Not found', { exact: true }).waitFor();
    await one.page.getByText('Agent not found. The search at the top finds agents by name.').waitFor();
    expect(await one.page.getByText(/Next attempt/).count()).to.equal(0);
    expect(await accessibilityViolations(one.page)).to.deep.equal([]);
  });

  it('old data that cannot be renewed: a line above it', async () => {
    let isAway = false;
    const one = await open('/seasons', async (context) => {
      await context.clock.install();
      await answerQueries((route) => (isAway ? route.abort('connectionrefused') : route.continue()))(context);
    });
    await settled(one);
    await one.page.getByRole('link', { name: 'Developers' }).click();
    await one.page.getByRole('heading', { level: 1, name: 'Developers' }).waitFor();
    isAway = true;
    // The page shows a stored answer without a request for ten seconds.
    await one.page.clock.fastForward(10_500);
    await one.page.goBack();
    await one.page.getByText(/These figures are from before/).waitFor();
    expect(await one.page.getByText('No season has started yet.').count()).to.be.above(0);
    isAway = false;
    await eventually(
      async () => (await one.page.getByText(/These figures are from before/).count()) === 0,
      'the line stays',
    );
  });
});
