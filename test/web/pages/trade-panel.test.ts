// CI: it opens pages in a browser.
import { expect } from 'chai';
import type { Page } from 'playwright-core';
import { describeInBrowser, settled } from '../../support/browser/chromium.js';
import { useVisits } from '../../support/browser/demo-site.js';
import { overflows } from '../../support/browser/measures.js';
import { addListedAgent } from '../../support/market/rows.js';
import { useWorld } from '../../support/world.js';

const chosen = async (page: Page) => ({
  side: await page.locator('main button[aria-pressed=true]').first().textContent(),
  tickets: await page.getByRole('slider', { name: /^Tickets/ }).inputValue(),
});

describeInBrowser('the way from the calculator of an agent to the trade page', (browser) => {
  const world = useWorld({ RATE_LIMITS: 'off' });
  const openUrl = useVisits(browser);
  before(() => addListedAgent(world, { agentId: 'ada' }, { agentId: 'ada', supply: 9 }));

  for (const width of [360, 1280]) {
    it(`keeps side and amount, by keyboard at ${width} pixels`, async () => {
      for (const [side, link] of [
        ['Buy', 'Buy 3 tickets'],
        ['Sell', 'Sell 3 tickets'],
      ] as const) {
        const one = await openUrl(`${world.url}/agents/ada`, { width });
        const { page } = one;
        await settled(one);
        await page.getByRole('button', { name: side, exact: true }).press('Enter');
        await page.getByRole('slider', { name: /^Tickets/ }).focus();
        for (const key of ['ArrowRight', 'ArrowRight', 'Tab']) await page.keyboard.press(key);
        expect(await overflows(page), 'wider than the window').to.equal(false);
        // The exact amounts are stops, too.
        const isThere = async () => (await page.locator(':focus').textContent()) === link;
        for (let stop = 0; stop < 9 && !(await isThere()); stop++) await page.keyboard.press('Tab');
        expect(await isThere(), 'the Tab key reaches the link').to.equal(true);
        await page.keyboard.press('Enter');
        await page.getByRole('heading', { name: 'Trade tickets' }).waitFor();
        await settled(one);
        expect(await chosen(page)).to.deep.equal({ side, tickets: '3' });
      }
    });
  }

  it('ignores an order in the address that makes no sense', async () => {
    const one = await openUrl(`${world.url}/agents/ada/trade?side=give&amount=-1`);
    await settled(one);
    expect(await chosen(one.page)).to.deep.equal({ side: 'Buy', tickets: '1' });
  });
});
