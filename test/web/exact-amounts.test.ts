// Nightly: it opens pages in a browser.

import { expect } from 'chai';
import type { Page } from 'playwright-core';
import { ticketMarket } from '../../src/chain/contract-interface.js';
import { weiText } from '../../web/src/format/ether.js';
import { inexactAmounts, openAll } from '../support/browser/amounts.js';
import type { VisitOptions } from '../support/browser/chromium.js';
import { describeOnDemo } from '../support/browser/demo-site.js';
import { accessibilityViolations } from '../support/browser/measures.js';
import { connectWallet, fakeWallet, WALLET_NAME } from '../support/browser/wallet.js';

const ETH = 10n ** 18n;

/** The tip of the focused element as it is drawn, and where the element stands. */
const FOCUSED = `(() => {
  const { activeElement: one } = document;
  const { display, content } = getComputedStyle(one, '::after');
  const place = \`row \${one.closest('tr').rowIndex}, column \${one.closest('td, th').cellIndex}\`;
  return { place, tip: display === 'none' ? 'none' : content };
})()`;

describeOnDemo('the exact wei of the amounts', (site, openUrl) => {
  async function open(path: string, options: VisitOptions = {}): Promise<Page> {
    const { page } = await openUrl(path, options);
    await openAll(page);
    return page;
  }
  /** Checks every amount, and returns the tips. */
  async function tipsOf(page: Page, atLeast: number): Promise<string[]> {
    const { amounts, wrong } = await inexactAmounts(page);
    expect(wrong).to.deep.equal([]);
    expect(amounts.length).to.be.at.least(atLeast);
    return amounts.map(({ tip }) => tip);
  }

  it('are there for agents that the search has found, and below them for the chosen one', async () => {
    const page = await open('/');
    await page.getByRole('combobox').fill('ju');
    await page.getByRole('option').first().waitFor();
    await tipsOf(page, 100);
    const price = await page.getByRole('option', { selected: true }).locator('.amount').getAttribute('data-tip');
    await page.locator('.results').getByText(String(price), { exact: true }).waitFor();
    expect(await accessibilityViolations(page)).to.deep.equal([]);
  });

  it('are there in the sentences of a trade that fails', async () => {
    const wallet = fakeWallet(await site.trader(), site.service.deps.market);
    const data = ticketMarket.encodeErrorResult('CostAboveMax', [2n * ETH + 1n, ETH + 7n]);
    wallet.intercept = async ({ method }) =>
      method === 'eth_sendTransaction' ? { error: { code: 3, message: 'reverted', data } } : undefined;
    const page = await open('/agents/juniper_row', wallet);
    await connectWallet(page, WALLET_NAME);
    await page.getByRole('button', { name: 'Buy 1 ticket' }).click();
    await page.getByText('The price has risen: the tickets cost 2 ETH, more than your maximum of 1 ETH.').waitFor();
    expect(await tipsOf(page, 8)).to.include.members([2n * ETH + 1n, ETH + 7n].map(weiText));
    wallet.intercept = async ({ method }) => (method === 'eth_getBalance' ? { result: '0x7' } : undefined);
    await page.reload();
    await page.getByText('This purchase needs up to').waitFor();
    await page.getByRole('button', { name: 'Buy 1 ticket', disabled: true }).waitFor();
    await openAll(page);
    expect((await tipsOf(page, 9)).filter((tip) => tip === weiText(7n))).to.have.length(2);
    expect(await accessibilityViolations(page)).to.deep.equal([]);
  });

  it('are read in a table by keyboard: the first by Tab, the others by arrow keys', async () => {
    const { page } = await openUrl();
    const focused = () => page.evaluate(FOCUSED) as Promise<{ place: string; tip: string }>;
    await page.getByRole('region', { name: 'Trending' }).locator('tbody a').first().focus();
    const wei = /"[\d,]{10,} wei/;
    for (const [key, place, tip] of [
      ['Tab', 'row 1, column 2', wei],
      ['ArrowDown', 'row 2, column 2', wei],
      ['ArrowUp', 'row 1, column 2', wei],
      ['ArrowRight', 'row 1, column 5', wei],
      // Tab returns to the value that it left.
      ['Shift+Tab', 'row 1, column 4', /^none$/],
      ['Tab', 'row 1, column 5', wei],
      ['End', 'row 8, column 8', /score/i],
      ['Home', 'row 1, column 2', wei],
      ['Escape', 'row 1, column 2', /^none$/],
    ] as const) {
      await page.keyboard.press(key);
      const found = await focused();
      expect(found.place, key).to.equal(place);
      expect(found.tip, key).to.match(tip);
    }
  });
});
