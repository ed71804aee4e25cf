import { expect } from 'chai';
import type { BrowserContext, Page } from 'playwright-core';
import { settled, type Visit } from '../../../support/browser/chromium.js';
import { describeOnWorld } from '../../../support/browser/demo-site.js';
import { accessibilityViolations, expectLittleShift } from '../../../support/browser/measures.js';
import { connectAddress, connectWallet, type FakeWallet, fakeWallet, WALLET_NAME } from '../../../support/browser/wallet.js';
import { addListedAgent } from '../../../support/market/rows.js';
import { newTrader, type Trader } from '../../../support/market/traders.js';
import { eventually } from '../../../support/service/process.js';

/** Makes the storage of the page throw, as a setting of the browser does. */
const NO_STORAGE = `Object.defineProperty(window, 'localStorage', { get() { throw new DOMException('', 'SecurityError'); } })`;

/** Sends a request like the one that follows the answer of a wallet, and waits until the page has drawn after it. */
const ANSWERED = 'fetch("/health").then(() => window.drawn())';

/** Milliseconds that are more than the pause between two questions for the latest block. */
const LATER = 10_000;

const OTHER = `0x${'ab'.repeat(20)}`;
const TEST_WALLET = 'Use a test wallet';

const setHidden = (isHidden: boolean) => `
  Object.defineProperty(document, 'hidden', { configurable: true, value: ${isHidden} });
  document.dispatchEvent(new Event('visibilitychange'));
`;

const isConnected = (page: Page) => page.getByRole('button', { name: 'Disconnect' }).waitFor();
const isAlone = (page: Page) => page.getByRole('button', { name: 'Connect a wallet' }).waitFor();
const isOther = (page: Page) => page.locator('.wallet').getByText('0xabab…abab').waitFor();
const accountOf = (page: Page) => page.locator('.wallet .copy').getAttribute('data-tip');
const getEther = (page: Page) => page.getByRole('button', { name: 'Get 1 test ETH' });

