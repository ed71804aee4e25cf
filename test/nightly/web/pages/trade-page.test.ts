import { expect } from 'chai';
import { computeAddress } from 'ethers';
import type { Page, Route } from 'playwright-core';
import { ticketMarket } from '../../../../src/chain/contract-interface.js';
import { buyQuote, withBuySlippage } from '../../../../src/values/curve.js';
import { etherText, weiText } from '../../../../web/src/format/ether.js';
import { change, shortHex } from '../../../../web/src/format/number.js';
import { inexactAmounts, openAll } from '../../../support/browser/amounts.js';
import { describeOnDemo } from '../../../support/browser/demo-site.js';
import { withoutFirstAnswer } from '../../../support/browser/first-view.js';
import { accessibilityViolations } from '../../../support/browser/measures.js';
import { connectWallet, type FakeWallet, fakeWallet, WALLET_NAME } from '../../../support/browser/wallet.js';
import type { Trader } from '../../../support/market/traders.js';
import { body } from '../../../support/service/demo.js';
import { eventually } from '../../../support/service/process.js';

const FEES = { protocolBps: 500n, agentBps: 500n };
const OTHER = `0x${'12'.repeat(20)}`;

type Agent = { readonly totalSupply: number; readonly ticketPrice: string; readonly priceChange24h: number };
type Trade = Readonly<Record<'type' | 'total' | 'agentAddress', string>> & { readonly amount: number };

