// CI: it opens pages in a browser.
import { expect } from 'chai';
import type { Page } from 'playwright-core';
import { describeInBrowser, settled, type Visit } from '../../support/browser/chromium.js';
import { useVisits } from '../../support/browser/demo-site.js';
import { accessibilityViolations } from '../../support/browser/measures.js';
import {
  connectAddress,
  connectWallet,
  type FakeWallet,
  fakeWallet,
  WALLET_NAME,
} from '../../support/browser/wallet.js';
import { addListedAgent } from '../../support/market/rows.js';
import { newTrader, type Trader } from '../../support/market/traders.js';
import { eventually } from '../../support/service/process.js';
import { useWorld } from '../../support/world.js';

/** Longer than the pause between two questions for the latest block. */
const LATER = 10_000;

const setHidden = (isHidden: boolean) => `
  Object.defineProperty(document, 'hidden', { configurable: true, value: ${isHidden} });
  document.dispatchEvent(new Event('visibilitychange'));
`;

describeInBrowser('the balance of the connected wallet', (browser) => {
  const world = useWorld({ RATE_LIMITS: 'off' });
  const openUrl = useVisits(browser, () => world.url);
  before(() => addListedAgent(world, { agentId: 'ada' }, { agentId: 'ada', supply: 9 }));

  let trader: Trader;
  let wallet: FakeWallet;
  beforeEach(async () => {
    trader = await newTrader(world.chain);
    wallet = fakeWallet(trader, world.deps.market);
  });
  const asked = (method: string) => wallet.calls.filter((call) => call.method === method).length;
  const standStill = () => {
    wallet.intercept = async ({ method }) => (method === 'eth_blockNumber' ? { result: '0x7' } : undefined);
  };
  const shows = (page: Page, eth: string) => page.locator('.wallet-figures dd').first().getByText(eth).waitFor();
  /** Changes the balance without a block. */
  const setBalance = (eth: bigint) =>
    world.chain.provider.send('anvil_setBalance', [trader.wallet, `0x${(eth * 10n ** 18n).toString(16)}`]);
  /** The page of an agent with the connected wallet, which has 100 ETH. The clock of the page stands until the test turns it. */
  const open = (path = '/agents/ada'): Promise<Visit> =>
    openUrl(path, {
      prepare: async (context) => {
        await context.clock.install();
        await wallet.prepare(context);
      },
    });
  async function openConnected(): Promise<Visit> {
    const one = await open();
    await connectWallet(one.page, WALLET_NAME);
    await shows(one.page, '100 ETH');
    await eventually(() => asked('eth_blockNumber') > 0, 'the wallet was not asked for its block');
    await settled(one);
    return one;
  }

  it('is read again on a new block, and not before', async () => {
    const { page } = await openConnected();
    await setBalance(7n);
    const reads = asked('eth_getBalance');
    const blocks = asked('eth_blockNumber');
    await page.clock.runFor(LATER);
    await eventually(() => asked('eth_blockNumber') > blocks, 'the wallet was not asked for its block');
    await page.evaluate('window.drawn()');
    expect(asked('eth_getBalance')).to.equal(reads);
    await world.chain.provider.send('evm_mine', []);
    await page.clock.runFor(LATER);
    await shows(page, '7 ETH');
  });

  it('needs no questions for blocks while the page is hidden', async () => {
    const { page } = await openConnected();
    await page.evaluate(setHidden(true));
    await page.clock.runFor(LATER);
    await page.evaluate('window.drawn()');
    const blocks = asked('eth_blockNumber');
    await page.clock.runFor(LATER);
    await page.evaluate('window.drawn()');
    expect(asked('eth_blockNumber')).to.equal(blocks);
    await page.evaluate(setHidden(false));
    await eventually(() => asked('eth_blockNumber') > blocks, 'the wallet was not asked for its block');
  });

  for (const [what, happen] of [
    ['when the window has the focus again', `window.dispatchEvent(new Event('focus'))`],
    ['when the tab is visible again', setHidden(true) + setHidden(false)],
  ] as const) {
    it(`is read again ${what}`, async () => {
      standStill();
      const { page } = await openConnected();
      await setBalance(7n);
      await page.evaluate(happen);
      await shows(page, '7 ETH');
    });
  }

  it('is read again after a transfer from the faucet, which every wallet on the embedded chain has', async () => {
    standStill();
    const one = await openConnected();
    await one.page.getByRole('button', { name: 'Get 1 test ETH' }).click();
    await shows(one.page, '101 ETH');
    await one.page.getByText('The faucet sent 1 test ETH').first().waitFor();
    expect(await accessibilityViolations(one.page)).to.deep.equal([]);
    expect(one.complaints).to.deep.equal([]);
  });

  it('grows by the faucet for the test wallet, too', async () => {
    const { page } = await open();
    await connectWallet(page, /Use a test wallet/);
    await shows(page, '1 ETH');
    await page.getByRole('button', { name: 'Get 1 test ETH' }).click();
    await shows(page, '2 ETH');
  });

  it('stays if the faucet refuses, and the page says why', async () => {
    const { page } = await openConnected();
    const json = { success: false, error: 'Too many requests', hint: 'Wait 20 seconds' };
    await page.route('**/dev/faucet', (route) => route.fulfill({ status: 429, json }));
    await page.getByRole('button', { name: 'Get 1 test ETH' }).click();
    await page.getByRole('alert').getByText('The faucet answered: Too many requests. Wait 20 seconds').waitFor();
    await page.unroute('**/dev/faucet');
    await page.getByRole('button', { name: 'Get 1 test ETH' }).click();
    await shows(page, '101 ETH');
    expect(await page.getByRole('alert').count()).to.equal(0);
  });

  it('has a faucet in the portfolio as well, and none on another chain', async () => {
    const { page } = await open('/portfolio');
    await connectAddress(page, trader.wallet);
    await page.getByRole('button', { name: 'Get 1 test ETH' }).click();
    await page.getByText('The faucet sent 1 test ETH').first().waitFor();
    await page.getByRole('button', { name: 'Disconnect' }).click();
    await page.route('**/health', (route) => route.fulfill({ json: { status: 'ok' } }));
    await connectWallet(page, WALLET_NAME);
    expect(await page.getByRole('button', { name: 'Get 1 test ETH' }).count()).to.equal(0);
  });
});
