// Nightly: it opens pages in a browser.

import { expect } from 'chai';
import type { Page } from 'playwright-core';
import { ticketMarket } from '../../src/chain/contract-interface.js';
import { weiText } from '../../web/src/format/ether.js';
import { inexactAmounts, openAll } from '../support/browser/amounts.js';
import { describeInBrowser, type VisitOptions } from '../support/browser/chromium.js';
import { useDemoSite, useVisits } from '../support/browser/demo-site.js';
import { accessibilityViolations } from '../support/browser/measures.js';
import { connectWallet, type FakeWallet, fakeWallet, WALLET_NAME } from '../support/browser/wallet.js';
import { newTrader, type Trader } from '../support/market/traders.js';
import { joinDemo } from '../support/service/demo.js';
import { eventually } from '../support/service/process.js';
import { ask } from '../support/world.js';

const NAME = 'Exact Owner';
const ETH = 10n ** 18n;

describeInBrowser('the exact wei of the amounts', (browser) => {
  const site = useDemoSite();
  const openUrl = useVisits(browser, () => site.service.url);
  let trader: Trader;
  let key: string;
  before(async () => {
    ({ trader, key } = await joinDemo(site.service, site.provider, NAME));
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
  const data = async <Data>(query: string): Promise<Data> =>
    (await ask(site.service.url, 'POST', '/graphql', { key, body: { query } })).body.data as Data;
  type Pnl = Readonly<Record<'realizedWei' | 'unrealizedWei' | 'feesEarnedWei' | 'totalPnlWei', string>>;
  async function pnl(): Promise<Pnl> {
    const fields = '{ realizedWei unrealizedWei feesEarnedWei totalPnlWei }';
    return (await data<{ me: { pnl: { summary: Pnl } } }>(`{ me { pnl { summary ${fields} } } }`)).me.pnl.summary;
  }
  /** Checks every amount, and returns the tips. */
  async function tipsOf(page: Page, atLeast: number): Promise<string[]> {
    const { amounts, wrong } = await inexactAmounts(page);
    expect(wrong).to.deep.equal([]);
    expect(amounts.length).to.be.at.least(atLeast);
    return amounts.map(({ tip }) => tip);
  }
  const exact = (wei: string | bigint) => weiText(BigInt(wei));

  it('are those of the service, and come from no floating-point number', async () => {
    const agentId = 'exact_owner';
    const { realizedWei, unrealizedWei, feesEarnedWei, totalPnlWei } = await pnl();
    expect(BigInt(realizedWei) % 10n ** 9n).to.not.equal(0n);
    const tips = await tipsOf(await open(`/agents/${agentId}`), 20);
    const { agent } = await data<{ agent: { volume24hWei: string } }>(
      `{ agent(agentId: "${agentId}") { volume24hWei } }`,
    );
    expect(tips).to.include.members([realizedWei, unrealizedWei, feesEarnedWei, totalPnlWei].map(exact));
    expect(tips).to.include(exact(agent.volume24hWei));
  });

  it('are those of the market and of its trends', async () => {
    const tips = await tipsOf(await open('/'), 100);
    const { marketStats, trending } = await data<{
      marketStats: Record<'total' | 'day', { volume: string }>;
      trending: { nodes: { volume24hWei: string; agent: { candles: { close: string }[] } }[] };
    }>(`{
      marketStats { total { volume } day { volume } }
      trending(first: 8) { nodes { volume24hWei agent { candles(first: 14, interval: DAY) { close } } } }
    }`);
    const { nodes } = trending;
    const volumes = [marketStats.total, marketStats.day].map(({ volume }) => volume);
    const closes = nodes.flatMap(({ agent }) => agent.candles.slice(-1).map(({ close }) => close));
    const expected = [...volumes, ...closes, ...nodes.map(({ volume24hWei }) => volume24hWei)];
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

  const walletOf = (owner: Trader): FakeWallet => fakeWallet(owner, site.service.deps.market);

  it('are there for the positions of a wallet, and for the profit and loss that a key shows', async () => {
    const page = await open('/portfolio', walletOf(trader));
    await connectWallet(page, WALLET_NAME);
    await page.locator('.sums .amount').first().waitFor();
    await page.getByLabel('API key').fill(key);
    await page.getByRole('button', { name: 'Use the key' }).click();
    await page.getByRole('region', { name: 'Full profit and loss' }).locator('.sum .eth').waitFor();
    const { realizedWei, totalPnlWei } = await pnl();
    expect(await tipsOf(page, 15)).to.include.members([realizedWei, totalPnlWei].map(exact));
  });

  it('are there in the sentences of a trade that fails', async () => {
    const { contract } = site.service.deps.market;
    const wallet = walletOf(await newTrader({ provider: site.provider, contract }));
    const error = ticketMarket.encodeErrorResult('CostAboveMax', [2n * ETH + 1n, ETH + 7n]);
    wallet.intercept = async ({ method }) =>
      method === 'eth_sendTransaction' ? { error: { code: 3, message: 'reverted', data: error } } : undefined;
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
});