describeOnWorld('the wallet of the page', { RATE_LIMITS: 'off' }, (world, openUrl) => {
  before(() => addListedAgent(world, { agentId: 'ada' }, { agentId: 'ada', supply: 9 }));

  let trader: Trader;
  let wallet: FakeWallet;
  beforeEach(async () => {
    trader = await newTrader(world.chain);
    wallet = fakeWallet(trader, world.deps.chain);
  });
  const methods = () => wallet.calls.map(({ method }) => method);
  const asked = (method: string) => methods().filter((one) => one === method).length;
  const open = (path = '/portfolio', prepare?: (context: BrowserContext) => Promise<unknown>): Promise<Visit> =>
    openUrl(path, {
      prepare: async (context) => {
        await wallet.prepare(context);
        await prepare?.(context);
      },
    });

  /** Lets the wallet report the same block each time, so that no new block makes the page read the balance. */
  const standStill = () => {
    wallet.intercept = async ({ method }) => (method === 'eth_blockNumber' ? { result: '0x7' } : undefined);
  };
  const shows = (page: Page, eth: string) => page.locator('.wallet-figures dd').first().getByText(eth).waitFor();
  /** Changes the balance without mining a block. */
  const setBalance = (eth: bigint) =>
    world.chain.provider.send('anvil_setBalance', [trader.wallet, `0x${(eth * 10n ** 18n).toString(16)}`]);
  const asksAgain = (blocks: number) =>
    eventually(() => asked('eth_blockNumber') > blocks, 'the wallet was not asked for its block');
  /** Opens the page of an agent with the connected wallet, which has 100 ETH. The test controls the clock of the page. */
  async function openBalance(): Promise<Page> {
    const one = await open('/agents/ada', (context) => context.clock.install());
    await connectWallet(one.page, WALLET_NAME);
    await shows(one.page, '100 ETH');
    await asksAgain(0);
    await settled(one);
    return one.page;
  }

  it('shows its balance anew on a new block, and not before', async () => {
    const page = await openBalance();
    await setBalance(7n);
    const reads = asked('eth_getBalance');
    const blocks = asked('eth_blockNumber');
    await page.clock.runFor(LATER);
    await asksAgain(blocks);
    await page.evaluate('window.drawn()');
    expect(asked('eth_getBalance')).to.equal(reads);
    await world.chain.provider.send('evm_mine', []);
    await page.clock.runFor(LATER);
    await shows(page, '7 ETH');
  });

  it('is not asked for blocks while the page is hidden', async () => {
    const page = await openBalance();
    await page.evaluate(setHidden(true));
    await page.clock.runFor(LATER);
    await page.evaluate('window.drawn()');
    const blocks = asked('eth_blockNumber');
    await page.clock.runFor(LATER);
    await page.evaluate('window.drawn()');
    expect(asked('eth_blockNumber')).to.equal(blocks);
    await page.evaluate(setHidden(false));
    await asksAgain(blocks);
  });

  for (const [what, happen] of [
    ['when the window has the focus again', `window.dispatchEvent(new Event('focus'))`],
    ['when the tab is visible again', setHidden(true) + setHidden(false)],
  ] as const) {
    it(`shows its balance anew ${what}`, async () => {
      standStill();
      const page = await openBalance();
      await setBalance(7n);
      await page.evaluate(happen);
      await shows(page, '7 ETH');
    });
  }

  it('keeps its balance when the faucet refuses, with a message, and shows a new one when the faucet sends', async () => {
    standStill();
    const page = await openBalance();
    const json = { success: false, error: 'Too many requests', hint: 'Wait 20 seconds' };
    await page.route('**/dev/faucet', (route) => route.fulfill({ status: 429, json }));
    await getEther(page).click();
    await page.getByRole('alert').getByText('The faucet answered: Too many requests. Wait 20 seconds').waitFor();
    await page.unroute('**/dev/faucet');
    await getEther(page).click();
    await shows(page, '101 ETH');
    await page.getByText('The faucet sent 1 test ETH').first().waitFor();
    expect(await page.getByRole('alert').count()).to.equal(0);
    expect(await accessibilityViolations(page)).to.deep.equal([]);
  });

  it('has a faucet as a test wallet in the portfolio, and none without an embedded chain', async () => {
    const { page } = await open('/portfolio');
    await connectWallet(page, TEST_WALLET);
    await getEther(page).click();
    await page.getByText('The faucet sent 1 test ETH').first().waitFor();
    await page.getByRole('button', { name: 'Disconnect' }).click();
    await page.getByRole('button', { name: 'Delete the key' }).click();
    // Without `rpcUrl`, this is the answer of a service whose chain is not embedded.
    await page.route('**/health', (route) => route.fulfill({ json: { status: 'ok' } }));
    await connectWallet(page, WALLET_NAME);
    expect(await getEther(page).count()).to.equal(0);
  });

  /** Opens a page, and connects the wallet as a user does. Later calls in `wallet.calls` are those of the next visit. */
  async function openConnected(name = WALLET_NAME): Promise<Page> {
    const one = await open();
    expect(methods(), 'calls before the user has chosen a wallet').to.deep.equal([]);
    await connectWallet(one.page, name);
    await settled(one);
    wallet.calls.length = 0;
    return one.page;
  }
  const newTab = async (page: Page, path: string): Promise<Page> => {
    const tab = await page.context().newPage();
    await tab.goto(world.url + path);
    return tab;
  };
  /** Makes the wallet return no account, as a locked wallet does. */
  const lock = () => {
    wallet.intercept = async ({ method }) => (method === 'eth_accounts' ? { result: [] } : undefined);
  };
  const isAsked = (method: string) => eventually(() => methods().includes(method), 'the wallet was not asked');
  const ways: readonly (readonly [way: string, go: (page: Page) => Promise<Page>])[] = [
    ['after a reload', (page) => page.reload().then(() => page)],
    ['in a new tab', (page) => newTab(page, '/portfolio')],
    [
      'by a deep link, which keeps its order and moves little',
      async (page) => {
        const tab = await newTab(page, '/agents/ada/trade?side=buy&amount=3');
        await tab.getByRole('button', { name: 'Buy 3 tickets' }).waitFor();
        await expectLittleShift(tab, 0.05);
        return tab;
      },
    ],
  ];

  for (const [way, go] of ways) {
    for (const name of [WALLET_NAME, TEST_WALLET]) {
      it(`connects ${way}, and opens no dialog: ${name}`, async () => {
        const first = await openConnected(name);
        const account = await accountOf(first);
        const page = await go(first);
        await isConnected(page);
        expect(await accountOf(page)).to.equal(account);
        expect(new Set(methods())).to.not.include('eth_requestAccounts');
      });
    }
  }

  it('stays disconnected without a message if it gives no account, and connects when it gives one again', async () => {
    const page = await openConnected();
    lock();
    await page.reload();
    await isAsked('eth_accounts');
    await page.evaluate(ANSWERED);
    await isAlone(page);
    expect(methods()).to.deep.equal(['eth_accounts']);
    expect(await page.getByRole('alert').count()).to.equal(0);
    wallet.intercept = async () => undefined;
    await page.reload();
    await isConnected(page);
  });

  const isForgotten = async (page: Page) => {
    wallet.calls.length = 0;
    await page.reload();
    await page.getByRole('button', { name: 'Connect a wallet' }).click();
    await page.getByRole('button', { name: WALLET_NAME }).waitFor();
    expect(methods()).to.deep.equal([]);
  };

  it('is forgotten when the user disconnects', async () => {
    const page = await openConnected();
    await page.getByRole('button', { name: 'Disconnect' }).click();
    await isForgotten(page);
  });

  it('is forgotten when the user connects another wallet, which has no name to remember', async () => {
    const page = await openConnected();
    lock();
    await page.reload();
    await connectAddress(page, OTHER);
    await isConnected(page);
    await isForgotten(page);
  });

  it('does not replace the wallet that the user has connected meanwhile', async () => {
    const page = await openConnected();
    const gate = Promise.withResolvers<undefined>();
    wallet.intercept = ({ method }) => (method === 'eth_accounts' ? gate.promise : Promise.resolve(undefined));
    await page.reload();
    await isAsked('eth_accounts');
    await connectAddress(page, OTHER);
    await isOther(page);
    gate.resolve(undefined);
    await isAsked('eth_chainId');
    await page.evaluate(ANSWERED);
    await isOther(page);
  });

  it('stays the one that the user connects while the test wallet still loads, and fills no new test wallet', async () => {
    const { page, requested } = await open();
    await connectWallet(page, TEST_WALLET);
    const account = await accountOf(page);
    const gate = Promise.withResolvers<void>();
    await page.route('**/assets/test-wallet*', async (route) => {
      await gate.promise;
      await route.continue();
    });
    await page.reload();
    await connectAddress(page, OTHER);
    await isOther(page);
    const faucets = () => requested.filter(({ pathname }) => pathname === '/dev/faucet').length;
    const before = faucets();
    const loaded = page.waitForResponse('**/assets/test-wallet*');
    gate.resolve();
    await (await loaded).finished();
    await page.evaluate(ANSWERED);
    await isOther(page);
    expect(faucets()).to.equal(before);
    // The key of the test wallet is not deleted, because it may own tickets. Only the automatic connection has ended.
    await page.reload();
    await isAlone(page);
    await connectWallet(page, TEST_WALLET);
    expect(await accountOf(page)).to.equal(account);
  });

  it('is connected for one visit only where the browser blocks storage', async () => {
    const { page } = await open('/portfolio', (context) => context.addInitScript({ content: NO_STORAGE }));
    await connectWallet(page, WALLET_NAME);
    await page.reload();
    await isAlone(page);
    await connectWallet(page, WALLET_NAME);
  });

  it('is not connected as a test wallet when the service has no embedded chain any more', async () => {
    const page = await openConnected(TEST_WALLET);
    const answered = page.waitForResponse('**/dev/rpc');
    const json = { success: false, error: 'Not found' };
    await page.route('**/dev/rpc', (route) => route.fulfill({ status: 404, json }));
    await page.route('**/health', (route) => route.fulfill({ json: { status: 'ok' } }));
    await page.reload();
    await answered;
    await page.evaluate(ANSWERED);
    await isAlone(page);
  });
});
