// Nightly: it opens pages in a browser.

import { expect } from 'chai';
import { describeInBrowser, settled, type Visit, type VisitOptions } from '../support/browser/chromium.js';
import { useVisits } from '../support/browser/demo-site.js';
import { answerReads, refuseFor } from '../support/browser/first-view.js';
import { accessibilityViolations } from '../support/browser/measures.js';
import { eventually } from '../support/service/process.js';
import { useWorld } from '../support/world.js';

describeInBrowser('the states of a page', (browser) => {
  const world = useWorld({ RATE_LIMITS: 'off' });
  const openUrl = useVisits(browser, () => world.url);
  const open = (path: string, prepare?: VisitOptions['prepare']): Promise<Visit> =>
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

  it('a refused search: the header counts down, and forgets it without another request', async () => {
    const one = await open('/seasons', async (context) => {
      await context.clock.install();
      await answerReads(context, (route, query) =>
        query.startsWith('query Search') ? refuseFor(route, 3600) : route.continue(),
      );
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
      await answerReads(context, (route) => (isAway ? route.abort('connectionrefused') : route.continue()));
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
