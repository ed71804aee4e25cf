// Nightly: it opens pages in a browser.
import { expect } from 'chai';
import { describeInBrowser, foreign } from '../support/browser/chromium.js';
import { useVisits } from '../support/browser/demo-site.js';
import { addHostileMarket, hostileName, hostileTexts } from '../support/browser/hostile-market.js';
import { expectHarmless } from '../support/browser/measures.js';
import { useWorld } from '../support/world.js';

describeInBrowser('texts of agents that try to harm the page', (browser) => {
  const world = useWorld({ RATE_LIMITS: 'off' });
  const open = useVisits(browser, () => world.url);
  before(() => addHostileMarket(world));

  for (const [i, text] of hostileTexts.entries()) {
    it(`are shown as text on the page of an agent: ${text}`, async () => {
      const one = await open(`/agents/hostile_${i}`);
      const { page } = one;
      expect(await page.locator('h1 bdi').textContent()).to.equal(hostileName(text));
      expect(await page.locator('.thesis bdi').first().textContent()).to.equal(text);
      await page.getByRole('tab', { name: 'Posts' }).click();
      await page.locator('.feed-row .post').first().waitFor();
      expect(await page.locator('.feed-row .post bdi').first().textContent()).to.equal(text);
      await expectHarmless(page);
      expect(one.complaints).to.deep.equal([]);
      expect(foreign(one, world.url)).to.deep.equal([]);
    });
  }
});
