import { expect } from 'chai';
import type { Page } from 'playwright-core';
import { describeOnDemo } from '../../../support/browser/demo-site.js';
import { accessibilityViolations } from '../../../support/browser/measures.js';
import { connectWallet, fakeWallet, WALLET_NAME } from '../../../support/browser/wallet.js';

const result = (page: Page) => page.getByRole('region', { name: 'Result', exact: true });

describeOnDemo('the result of a trade', (site, open) => {
  it('is marked in the chart of prices, and said in its table and to screen readers', async () => {
    const trader = await site.trader();
    const wallet = fakeWallet(trader, site.service.deps.chain);
    const { page } = await open('/agents/juniper_row', { prepare: wallet.prepare });
    const chart = page.getByRole('region', { name: 'Price', exact: true });
    const legend = chart.getByText('▲ you bought ▼ you sold');
    await connectWallet(page, WALLET_NAME);
    await chart.getByRole('slider').press('End');
    expect(await chart.getByRole('slider').getAttribute('aria-valuetext')).to.not.include('You');
    expect(await legend.count()).to.equal(0);
    await page.locator('.status.live').waitFor();
    await trader.buy(site.juniper, 2);
    await trader.buy(site.juniper, 1);
    await trader.sell(site.juniper, 1);
    await chart.locator('[aria-valuetext$=". You bought 3 and sold 1"]').waitFor();
    await legend.waitFor();
    await chart.getByRole('button', { name: 'Show as table' }).click();
    await chart.getByRole('row').nth(1).getByText('You bought 3 and sold 1').waitFor();
    // In another range, the mark stands at the bar of its time. It disappears when the wallet is disconnected.
    await chart.getByRole('button', { name: '30D' }).click();
    await chart.getByRole('row').nth(1).getByText('You bought 3 and sold 1').waitFor();
    expect(await chart.getByRole('row').filter({ hasText: 'You bought' }).count()).to.equal(1);
    expect(await accessibilityViolations(page)).to.deep.equal([]);
    await page.getByRole('region', { name: 'Trade', exact: true }).getByRole('button', { name: 'Disconnect' }).click();
    await legend.waitFor({ state: 'detached' });
  });

  for (const [width, height] of [
    [1280, 800],
    [390, 700],
  ] as const) {
    it(`stands in sight in place of the quote and the button, until the next trade, at ${width} by ${height} pixels`, async () => {
      const wallet = fakeWallet(await site.trader(), site.service.deps.chain);
      const { page } = await open('/agents/juniper_row?amount=2', { prepare: wallet.prepare });
      await page.setViewportSize({ width, height });
      await connectWallet(page, WALLET_NAME);
      const trade = page.getByRole('region', { name: 'Trade', exact: true });
      const quote = trade.getByText('You pay', { exact: true });
      const buy = trade.getByRole('button', { name: 'Buy 2 tickets' });
      const again = trade.getByRole('button', { name: 'Trade again' });
      // Turns scroll anchoring off. Not every browser has it, so the page must not rely on it.
      await page.evaluate("document.documentElement.style.overflowAnchor = 'none'");
      await buy.focus();
      await page.keyboard.press('Enter');
      await result(page).getByRole('status').getByText('Bought 2 tickets for').waitFor();
      const box = (await result(page).boundingBox()) ?? { y: -1, height: 0 };
      // In wider windows, the head covers the top of the page while it scrolls.
      const header = width > 1040 ? ((await page.locator('header.top').boundingBox())?.height ?? 0) : 0;
      expect(box.y).to.be.at.least(header);
      expect(box.y + box.height).to.be.at.most(height);
      for (const gone of [quote, buy, page.locator('#amount')]) expect(await gone.count()).to.equal(0);
      // The page still offers the other side, a sale.
      await trade.getByRole('button', { name: 'Sell', exact: true }).click();
      await trade.getByRole('button', { name: 'Sell 2 tickets' }).waitFor();
      expect(await result(page).count()).to.equal(0);
      await trade.getByRole('button', { name: 'Buy', exact: true }).click();
      // The focus moves to the field, so a second press of Enter trades nothing.
      await again.focus();
      await page.keyboard.press('Enter');
      await quote.waitFor();
      await page.locator('#amount:focus').waitFor();
      await page.keyboard.press('Enter');
      await buy.waitFor();
      expect(await result(page).count()).to.equal(0);
      expect(wallet.calls.filter(({ method }) => method === 'eth_sendTransaction')).to.have.length(1);
      expect(await accessibilityViolations(page)).to.deep.equal([]);
    });
  }
});
