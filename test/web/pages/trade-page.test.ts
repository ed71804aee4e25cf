// Nightly: it opens pages in a browser.

import { expect } from 'chai';
import { computeAddress } from 'ethers';
import type { Page } from 'playwright-core';
import { ticketMarket } from '../../../src/chain/contract-interface.js';
import { buyQuote, withBuySlippage } from '../../../src/features/pricing/rules.js';
import { etherText } from '../../../web/src/format/ether.js';
import { shortHex } from '../../../web/src/format/number.js';
import { describeInBrowser, foreign, type Visit } from '../../support/browser/chromium.js';
import { useDemoSite, useVisits } from '../../support/browser/demo-site.js';
import { withoutFirstAnswer } from '../../support/browser/first-view.js';
import { accessibilityViolations } from '../../support/browser/measures.js';
import { connectWallet, type FakeWallet, fakeWallet, WALLET_NAME } from '../../support/browser/wallet.js';
import { newTrader, type Trader } from '../../support/market/traders.js';
import { body } from '../../support/service/demo.js';
import { eventually } from '../../support/service/process.js';
import { ask } from '../../support/world.js';

const FEES = { protocolBps: 500n, agentBps: 500n };

describeInBrowser('trading in the page', (browser) => {
  const site = useDemoSite();

  const openUrl = useVisits(browser, () => site.service.url);
  const open = (wallet?: FakeWallet): Promise<Visit> =>
    openUrl('/agents/juniper_row', wallet ? { prepare: wallet.prepare } : {});

  const supplyNow = async () =>
    BigInt(((await body(site.service, '/api/agents/juniper_row')).agent as { totalSupply: number }).totalSupply);
  const newWallet = async (): Promise<{ trader: Trader; wallet: FakeWallet }> => {
    const { market } = site.service.deps;
    const trader = await newTrader({ provider: site.provider, contract: market.contract });
    return { trader, wallet: fakeWallet(trader, market) };
  };
  const timeOfChain = async (): Promise<number> => (await site.provider.getBlock('latest'))?.timestamp ?? 0;
  const heldOf = (page: Page) => page.locator('.wallet-figures dd').nth(1);
  const failure = async (page: Page): Promise<string> => {
    const alert = page.getByRole('region', { name: 'Progress' }).getByRole('alert');
    await alert.waitFor();
    return (await alert.textContent()) ?? '';
  };
  const sentBy = (wallet: FakeWallet) => wallet.calls.filter(({ method }) => method === 'eth_sendTransaction');

  it('buys and sells with the test wallet, down to the indexed trade', async () => {
    const one = await open();
    const { page } = one;
    const bodies: string[] = [];
    page.on('request', (request) => bodies.push(request.postData() ?? ''));
    await connectWallet(page, /Use a test wallet/);
    await page.getByText('Test wallet', { exact: true }).waitFor();
    const account = (await page.locator('.wallet .copy').getAttribute('data-tip')) ?? '';
    await page.getByRole('slider', { name: 'Tickets' }).fill('2');
    const cost = buyQuote(await supplyNow(), 2n, FEES).total;
    await page.getByText(etherText(cost)).waitFor();
    const bound = etherText(withBuySlippage(cost, 100n));
    await page.getByText(bound).first().waitFor();
    await page.getByRole('button', { name: 'Buy 2 tickets' }).click();
    await eventually(async () => (await page.locator('.steps .done').count()) === 4, 'the purchase is not indexed');
    expect(await page.locator('.steps li').count()).to.equal(4);
    await page.getByText('The tickets are bought.').waitFor({ state: 'attached' });
    await eventually(async () => (await heldOf(page).textContent()) === '2', 'the wallet does not show its tickets');
    const [bought] = await tradesOf(account);
    expect(bought).to.include({ type: 'BUY', amount: 2, total: String(cost), agentAddress: site.juniper });
    await page.getByRole('region', { name: 'Activity' }).getByText(shortHex(account)).first().waitFor();

    await page.getByRole('button', { name: 'Sell', exact: true }).click();
    expect(await page.getByRole('slider', { name: 'Tickets' }).getAttribute('max')).to.equal('2');
    await page.getByRole('slider', { name: 'Tickets' }).fill('1');
    await page.getByRole('button', { name: 'Sell 1 ticket' }).click();
    await page.getByText('The tickets are sold.').waitFor({ state: 'attached' });
    await eventually(async () => (await heldOf(page).textContent()) === '1', 'the wallet still shows the ticket sold');
    const [sold] = await tradesOf(account);
    expect(sold).to.include({ type: 'SELL', amount: 1 });
    expect(await accessibilityViolations(page)).to.deep.equal([]);
    expect(one.complaints).to.deep.equal([]);
    expect(foreign(one, site.service.url)).to.deep.equal([]);
    // The key is in one place, and the service never gets it.
    const stored = await page.evaluate('JSON.stringify([{ ...localStorage }, { ...sessionStorage }, document.cookie])');
    const [, key = ''] = /^\[\{"test-wallet-key":"([0-9a-f]{64})"\},\{\},""\]$/.exec(stored as string) ?? [];
    expect(computeAddress(`0x${key}`).toLowerCase()).to.equal(account);
    expect(bodies.length).to.be.above(0);
    expect(bodies.join()).to.include(account.slice(2)).and.not.include(key);
    expect(one.requested.join()).to.not.include(key);
  });

  type Row = Readonly<Record<'type' | 'total' | 'agentAddress', string>> & { readonly amount: number };
  async function tradesOf(trader: string): Promise<Row[]> {
    const query = `{ trades(trader: "${trader}", first: 5) { nodes { type amount total agentAddress } } }`;
    const answer = await ask(site.service.url, 'POST', '/graphql', { body: { query } });
    return (answer.body.data as { trades: { nodes: Row[] } }).trades.nodes;
  }

  it('trades with a wallet of the browser, whose name stays text and whose icon is not loaded', async () => {
    const { trader, wallet } = await newWallet();
    const one = await open(wallet);
    const now = site.service.deps.clock.now();
    await one.page.clock.setFixedTime(now);
    const before = await timeOfChain();
    await connectWallet(one.page, WALLET_NAME);
    await one.page.locator('.wallet-name bdi', { hasText: WALLET_NAME }).waitFor();
    await one.page.getByRole('button', { name: 'Buy 1 ticket' }).click();
    await one.page.getByText('The tickets are bought.').waitFor({ state: 'attached' });
    const [sent] = sentBy(wallet);
    const { to = '', data = '', value = '0' } = (sent?.params[0] ?? {}) as Record<string, string>;
    expect(to).to.equal(site.service.deps.market.contract.toLowerCase());
    const call = ticketMarket.parseTransaction({ data, value: BigInt(value) });
    expect(call?.signature).to.equal('buyTickets(address,uint256,uint256,uint256)');
    expect(call?.args[2]).to.equal(BigInt(value));
    const lifetime = 600;
    const [earliest, latest] = [before, await timeOfChain()].map((time) => Math.max(time, now.getTime() / 1000));
    expect(Number(call?.args[3]) - lifetime).to.be.within(Math.floor(earliest ?? 0), latest ?? 0);
    expect((await tradesOf(trader.wallet))[0]).to.include({ type: 'BUY', amount: 1 });
    expect(await one.page.evaluate('window.hacked')).to.equal(undefined);
    expect(one.complaints).to.deep.equal([]);
    expect(foreign(one, site.service.url)).to.deep.equal([]);
  });

  it('says that the wallet refuses, the connection as well as the transaction', async () => {
    const { wallet } = await newWallet();
    const refused = { error: { code: 4001, message: 'User rejected' } };
    wallet.intercept = async ({ method }) => (method === 'eth_requestAccounts' ? refused : undefined);
    const { page, complaints } = await open(wallet);
    await page.getByRole('button', { name: 'Connect a wallet' }).click();
    await page.getByRole('button', { name: WALLET_NAME }).click();
    await page.getByRole('alert').getByText('You refused the request in the wallet').waitFor();
    wallet.intercept = async ({ method }) => (method === 'eth_sendTransaction' ? refused : undefined);
    await page.getByRole('button', { name: WALLET_NAME }).click();
    await page.getByRole('button', { name: 'Buy 1 ticket' }).click();
    expect(await failure(page)).to.include('You refused the request in the wallet. Nothing was sent.');
    expect(await page.locator('.steps .failed').textContent()).to.include('Sign in the wallet');
    // After the refusal, the form accepts another trade.
    wallet.intercept = async () => undefined;
    await page.getByRole('button', { name: 'Buy 1 ticket' }).click();
    await page.getByText('The tickets are bought.').waitFor({ state: 'attached' });
    expect(complaints).to.deep.equal([]);
  });

  it('offers the switch on a wrong chain, and adds a chain that the wallet does not know', async () => {
    const { wallet } = await newWallet();
    const { chainId, rpcUrl } = site.service.deps.market;
    wallet.chainId = 1;
    wallet.knows.delete(chainId);
    const { page } = await open(wallet);
    await connectWallet(page, WALLET_NAME);
    await page.getByText(`The wallet uses chain 1. This market is on chain ${chainId}.`).waitFor();
    expect(await page.getByRole('button', { name: /^Buy \d/ }).count()).to.equal(0);
    expect(await accessibilityViolations(page)).to.deep.equal([]);
    await page.getByRole('button', { name: 'Switch the network' }).click();
    await page.getByRole('button', { name: 'Buy 1 ticket' }).waitFor();
    const added = wallet.calls.find(({ method }) => method === 'wallet_addEthereumChain')?.params[0];
    expect(added).to.include({ chainId: `0x${chainId.toString(16)}` });
    expect((added as { rpcUrls: string[] }).rpcUrls).to.deep.equal([rpcUrl]);
    await page.getByRole('button', { name: 'Buy 1 ticket' }).click();
    await page.getByText('The tickets are bought.').waitFor({ state: 'attached' });
  });

  it('says why a transaction was reverted in its block', async () => {
    const { wallet } = await newWallet();
    const { trader: rival } = await newWallet();
    // Another purchase comes first and raises the price beyond the tolerance.
    wallet.intercept = async ({ method }) => {
      if (method === 'eth_sendTransaction') await rival.buy(site.juniper, 5);
      return undefined;
    };
    const { page } = await open(wallet);
    await connectWallet(page, WALLET_NAME);
    await page.getByRole('button', { name: 'Buy 1 ticket' }).click();
    const sentence = await failure(page);
    expect(sentence)
      .to.include('changed nothing except the network fee')
      .and.match(/The price has risen: the tickets cost .*\sETH/);
    expect(await page.locator('.steps .failed').textContent()).to.include('Wait for a block');
    expect(await heldOf(page).textContent()).to.equal('0');
  });

  it('asks again if the price has moved beyond the tolerance before the wallet is asked', async () => {
    const { wallet } = await newWallet();
    const { trader: rival } = await newWallet();
    const { page } = await open(wallet);
    await connectWallet(page, WALLET_NAME);
    await page.route('**/graphql', async (route) => {
      const { query } = route.request().postDataJSON() as { query: string };
      if (query.startsWith('query Order')) await rival.buy(site.juniper, 5);
      await route.continue();
    });
    await page.getByRole('button', { name: 'Buy 1 ticket' }).click();
    expect(await failure(page)).to.include('The price has moved to');
    expect(sentBy(wallet)).to.deep.equal([]);
    await page.unroute('**/graphql');
    await page.getByRole('button', { name: 'Buy 1 ticket' }).click();
    await page.getByText('The tickets are bought.').waitFor({ state: 'attached' });
  });

  it('shows the address of the contract that it calls', async () => {
    const { page } = await open();
    const { contract } = site.service.deps.market;
    await page.locator(`.breakdown [data-tip="${contract}"]`).waitFor();
  });

  const OTHER = `0x${'12'.repeat(20)}`;
  for (const [what, change, from, expected] of [
    [
      'another address than the page',
      { address: OTHER },
      /^query Order/,
      'names another contract than the one on this',
    ],
    ['another contract from the start', { address: OTHER }, /^query/, 'does not quote the price of this market'],
    ['an address that is none', { address: '0x12' }, /^query/, 'The address of the contract is not valid'],
    ['another ABI', { abi: '[]' }, /^query Order/, 'lacks the function that this page calls'],
  ] as const) {
    it(`does not ask the wallet if the service names ${what}`, async () => {
      const { wallet } = await newWallet();
      const { page } = await open({
        ...wallet,
        prepare: async (context) => {
          await wallet.prepare(context);
          await withoutFirstAnswer(context);
          await context.route('**/graphql', async (route) => {
            const { query } = route.request().postDataJSON() as { query: string };
            if (!from.test(query)) return route.continue();
            const response = await route.fetch();
            const json = (await response.json()) as { data: { contract?: object } };
            if (json.data.contract) Object.assign(json.data.contract, change);
            return route.fulfill({ response, json });
          });
        },
      });
      await connectWallet(page, WALLET_NAME);
      await page.getByRole('button', { name: 'Buy 1 ticket' }).click();
      expect(await failure(page)).to.include(expected);
      expect(sentBy(wallet)).to.deep.equal([]);
    });
  }

  it('refuses what would fail before the wallet is asked', async () => {
    const { trader, wallet } = await newWallet();
    await site.provider.send('anvil_setBalance', [trader.wallet, '0x1']);
    const { page } = await open(wallet);
    await connectWallet(page, WALLET_NAME);
    await page.getByText('The wallet has <0.00000001 ETH. This purchase needs up to').waitFor();
    expect(await page.getByRole('button', { name: 'Buy 1 ticket' }).getAttribute('aria-disabled')).to.equal('true');
    await page.getByRole('button', { name: 'Sell', exact: true }).click();
    await page.getByText('This wallet holds too few tickets of the agent.').waitFor();
    await page.getByRole('textbox', { name: 'Slippage' }).fill('51');
    await page.getByText('Write a percentage from 0 to 50').waitFor();
  });

  it('follows the wallet to another account, and forgets a wallet that withdraws', async () => {
    const { page } = await open();
    await page.getByRole('button', { name: 'Connect a wallet' }).click();
    await page.getByText('No wallet has announced itself').waitFor();
    const detail = `{ info: { uuid: 'late', name: 'Late Wallet' }, provider: {
      request: async ({ method }) => method === 'eth_requestAccounts' ? ['0x' + 'ab'.repeat(20)] : '0x1',
      on: (event, listener) => { window['tell_' + event] = listener; },
    } }`;
    await page.evaluate(`window.dispatchEvent(new CustomEvent('eip6963:announceProvider', { detail: ${detail} }))`);
    await page.getByRole('button', { name: 'Late Wallet' }).click();
    await page.getByText('0xabab…abab').waitFor();
    await page.evaluate(`window.tell_accountsChanged(['0x' + 'cd'.repeat(20)])`);
    await page.getByText('0xcdcd…cdcd').waitFor();
    await page.evaluate('window.tell_accountsChanged([])');
    await page.getByRole('button', { name: 'Connect a wallet' }).waitFor();
  });
});
