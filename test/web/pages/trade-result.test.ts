// Nightly: it opens pages in a browser.

import { expect } from 'chai';
import type { Page } from 'playwright-core';
import { describeOnDemo } from '../../support/browser/demo-site.js';
import { connectWallet, fakeWallet, WALLET_NAME } from '../../support/browser/wallet.js';

const result = (page: Page) => page.getByRole('region', { name: 'Result', exact: true });

describeOnDemo('the result of a trade', (site, open) => {
  for (const [width, height] of [
    [1280, 800],
    [390, 700],
  ] as const) {
    it(`shows the result where the button was, in sight, at ${width} by ${height} pixels`, async () => {
      const wallet = fakeWallet(await site.trader(), site.service.deps.market);
      const { page } = await open('/agents/juniper_row', { prepare: wallet.prepare });
      await page.setViewportSize({ width, height });
      await connectWallet(page, WALLET_NAME);
      const top = (selector: string) =>
        page.evaluate(`document.querySelector('${selector}').getBoundingClientRect().top + scrollY`);
      const button = page.getByRole('button', { name: 'Buy 1 ticket' });
      await button.scrollIntoViewIfNeeded();
      const before = await top('.ask-wallet');
      await button.click();
      await result(page).getByRole('status').getByText('Bought 1 ticket for').waitFor();
      const box = (await result(page).boundingBox()) ?? { y: -1, height: 0 };
      const header = width > 860 ? ((await page.locator('header.top').boundingBox())?.height ?? 0) : 0;
      expect(box.y).to.be.at.least(header);
      expect(box.y + box.height).to.be.at.most(height);
      expect(await top('.progress')).to.be.closeTo(before as number, 1);
    });
  }
});
