// CI: it opens pages in a browser.
import { expect } from 'chai';
import type { BrowserContext, Page } from 'playwright-core';
import { describeInBrowser, settled, type Visit } from '../../support/browser/chromium.js';
import { useVisits } from '../../support/browser/demo-site.js';
import { expectLittleShift } from '../../support/browser/measures.js';
import {
  connectAddress,
  connectWallet,
  type FakeWallet,
  fakeWallet,
  WALLET_NAME,
} from '../../support/browser/wallet.js';
import { addListedAgent } from '../../support/market/rows.js';
import { newTrader } from '../../support/market/traders.js';
import { eventually } from '../../support/service/process.js';
import { useWorld } from '../../support/world.js';

/** Takes the storage of the page away, as a setting of the browser does. */
const NO_STORAGE = `Object.defineProperty(window, 'localStorage', { get() { throw new DOMException('', 'SecurityError'); } })`;

/** A request like the one that follows the answer of a wallet, and what the page draws after it. */
const LATER = 'fetch("/health").then(() => window.drawn())';

const OTHER = `0x${'ab'.repeat(20)}`;

const isConnected = (page: Page) => page.getByRole('button', { name: 'Disconnect' }).waitFor();
const isAlone = (page: Page) => page.getByRole('button', { name: 'Connect a wallet' }).waitFor();
const accountOf = (page: Page) => page.locator('.wallet .copy').getAttribute('data-tip');

