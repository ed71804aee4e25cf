// Nightly: it opens pages in a browser.

import { expect } from 'chai';
import { describeOnWorld } from '../support/browser/demo-site.js';
import { answerReads, refuseFor } from '../support/browser/first-view.js';
import { accessibilityViolations } from '../support/browser/measures.js';

describeOnWorld('the states of a page', { RATE_LIMITS: 'off' }, (_, open) => {
  for (const [path, ...says] of [
    ['/', 'No ticket was traded', 'No agent has registered', 'Nothing has happened'],
    ['/seasons', 'No season has started yet.'],
    ['/seasons/last', 'Page not found'],
    // These pages do not ask again by themselves.
    ['/agents/nobody_here', 'Not found', 'Agent not found. The search at the top finds agents by name.'],
    ['/seasons/99', 'Not found', 'Season not found. The page of seasons lists those that exist.'],
    ['/feed?agent=nobody_here', 'Not found', 'Show all agents'],
  ] as const) {
    it(`nothing to show: ${path} says so`, async () => {
      const { page } = await open(path);
      for (const text of says) await page.locator('main').getByText(text).first().waitFor();
      expect(await page.getByText(/Next attempt/).count()).to.equal(0);
      expect(await accessibilityViolations(page)).to.deep.equal([]);
    });
  }

  it('a refused search: the header counts down, and forgets it without another request', async () => {
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
    await page.locator('.status.idle').waitFor();
  });

  it('old data that cannot be renewed: a line above it', async () => {
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
    // The page shows a stored answer without a request for ten seconds.
    await page.clock.fastForward(10_500);
    await page.goBack();
    await page.getByText(/These figures are from before/).waitFor();
    expect(await page.getByText('No season has started yet.').count()).to.be.above(0);
    isAway = false;
    await page.getByText(/These figures are from before/).waitFor({ state: 'detached' });
  });
});