describeOnDemo('the page of an agent in a trade', (site, openUrl) => {
  let trader: Trader;
  let wallet: FakeWallet;
  beforeEach(async () => {
    trader = await site.trader();
    wallet = fakeWallet(trader, site.service.deps.chain);
  });
  const open = (prepare = wallet.prepare) => openUrl('/agents/juniper_row', { prepare });

  const agentNow = async () => (await body(site.service, '/api/agents/juniper_row')).agent as Agent;
  const timeOfChain = async (): Promise<number> => (await site.provider.getBlock('latest'))?.timestamp ?? 0;
  const heldOf = (page: Page) => page.locator('.wallet-figures dd').nth(1);
  const holds = (page: Page, tickets: string) =>
    heldOf(page)
      .filter({ hasText: RegExp(`^${tickets}$`) })
      .waitFor();
  const result = (page: Page) => page.getByRole('region', { name: 'Result', exact: true });
  const bought = (page: Page) =>
    result(page)
      .getByRole('status')
      .getByText(/^Bought \d+ tickets? for /)
      .waitFor();
  const press = (page: Page, name: string) => page.getByRole('button', { name, exact: true }).click();
  const failure = async (page: Page): Promise<string> => {
    const alert = page.getByRole('region', { name: 'Progress' }).getByRole('alert');
    await alert.waitFor();
    return (await alert.textContent()) ?? '';
  };
  const sent = () => wallet.calls.filter(({ method }) => method === 'eth_sendTransaction');

  /** The last trade of a wallet in the answer of the service. */
  async function tradeOf(trader: string): Promise<Trade | undefined> {
    const query = `{ trades(trader: "${trader}", first: 1) { nodes { type amount total agentAddress } } }`;
    return (await site.data<{ trades: { nodes: Trade[] } }>(query)).trades.nodes[0];
  }

  /** Holds back the queries that begin with `start`. The test answers those in `routes` itself, or lets them go with `release`. */
  async function hold(page: Page, start: string) {
    const routes: Route[] = [];
    let isHeld = true;
    await page.route('**/graphql', async (route) => {
      if (isHeld && route.request().postDataJSON().query.startsWith(start)) routes.push(route);
      else await route.fallback();
    });
    const release = async () => {
      isHeld = false;
      for (const route of routes.splice(0)) await route.continue();
    };
    return { routes, release };
  }

  const shownAs = (page: Page, name: string) => page.locator('.result div').filter({ hasText: name }).locator('dd').textContent();
  /** Checks that the head and the result show the price and the change of the service, and the result this number of tickets. */
  async function expectFigures(page: Page, tickets: string): Promise<void> {
    const now = await agentNow();
    const price = etherText(BigInt(now.ticketPrice));
    expect(await page.locator('.figure.main .eth').textContent()).to.equal(price);
    expect(await page.locator('.figures .change').first().textContent()).to.include(change(now.priceChange24h));
    expect(await shownAs(page, 'Price after')).to.equal(price);
    expect(await shownAs(page, 'Your tickets')).to.equal(tickets);
  }

  it('buys and sells with the test wallet, down to the indexed trade', async () => {
    const { page, requested } = await open();
    const bodies: string[] = [];
    page.on('request', (request) => bodies.push(request.postData() ?? ''));
    await connectWallet(page, /Use a test wallet/);
    await page.getByText('Test wallet', { exact: true }).waitFor();
    const account = (await page.locator('.wallet .copy').getAttribute('data-tip')) ?? '';
    await page.getByRole('slider', { name: 'Tickets' }).fill('3');
    const cost = buyQuote(BigInt((await agentNow()).totalSupply), 3n, FEES).total;
    for (const wei of [cost, withBuySlippage(cost, 100n)]) await page.getByText(etherText(wei)).first().waitFor();
    await press(page, 'Buy 3 tickets');
    await bought(page);
    expect(await page.locator('.steps li').count(), 'the result stands in place of the steps').to.equal(0);
    await holds(page, '3');
    const purchase = { type: 'BUY', amount: 3, total: String(cost), agentAddress: site.juniper };
    expect(await tradeOf(account)).to.deep.include(purchase);
    const own = page.getByRole('region', { name: 'Activity' }).getByRole('link', { name: shortHex(account) });
    await own.first().getByText('you', { exact: true }).waitFor();

    await press(page, 'Sell');
    await press(page, 'Sell all');
    const note = () => page.locator('.ask-wallet .note').textContent();
    const usual = await note();
    const index = await hold(page, 'query IndexedTrades');
    await press(page, 'Sell 3 tickets');
    await holds(page, '0');
    expect(await page.locator('.ask-wallet .button').textContent()).to.equal('In progress…');
    expect(await note(), 'no objection to a sale that runs').to.equal(usual);
    await index.release();
    await result(page)
      .getByRole('status')
      .getByText(/^Sold 3 tickets for /)
      .waitFor();
    await expectFigures(page, '0');
    const sale = await tradeOf(account);
    expect(sale).to.include({ type: 'SELL', amount: 3 });
    const profit = BigInt(sale?.total ?? 0) - cost;
    expect(await shownAs(page, 'Profit or loss')).to.include(etherText(profit));
    expect(await accessibilityViolations(page)).to.deep.equal([]);
    await press(page, 'Trade again');
    await page.locator('.ask-wallet').getByText('This wallet holds no tickets of the agent.').waitFor();
    await press(page, 'Buy');
    await page.getByRole('button', { name: 'Buy 3 tickets' }).waitFor();
    // The page stores the key in one place only, and the service never gets it.
    const stored = await page.evaluate('JSON.stringify([{ ...localStorage }, { ...sessionStorage }, document.cookie])');
    const [, key = ''] = /^\[\{"test-wallet-key":"([0-9a-f]{64})"\},\{\},""\]$/.exec(stored as string) ?? [];
    expect(computeAddress(`0x${key}`).toLowerCase()).to.equal(account);
    expect([...bodies, ...requested].join())
      .to.include(account.slice(2))
      .and.not.include(key);
  });

  it('shows the new price, change and position as soon as the trade is indexed, although the chain fails then', async () => {
    const { page } = await open();
    await connectWallet(page, /Use a test wallet/);
    await page.getByRole('textbox', { name: 'Tickets' }).fill('2');
    const before = await page.locator('.figures .change').first().textContent();
    const reads = await hold(page, 'query Agent');
    await press(page, 'Buy 2 tickets');
    await bought(page);
    await holds(page, '2');
    expect(await page.locator('.figures .change').first().textContent()).to.not.equal(before);
    await expectFigures(page, '2');

    // The page reads its data again, which fails. It still has the old data with the address of the contract, so it can trade
    // again.
    const reload = () => reads.routes.findIndex((route) => /^query Agent\b/.test(route.request().postDataJSON().query));
    await eventually(() => reload() >= 0, 'the page does not read its data again');
    const error = { message: 'The chain does not answer', extensions: { code: 'CHAIN_UNAVAILABLE' } };
    await reads.routes.splice(reload(), 1)[0]?.fulfill({ json: { data: null, errors: [error] } });
    await page.locator('.stale').waitFor();
    await press(page, 'Trade again');
    await page.getByRole('button', { name: 'Buy 2 tickets' }).waitFor();
    await reads.release();
  });

  it('trades with a wallet of the browser, whose name stays text and whose icon is not loaded', async () => {
    const { page } = await open();
    const { clock, chain } = site.service.deps;
    const now = clock.now();
    await page.clock.setFixedTime(now);
    const before = await timeOfChain();
    await page.locator(`.breakdown [data-tip="${chain.contract}"]`).waitFor();
    // This wallet never reports a new block, so only the trade itself tells the page that the balance has changed.
    wallet.intercept = async ({ method }) => (method === 'eth_blockNumber' ? { result: '0x1' } : undefined);
    await connectWallet(page, WALLET_NAME);
    const balance = async () => etherText(await site.provider.getBalance(trader.wallet));
    const inHead = page.locator('header .wallet-button');
    await inHead.getByText(await balance(), { exact: true }).waitFor();
    await page.locator('.wallet-name bdi', { hasText: WALLET_NAME }).waitFor();
    await press(page, 'Buy 1 ticket');
    await bought(page);
    const { to = '', data = '', value = '0' } = (sent()[0]?.params[0] ?? {}) as Record<string, string>;
    expect(to).to.equal(chain.contract.toLowerCase());
    const call = ticketMarket.parseTransaction({ data, value: BigInt(value) });
    expect(call?.signature).to.equal('buyTickets(address,uint256,uint256,uint256)');
    expect(call?.args[2]).to.equal(BigInt(value));
    // Seconds from the request to the wallet to the deadline of the transaction.
    const lifetime = 600;
    const [earliest, latest] = [before, await timeOfChain()].map((time) => Math.max(time, now.getTime() / 1000));
    expect(Number(call?.args[3]) - lifetime).to.be.within(Math.floor(earliest ?? 0), latest ?? 0);
    expect(await tradeOf(trader.wallet)).to.include({ type: 'BUY', amount: 1 });
    await inHead.getByText(await balance(), { exact: true }).waitFor();
    expect(await page.evaluate('window.hacked')).to.equal(undefined);
  });

  it('says that the wallet refuses the connection, refuses the transaction or finds that it would be reverted', async () => {
    const refused = { error: { code: 4001, message: 'User rejected' } };
    wallet.intercept = async ({ method }) => (method === 'eth_requestAccounts' ? refused : undefined);
    const { page } = await open();
    await page.getByRole('button', { name: 'Connect a wallet' }).click();
    await page.getByRole('button', { name: WALLET_NAME }).click();
    await page.getByRole('alert').getByText('You refused the request in the wallet').waitFor();
    wallet.intercept = async ({ method }) => (method === 'eth_sendTransaction' ? refused : undefined);
    await page.getByRole('button', { name: WALLET_NAME }).click();
    await press(page, 'Buy 1 ticket');
    expect(await failure(page)).to.include('You refused the request in the wallet. Nothing was sent.');
    expect(await page.locator('.steps .failed').textContent()).to.include('Sign in the wallet');
    const data = ticketMarket.encodeErrorResult('CostAboveMax', [2n * 10n ** 18n + 1n, 10n ** 18n + 7n]);
    const reverted = { error: { code: 3, message: 'execution reverted', data } };
    wallet.intercept = async ({ method }) => (method === 'eth_sendTransaction' ? reverted : undefined);
    await press(page, 'Buy 1 ticket');
    await page.getByText('The price has risen: the tickets cost 2 ETH, more than your maximum of 1 ETH.').waitFor();
    // After these failures, the form must accept another trade.
    wallet.intercept = async () => undefined;
    await press(page, 'Buy 1 ticket');
    await bought(page);
  });

  it('offers the switch on a wrong chain, and adds a chain that the wallet does not know', async () => {
    const { chainId, rpcUrl } = site.service.deps.chain;
    wallet.chainId = 1;
    wallet.knows.delete(chainId);
    const { page } = await open();
    await connectWallet(page, WALLET_NAME);
    await page.getByText(`The wallet uses chain 1. This market is on chain ${chainId}.`).waitFor();
    expect(await page.getByRole('button', { name: /^Buy \d/ }).count()).to.equal(0);
    expect(await accessibilityViolations(page)).to.deep.equal([]);
    await press(page, 'Switch the network');
    await page.getByRole('button', { name: 'Buy 1 ticket' }).waitFor();
    const added = wallet.calls.find(({ method }) => method === 'wallet_addEthereumChain')?.params[0];
    expect(added).to.include({ chainId: `0x${chainId.toString(16)}` });
    expect((added as { rpcUrls: string[] }).rpcUrls).to.deep.equal([rpcUrl]);
    await press(page, 'Buy 1 ticket');
    await bought(page);
  });

  it('says why a transaction was reverted in its block, with the exact wei', async () => {
    const rival = await site.trader();
    const { totalSupply } = await agentNow();
    // Another purchase comes first, and raises the price beyond the slippage.
    wallet.intercept = async ({ method }) => {
      if (method === 'eth_sendTransaction') await rival.buy(site.juniper, 5);
      return undefined;
    };
    const { page } = await open();
    await connectWallet(page, WALLET_NAME);
    await press(page, 'Buy 1 ticket');
    expect(await failure(page))
      .to.include('changed nothing except the network fee')
      .and.match(/The price has risen: the tickets cost .*\sETH/);
    expect(await page.locator('.steps .failed').textContent()).to.include('Wait for a block');
    expect(await heldOf(page).textContent()).to.equal('0');
    const cost = buyQuote(BigInt(totalSupply) + 5n, 1n, FEES).total;
    const { value = '' } = (sent()[0]?.params[0] ?? {}) as Record<string, string>;
    await openAll(page);
    const { amounts, wrong } = await inexactAmounts(page);
    expect(wrong).to.deep.equal([]);
    expect(amounts.map(({ tip }) => tip)).to.include.members([cost, BigInt(value)].map(weiText));
    expect(await accessibilityViolations(page)).to.deep.equal([]);
  });

  it('asks again if the price has moved beyond the tolerance before the wallet is asked', async () => {
    const rival = await site.trader();
    const { page } = await open();
    await connectWallet(page, WALLET_NAME);
    await page.route('**/graphql', async (route) => {
      if (route.request().postDataJSON().query.startsWith('query Order')) await rival.buy(site.juniper, 5);
      await route.continue();
    });
    await press(page, 'Buy 1 ticket');
    expect(await failure(page)).to.include('The price has moved to');
    expect(sent()).to.deep.equal([]);
    await page.unroute('**/graphql');
    await press(page, 'Buy 1 ticket');
    await bought(page);
  });

  for (const [what, wrong, from, expected] of [
    ['another address than the page', { address: OTHER }, /^query Order/, 'names another contract than the one'],
    ['another contract from the start', { address: OTHER }, /^query/, 'does not quote the price of this market'],
    ['an address that is none', { address: '0x12' }, /^query/, 'The address of the contract is not valid'],
    ['another ABI', { abi: '[]' }, /^query Order/, 'lacks the function that this page calls'],
  ] as const) {
    it(`does not ask the wallet if the service names ${what}`, async () => {
      const { page } = await open(async (context) => {
        await wallet.prepare(context);
        await withoutFirstAnswer(context);
        await context.route('**/graphql', async (route) => {
          if (!from.test(route.request().postDataJSON().query)) return route.continue();
          const response = await route.fetch();
          const json = (await response.json()) as { data: { contract?: object } };
          if (json.data.contract) Object.assign(json.data.contract, wrong);
          return route.fulfill({ response, json });
        });
      });
      await connectWallet(page, WALLET_NAME);
      await press(page, 'Buy 1 ticket');
      expect(await failure(page)).to.include(expected);
      expect(sent()).to.deep.equal([]);
    });
  }
});