describeInBrowser('the wallet of the last visit', (browser) => {
  const world = useWorld({ RATE_LIMITS: 'off' });
  const openUrl = useVisits(browser, () => world.url);
  before(() => addListedAgent(world, { agentId: 'ada' }, { agentId: 'ada', supply: 9 }));

  let wallet: FakeWallet;
  beforeEach(async () => {
    wallet = fakeWallet(await newTrader(world.chain), world.deps.market);
  });
  const methods = () => wallet.calls.map(({ method }) => method);
  const open = (path = '/portfolio', prepare?: (context: BrowserContext) => Promise<unknown>): Promise<Visit> =>
    openUrl(path, {
      prepare: async (context) => {
        await wallet.prepare(context);
        await prepare?.(context);
      },
    });
  /** A page on which the user has connected the wallet. The calls after that are those of the next visit. */
  async function openConnected(): Promise<Visit> {
    const one = await open();
    expect(methods(), 'calls before the user has chosen a wallet').to.deep.equal([]);
    await connectWallet(one.page, WALLET_NAME);
    await settled(one);
    wallet.calls.length = 0;
    return one;
  }
  const newTab = async ({ page }: Visit, path: string): Promise<Page> => {
    const tab = await page.context().newPage();
    await tab.goto(world.url + path);
    return tab;
  };
  const ways: readonly (readonly [way: string, go: (one: Visit) => Promise<Page>])[] = [
    ['after a reload', async ({ page }) => page.reload().then(() => page)],
    ['in a new tab', (one) => newTab(one, '/portfolio')],
    ['by a deep link', (one) => newTab(one, '/agents/ada/trade?side=buy&amount=3')],
  ];

  for (const [way, go] of ways) {
    it(`connects ${way}, and opens no dialog`, async () => {
      const one = await openConnected();
      const account = await accountOf(one.page);
      const page = await go(one);
      await isConnected(page);
      expect(await accountOf(page)).to.equal(account);
      expect(methods()).to.include('eth_accounts').and.not.include('eth_requestAccounts');
      expect(one.complaints).to.deep.equal([]);
    });

    it(`is the same test wallet ${way}, until the user disconnects`, async () => {
      const one = await open();
      await connectWallet(one.page, /Use a test wallet/);
      const account = await accountOf(one.page);
      const page = await go(one);
      await isConnected(page);
      expect(await accountOf(page)).to.equal(account);
      await page.getByRole('button', { name: 'Disconnect' }).click();
      expect(await page.evaluate('({ ...localStorage })')).to.deep.equal({});
      await page.reload();
      await connectWallet(page, /Use a test wallet/);
      expect(await accountOf(page)).to.not.equal(account);
    });
  }

  it('keeps the order of the deep link, and moves little', async () => {
    const page = await newTab(await openConnected(), '/agents/ada/trade?side=buy&amount=3');
    await isConnected(page);
    await page.getByRole('button', { name: 'Buy 3 tickets' }).waitFor();
    await expectLittleShift(page, 0.05);
  });

  it('stays disconnected without a message if it gives no account, and connects when it gives one again', async () => {
    const { page, complaints } = await openConnected();
    wallet.intercept = async ({ method }) => (method === 'eth_accounts' ? { result: [] } : undefined);
    await page.reload();
    await eventually(() => methods().includes('eth_accounts'), 'the wallet was not asked');
    await page.evaluate(LATER);
    await isAlone(page);
    expect(methods()).to.deep.equal(['eth_accounts']);
    expect(await page.getByRole('alert').count()).to.equal(0);
    wallet.intercept = async () => undefined;
    await page.reload();
    await isConnected(page);
    expect(complaints).to.deep.equal([]);
  });

  it('is forgotten when the user disconnects', async () => {
    const { page } = await openConnected();
    await page.getByRole('button', { name: 'Disconnect' }).click();
    await page.reload();
    await page.getByRole('button', { name: 'Connect a wallet' }).click();
    await page.getByRole('button', { name: WALLET_NAME }).waitFor();
    expect(methods()).to.deep.equal([]);
  });

  it('is forgotten when the user connects another wallet, which has no name to remember', async () => {
    const { page } = await openConnected();
    wallet.intercept = async ({ method }) => (method === 'eth_accounts' ? { result: [] } : undefined);
    await page.reload();
    await connectAddress(page, OTHER);
    await isConnected(page);
    wallet.calls.length = 0;
    await page.reload();
    await page.getByRole('button', { name: 'Connect a wallet' }).click();
    await page.getByRole('button', { name: WALLET_NAME }).waitFor();
    expect(methods()).to.deep.equal([]);
  });

  it('does not replace the wallet that the user has connected meanwhile', async () => {
    const { page } = await openConnected();
    const gate = Promise.withResolvers<undefined>();
    wallet.intercept = ({ method }) => (method === 'eth_accounts' ? gate.promise : Promise.resolve(undefined));
    await page.reload();
    await eventually(() => methods().includes('eth_accounts'), 'the wallet was not asked');
    await connectAddress(page, OTHER);
    await page.getByText('0xabab…abab').waitFor();
    gate.resolve(undefined);
    await eventually(() => methods().includes('eth_chainId'), 'the wallet did not answer');
    await page.evaluate(LATER);
    await page.getByText('0xabab…abab').waitFor();
  });

  it('does not bring the test wallet back, or fill a new one, after the user has connected another wallet', async () => {
    const { page, requested } = await open('/portfolio');
    await connectWallet(page, /Use a test wallet/);
    const gate = Promise.withResolvers<void>();
    await page.route('**/assets/test-wallet*', async (route) => {
      await gate.promise;
      await route.continue();
    });
    await page.reload();
    await connectAddress(page, OTHER);
    await page.getByText('0xabab…abab').waitFor();
    const faucets = () => requested.filter(({ pathname }) => pathname === '/dev/faucet').length;
    const before = faucets();
    const loaded = page.waitForResponse('**/assets/test-wallet*');
    gate.resolve();
    await (await loaded).finished();
    await page.evaluate(LATER);
    await page.getByText('0xabab…abab').waitFor();
    expect(await page.evaluate('localStorage.length')).to.equal(0);
    expect(faucets()).to.equal(before);
  });

  it('is the wallet of one visit where the browser blocks storage', async () => {
    const one = await open('/portfolio', (context) => context.addInitScript({ content: NO_STORAGE }));
    const { page } = one;
    await connectWallet(page, WALLET_NAME);
    await page.reload();
    await isAlone(page);
    await connectWallet(page, WALLET_NAME);
    expect(one.complaints).to.deep.equal([]);
  });

  it('is no test wallet where the service has no embedded chain any more', async () => {
    const { page } = await open();
    await connectWallet(page, /Use a test wallet/);
    const answered = page.waitForResponse('**/dev/rpc');
    await page.route('**/dev/rpc', (route) =>
      route.fulfill({ status: 404, json: { success: false, error: 'Not found' } }),
    );
    await page.route('**/health', (route) => route.fulfill({ json: { status: 'ok' } }));
    await page.reload();
    await answered;
    await page.evaluate(LATER);
    await isAlone(page);
  });
});
