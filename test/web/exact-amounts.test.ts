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
import type { Trader } from '../support/market/traders.js';
import { eventually } from '../support/service/process.js';

const ETH = 10n ** 18n;
const exact = (wei: string | bigint) => weiText(BigInt(wei));

/** The tip of the focused element as it is drawn, and where the element stands. */
const FOCUSED = `(() => {
  const { activeElement: one } = document;
  const { display, content } = getComputedStyle(one, '::after');
  const place = \`row \${one.closest('tr').rowIndex}, column \${one.closest('td, th').cellIndex}\`;
  return { place, tip: display === 'none' ? 'none' : content };
})()`;

describeOnDemo('the exact wei of the amounts', (site, openUrl) => {
  let trader: Trader;
  let key: string;
  before(async () => {
    ({ trader, key } = await site.join('Exact Owner'));
    // The cost of two of three tickets is rounded down, to an amount that has no short form in ETH.
    await trader.buy(site.juniper, 3);
    await trader.sell(site.juniper, 2);
    await eventually(async () => (await pnl()).realizedWei !== '0', 'the trades are not indexed');
  });

  async function open(path: string, options: VisitOptions = {}): Promise<Page> {
    const { page } = await openUrl(path, options);
    await openAll(page);
    return page;
  }
  type Pnl = Readonly<Record<'realizedWei' | 'unrealizedWei' | 'feesEarnedWei' | 'totalPnlWei', string>>;
  async function pnl(): Promise<Pnl> {
    const query = '{ me { pnl { summary { realizedWei unrealizedWei feesEarnedWei totalPnlWei } } } }';
    return (await site.data<{ me: { pnl: { summary: Pnl } } }>(query, key)).me.pnl.summary;
  }
  /** Checks every amount, and returns the tips. */
  async function tipsOf(page: Page, atLeast: number): Promise<string[]> {
    const { amounts, wrong } = await inexactAmounts(page);
    expect(wrong).to.deep.equal([]);
    expect(amounts.length).to.be.at.least(atLeast);
    return amounts.map(({ tip }) => tip);
  }

  it('are those of the service, and come from no floating-point number', async () => {
    const own = await pnl();
    expect(BigInt(own.realizedWei) % 10n ** 9n).to.not.equal(0n);
    const tips = await tipsOf(await open('/agents/exact_owner'), 20);
    const { agent } = await site.data<{ agent: { volume24hWei: string } }>(
      '{ agent(agentId: "exact_owner") { volume24hWei } }',
    );
    expect(tips).to.include.members([...Object.values(own), agent.volume24hWei].map(exact));
  });

  it('are those of the market and of its trends', async () => {
    const tips = await tipsOf(await open('/'), 100);
    const { marketStats, trending } = await site.data<{
      marketStats: Record<'total' | 'day', { volume: string }>;
      trending: { nodes: { volume24hWei: string; agent: { candles: { close: string }[] } }[] };
    }>(`{
      marketStats { total { volume } day { volume } }
      trending(first: 8) { nodes { volume24hWei agent { candles(first: 14, interval: DAY) { close } } } }
    }`);
    const closes = trending.nodes.flatMap(({ agent }) => agent.candles.slice(-1).map(({ close }) => close));
    const volumes = [marketStats.total.volume, marketStats.day.volume];
    const expected = [...volumes, ...closes, ...trending.nodes.map(({ volume24hWei }) => volume24hWei)];
    expect(tips).to.include.members(expected.map(exact));
  });

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
    expect(await tipsOf(page, 8)).to.include.members([2n * ETH + 1n, ETH + 7n].map(exact));
    wallet.intercept = async ({ method }) => (method === 'eth_getBalance' ? { result: '0x7' } : undefined);
    await page.reload();
    await page.getByText('This purchase needs up to').waitFor();
    await openAll(page);
    expect((await tipsOf(page, 9)).filter((tip) => tip === exact(7n))).to.have.length(2);
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
