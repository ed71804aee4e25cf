import { expect } from 'chai';
import { etherText } from '../../../web/src/format/ether.js';
import { describeOnWorld } from '../../support/browser/demo-site.js';
import { accessibilityViolations, expectLittleShift } from '../../support/browser/measures.js';
import { fakeWallet, WALLET_NAME } from '../../support/browser/wallet.js';
import { newTrader } from '../../support/market/traders.js';
import { eventually } from '../../support/service/process.js';

/** Lists the faults in the layout of the header: parts that are outside of the window, that are cut, or that cover each other. */
const FAULTS = `(() => {
  const nav = document.querySelector('.top nav');
  const parts = [...document.querySelectorAll('.top :is(.brand, nav a, .search, .status, .wallet-button)')]
    .map((part) => [part.getAttribute('aria-label') ?? (part.textContent || part.className), part.getBoundingClientRect()]);
  const outside = parts.filter(([, { left, right }]) => left < 0 || right > innerWidth);
  const covered = parts.flatMap(([name, one], i) => parts.slice(i + 1)
    .filter(([, other]) => one.left < other.right - 1 && other.left < one.right - 1 && one.top < other.bottom - 1 && other.top < one.bottom - 1)
    .map(([other]) => name + ' and ' + other + ' overlap'));
  const cut = [...document.querySelectorAll('.top nav, .top nav a, .wallet-button')].filter((part) => part.scrollWidth > part.clientWidth);
  return [...outside.map(([name]) => name + ' is outside'), ...covered, ...cut.map((part) => part.textContent + ' is cut')];
})()`;

describeOnWorld('the header', { RATE_LIMITS: 'off' }, (world, open) => {
  const connected = async (path: string, width?: number) => {
    const trader = await newTrader(world.chain);
    const wallet = fakeWallet(trader, world.deps.chain);
    const one = await open(path, { prepare: wallet.prepare, ...(width && { width }) });
    const button = one.page.locator('.wallet-button');
    const dialog = one.page.getByRole('dialog', { name: 'Wallet' });
    await button.click();
    await dialog.getByRole('button', { name: WALLET_NAME }).click();
    await dialog.getByRole('button', { name: 'Disconnect' }).waitFor();
    const balance = async () => etherText(BigInt(await world.chain.provider.send('eth_getBalance', [trader.wallet, 'latest'])));
    return { ...one, trader, wallet, button, dialog, balance };
  };

  it('shows each of its parts whole, at every width from 320 to 1400 pixels, with and without a wallet', async () => {
    const { page, wallet, button, dialog, balance } = await connected('/portfolio', 320);
    await dialog.getByRole('button', { name: 'Close' }).click();
    await button.getByText(await balance()).waitFor();
    const isWhole = async () => {
      expect(await page.locator('.top nav a').count()).to.be.above(3);
      for (let width = 320; width <= 1400; width += 20) {
        await page.setViewportSize({ width, height: 800 });
        expect(await page.evaluate(FAULTS), `at ${width} pixels`).to.deep.equal([]);
      }
    };
    await isWhole();
    // Balances with long texts. The first is too small, so the page shows it as `<0.00000001`.
    for (const wei of [1n, 123_456_789_012_345n, 1_234_500_000_000_000n, 123_456n * 10n ** 18n]) {
      wallet.intercept = async ({ method }) => (method === 'eth_getBalance' ? { result: `0x${wei.toString(16)}` } : undefined);
      await page.reload();
      await button.getByText(etherText(wei)).waitFor();
      // The layout of the header changes above 560 and above 1040 pixels.
      for (const width of [320, 390, 560, 561, 1041, 1280]) {
        await page.setViewportSize({ width, height: 800 });
        expect(await page.evaluate(FAULTS), `${wei} wei at ${width} pixels`).to.deep.equal([]);
      }
    }
    await button.click();
    await dialog.getByRole('button', { name: 'Disconnect' }).click();
    await page.keyboard.press('Escape');
    await button.getByText('Connect').waitFor();
    await isWhole();
  });

  it('shows the wallet and its balance on every page, as the chain has it', async () => {
    const { page, trader, button, dialog, balance } = await connected('/feed');
    expect(await accessibilityViolations(page)).to.deep.equal([]);
    await dialog.getByRole('link', { name: 'Public page of this wallet' }).click();
    await page.waitForURL(`${world.url}/wallets/${trader.wallet}`);
    expect(await dialog.count(), 'the dialog closes').to.equal(0);
    expect(await page.evaluate('document.activeElement.id')).to.equal('main');
    for (const name of ['Market', 'Seasons', 'Developers', 'Portfolio']) {
      await page.locator('.top nav').getByRole('link', { name }).click();
      await button.getByText(await balance()).waitFor();
    }
    await page.reload();
    await button.getByText(await balance()).waitFor();
    await expectLittleShift(page, 0.01);
    const before = await balance();
    await (await trader.signer.sendTransaction({ to: `0x${'ab'.repeat(20)}`, value: 10n ** 18n })).wait();
    expect(await balance()).to.not.equal(before);
    await button.getByText(await balance()).waitFor();
  });

  it('says whether the page is live only on pages with live data', async () => {
    const { page } = await open('/');
    await page.locator('.status.live').getByText('Live', { exact: true }).waitFor();
    await page.locator('.top nav').getByRole('link', { name: 'Developers' }).click();
    await page.locator('.status.idle').waitFor({ state: 'hidden' });
    await page.locator('.top nav').getByRole('link', { name: 'Feed' }).click();
    await page.locator('.status.live').waitFor();
  });

  it('closes the dialog of the wallet at a link to the present page', async () => {
    const { page, dialog } = await connected('/portfolio');
    await dialog.getByRole('link', { name: 'Portfolio' }).click();
    await eventually(async () => (await dialog.count()) === 0, 'the dialog is open');
    expect(new URL(page.url()).pathname).to.equal('/portfolio');
  });

  it('says that the wallet is on another chain, and offers the right one', async () => {
    const { page, wallet, button, dialog, balance } = await connected('/feed');
    await dialog.getByRole('button', { name: 'Disconnect' }).click();
    wallet.chainId = 1;
    await dialog.getByRole('button', { name: WALLET_NAME }).click();
    await dialog.getByText('The wallet uses chain 1.').waitFor();
    expect(await dialog.locator('.amount').count(), 'ether of another chain').to.equal(0);
    await page.locator('.wallet-button').getByText('Other chain').waitFor();
    expect(await accessibilityViolations(page)).to.deep.equal([]);
    await dialog.getByRole('button', { name: 'Switch the network' }).click();
    await button.getByText(await balance()).waitFor();
    // A click beside the dialog closes it, and the focus returns to the button.
    await page.mouse.click(5, 700);
    await eventually(async () => (await dialog.count()) === 0, 'the dialog is open');
    expect(await page.evaluate('document.activeElement.className')).to.include('wallet-button');
  });
});
