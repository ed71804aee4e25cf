import { readFileSync } from 'node:fs';
import { expect } from 'chai';
import { computeAddress } from 'ethers';
import type { Page } from 'playwright-core';
import { etherText } from '../../../../web/src/format/ether.js';
import { settled } from '../../../support/browser/chromium.js';
import { describeOnWorld } from '../../../support/browser/demo-site.js';
import { accessibilityViolations } from '../../../support/browser/measures.js';
import { connectWallet, fakeWallet, WALLET_NAME } from '../../../support/browser/wallet.js';
import { addListedAgent, addTrade, randomWallet } from '../../../support/market/rows.js';
import { newTrader } from '../../../support/market/traders.js';

const TEST_WALLET = 'Use a test wallet';

const accountOf = (page: Page) => page.locator('.wallet .copy').getAttribute('data-tip');
const press = (page: Page, name: string) => page.getByRole('button', { name, exact: true }).click();
const isAlone = (page: Page) => page.getByRole('button', { name: 'Connect a wallet' }).waitFor();
const dialog = (page: Page) => page.getByRole('dialog', { name: 'Disconnect the test wallet?' });
const storedKey = (page: Page) => page.evaluate(`localStorage.getItem('test-wallet-key')`);

describeOnWorld('the test wallet of the page', { RATE_LIMITS: 'off' }, (world, openUrl) => {
  before(async () => {
    const owner = await newTrader(world.chain);
    await owner.registerWithTickets('Ada', 8);
    await addListedAgent(world, { agentId: 'ada', wallet: owner.wallet }, { agentId: 'ada', supply: 9 });
  });

  async function openConnected(): Promise<Page> {
    const one = await openUrl('/portfolio');
    await connectWallet(one.page, TEST_WALLET);
    await settled(one);
    return one.page;
  }

  it('asks before its key is deleted, says what it holds, and keeps the key if the user cancels', async () => {
    const page = await openConnected();
    const trader = String(await accountOf(page));
    const agent = randomWallet();
    await addTrade(world, { agent, trader, type: 'BUY', amount: 5 });
    await addTrade(world, { agent, trader, type: 'SELL', amount: 2, costBasis: 1n, realizedPnl: 0n });
    await press(page, 'Disconnect');
    await dialog(page).getByText('The wallet holds').waitFor();
    expect(await dialog(page).getByRole('status').textContent()).to.equal(
      `The wallet holds ${etherText(10n ** 18n)} and 3 tickets.`,
    );
    expect(await accessibilityViolations(page)).to.deep.equal([]);
    for (const leave of [() => press(page, 'Cancel'), () => page.keyboard.press('Escape')]) {
      await leave();
      await dialog(page).waitFor({ state: 'detached' });
      expect(await accountOf(page)).to.equal(trader);
      await press(page, 'Disconnect');
      await dialog(page).waitFor();
    }
    await press(page, 'Delete the key');
    await isAlone(page);
    expect(await page.evaluate('({ ...localStorage })')).to.deep.equal({});
    await page.reload();
    await connectWallet(page, TEST_WALLET);
    expect(await accountOf(page)).to.not.equal(trader);
  });

  it('says in the dialog that its holdings could not be read', async () => {
    const page = await openConnected();
    await page.route('**/dev/rpc', (route) => route.abort());
    await press(page, 'Disconnect');
    await dialog(page).getByText('What the wallet holds could not be read.').waitFor();
  });

  it('saves its key in a file, from which the user connects it again', async () => {
    const page = await openConnected();
    const account = String(await accountOf(page));
    await press(page, 'Disconnect');
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      dialog(page).getByRole('link', { name: 'Save the key' }).click(),
    ]);
    expect(download.suggestedFilename()).to.equal(`curvet-test-wallet-${account.slice(0, 8)}.txt`);
    const key = readFileSync(await download.path(), 'utf8').trim();
    expect(computeAddress(key).toLowerCase()).to.equal(account);
    await press(page, 'Delete the key');
    await press(page, 'Connect a wallet');
    await page.getByText('I have saved a key').click();
    const field = page.getByLabel('Key of the test wallet');
    for (const wrong of ['', 'abc', `0x${'0'.repeat(64)}`, 'f'.repeat(64)]) {
      await field.fill(wrong);
      await press(page, 'Use this key');
      await page.getByRole('alert').getByText('This is not a key. A key has 64 hexadecimal digits.').waitFor();
      expect(await storedKey(page)).to.equal(null);
    }
    await field.fill(key);
    await press(page, 'Use this key');
    await page.getByRole('button', { name: 'Disconnect' }).waitFor();
    expect(await accountOf(page)).to.equal(account);
  });

  it('stays in this browser with its key if the user wants so, and connects no longer by itself', async () => {
    const page = await openConnected();
    const account = await accountOf(page);
    await press(page, 'Disconnect');
    await press(page, 'Disconnect and keep the key');
    await isAlone(page);
    await page.reload();
    await connectWallet(page, TEST_WALLET);
    expect(await accountOf(page)).to.equal(account);
  });

  it('says in the dialog what another tab has bought meanwhile', async () => {
    const page = await openConnected();
    await press(page, 'Disconnect');
    await dialog(page).getByText('and 0 tickets.').waitFor();
    await addTrade(world, {
      agent: randomWallet(),
      trader: String(await accountOf(page)),
      type: 'BUY',
      amount: 3,
    });
    await dialog(page).getByText('and 3 tickets.').waitFor();
  });

  /** Opens two tabs of one browser, the second one at the page of an agent. */
  async function openTabs(): Promise<[first: Page, second: Page]> {
    const { page: first } = await openUrl('/portfolio');
    const second = await first.context().newPage();
    await second.goto(`${world.url}/agents/ada`);
    await isAlone(second);
    return [first, second];
  }
  const deleteKey = async (page: Page) => {
    await press(page, 'Disconnect');
    await press(page, 'Delete the key');
  };
  /** Holds back the requests to a path whose body has the text. `held` resolves when one arrives. `release` lets them continue. */
  async function hold(page: Page, path: string, text = '') {
    const gate = Promise.withResolvers<void>();
    const held = Promise.withResolvers<void>();
    await page.route(path, async (route) => {
      if ((route.request().postData() ?? '').includes(text)) {
        held.resolve();
        await gate.promise;
      }
      await route.continue();
    });
    return { held: held.promise, release: gate.resolve };
  }

  for (const [path, text] of [
    ['**/graphql', 'query Order'],
    ['**/dev/rpc', 'eth_estimateGas'],
  ] as const) {
    it(`is the same in all tabs, and signs nothing after its key is deleted, not even a trade that runs: ${text}`, async () => {
      const [first, second] = await openTabs();
      await connectWallet(first, TEST_WALLET);
      await second.getByRole('button', { name: 'Buy 1 ticket' }).waitFor();
      expect(await accountOf(second)).to.equal(await accountOf(first));
      const request = await hold(second, path, text);
      const sent: string[] = [];
      second.on('request', (one) => sent.push(one.postData() ?? ''));
      await press(second, 'Buy 1 ticket');
      await request.held;
      await deleteKey(first);
      await isAlone(second);
      request.release();
      await second
        .getByRole('region', { name: 'Progress' })
        .getByRole('alert')
        .getByText('The test wallet is disconnected. Nothing was sent.')
        .waitFor();
      expect(sent.join()).to.not.include('eth_sendRawTransaction');
      expect(await storedKey(second)).to.equal(null);
    });
  }

  it('does not come back in a tab that was just opening it when its key was deleted', async () => {
    const [first, second] = await openTabs();
    await connectWallet(first, TEST_WALLET);
    await second.getByRole('button', { name: 'Disconnect' }).waitFor();
    const health = await hold(second, '**/health');
    await second.reload();
    await health.held;
    await deleteKey(first);
    await isAlone(first);
    health.release();
    // A later request of the page is answered and the page is drawn. So the page has also handled the delayed answer.
    await second.evaluate('fetch("/health").then(() => window.drawn())');
    await isAlone(second);
  });

  it('is the one of the other tab if both make one at the same time', async () => {
    const [first, second] = await openTabs();
    const faucet = await hold(second, '**/dev/faucet');
    await press(second, 'Connect a wallet');
    await second.getByRole('button', { name: TEST_WALLET }).click();
    await faucet.held;
    await connectWallet(first, TEST_WALLET);
    const account = await accountOf(first);
    faucet.release();
    await second.evaluate('fetch("/health").then(() => window.drawn())');
    await second.getByRole('button', { name: 'Disconnect' }).waitFor();
    expect([await accountOf(first), await accountOf(second)]).to.deep.equal([account, account]);
  });

  it('follows another tab that connects or forgets a wallet of the browser', async () => {
    const wallet = fakeWallet(await newTrader(world.chain), world.deps.chain);
    const { page: first } = await openUrl('/portfolio', { prepare: wallet.prepare });
    const second = await first.context().newPage();
    await second.goto(`${world.url}/portfolio`);
    await isAlone(second);
    await connectWallet(first, WALLET_NAME);
    await second.getByRole('button', { name: 'Disconnect' }).waitFor();
    expect(await accountOf(second)).to.equal(await accountOf(first));
    await press(second, 'Disconnect');
    await isAlone(first);
  });

  it('keeps the focus in the panel when its content is replaced', async () => {
    const { page } = await openUrl('/portfolio');
    const focused = () => page.evaluate(`document.activeElement?.closest('.wallet') !== null`);
    await press(page, 'Connect a wallet');
    await page.getByRole('button', { name: TEST_WALLET }).waitFor();
    expect(await focused(), 'after the choice has opened').to.equal(true);
    await page.getByRole('button', { name: TEST_WALLET }).click();
    await page.getByRole('button', { name: 'Disconnect' }).waitFor();
    await page.waitForFunction(`document.activeElement?.closest('.wallet')`);
    await press(page, 'Disconnect');
    await press(page, 'Delete the key');
    await isAlone(page);
    await page.waitForFunction(`document.activeElement?.closest('.wallet')`);
    // When the page connects the wallet by itself, it must not move the focus.
    await connectWallet(page, TEST_WALLET);
    await page.reload();
    await page.getByRole('button', { name: 'Disconnect' }).waitFor();
    await page.evaluate('window.drawn()');
    expect(await focused()).to.equal(false);
  });
});
