import { expect } from 'chai';
import type { Locator, Page } from 'playwright-core';
import { etherText, weiText } from '../../../../web/src/format/ether.js';
import { inexactAmounts, openAll } from '../../../support/browser/amounts.js';
import { settled } from '../../../support/browser/chromium.js';
import { describeOnDemo, describeOnWorld } from '../../../support/browser/demo-site.js';
import { refuseFor } from '../../../support/browser/first-view.js';
import { accessibilityViolations } from '../../../support/browser/measures.js';
import { connectAddress, connectWallet, fakeWallet, giveKey, WALLET_NAME } from '../../../support/browser/wallet.js';
import { success } from '../../../support/market/agents.js';
import { addListedAgent, addLiveTrade, addTrade, randomWallet, removeTrade } from '../../../support/market/rows.js';
import type { Trader } from '../../../support/market/traders.js';
import { eventually } from '../../../support/service/process.js';
import { ask } from '../../../support/world.js';

const NAME = 'Folio Owner';

/** The texts of the accessibility tree, which Chromium gives to screen readers. */
async function spokenTexts(page: Page): Promise<string[]> {
  const session = await page.context().newCDPSession(page);
  const { nodes } = await session.send('Accessibility.getFullAXTree');
  return nodes.filter(({ ignored }) => !ignored).map(({ name }) => String(name?.value));
}

/** The exact amounts in wei from the tips of these elements. */
const weiOf = async (amounts: Locator): Promise<bigint[]> => {
  const tips = await amounts.evaluateAll((all) => all.map((one) => String((one as never as Tipped).dataset.tip)));
  return tips.map((tip) => BigInt(tip.replace('\u2212', '-').replace(/[^-\d]/g, '')));
};
type Tipped = { readonly dataset: { readonly tip: string } };

describeOnDemo('the portfolio', (site, openUrl) => {
  let trader: Trader;
  let key: string;
  before(async () => {
    trader = await site.trader();
    await trader.registerWithTickets(NAME, 3);
    const profile = { name: NAME, walletAddress: trader.wallet };
    const { agent } = success(await ask(site.service.url, 'POST', '/api/agents', { body: profile }));
    key = String((agent as Record<string, unknown>).apiKey);
    // The cost of two of three tickets is rounded down to an amount that has no short form in ETH. So an inexact figure would show.
    await trader.buy(site.juniper, 3);
    await trader.sell(site.juniper, 2);
    await eventually(async () => (await pnl()).realizedWei !== '0', 'the trades are not indexed');
  });

  type Pnl = Readonly<Record<'realizedWei' | 'unrealizedWei' | 'feesEarnedWei' | 'totalPnlWei', string>>;
  async function pnl(): Promise<Pnl> {
    const query = '{ me { pnl { summary { realizedWei unrealizedWei feesEarnedWei totalPnlWei } } } }';
    return (await site.data<{ me: { pnl: { summary: Pnl } } }>(query, key)).me.pnl.summary;
  }

  const open = () => openUrl('/portfolio', { prepare: fakeWallet(trader, site.service.deps.chain).prepare });

  it('shows the profit of an agent on its page to the exact wei, from no floating-point number', async () => {
    const own = await pnl();
    expect(BigInt(own.realizedWei) % 10n ** 9n).to.not.equal(0n);
    const { page } = await openUrl('/agents/folio_owner');
    await openAll(page);
    const { amounts, wrong } = await inexactAmounts(page);
    expect(wrong).to.deep.equal([]);
    const exact = Object.values(own).map((wei) => weiText(BigInt(wei)));
    expect(amounts.map(({ tip }) => tip)).to.include.members(exact);
  });

  it('shows positions, value, cost and profit of a wallet without a key, as the service computes them', async () => {
    const one = await open();
    const { page } = one;
    await connectWallet(page, WALLET_NAME);
    await settled(one);
    const rows = page.getByRole('region', { name: 'Positions' }).locator('tbody tr');
    expect(await rows.count()).to.equal(2);
    const texts = await rows.allTextContents();
    // In the text of a row, the number of tickets follows the name.
    expect(texts.find((text) => text.includes('Juniper Row'))).to.match(/Juniper Row1/);
    // The agent has got the first ticket of its market for free, and has bought three more.
    expect(texts.find((text) => text.includes(NAME))).to.match(new RegExp(`${NAME}4`));
    const own = await pnl();
    const [realized, unrealized] = [BigInt(own.realizedWei), BigInt(own.unrealizedWei)];
    const figures = await page.locator('.sums dd .eth').allTextContents();
    expect(figures.slice(2, 5)).to.deep.equal(
      [unrealized, realized, realized + unrealized].map((wei) => `${wei > 0n ? '+' : ''}${etherText(wei)}`),
    );
    await page.getByRole('link', { name: 'Trade Juniper Row' }).click();
    await page.getByRole('heading', { level: 1, name: 'Juniper Row' }).waitFor();
    await page.getByRole('button', { name: 'Disconnect' }).waitFor();
  });

  it('shows a sample without a wallet, marked as one, that neither the keyboard nor a screen reader reaches', async () => {
    const one = await openUrl('/portfolio');
    const { page } = one;
    const sample = page.getByRole('region', { name: 'What you will see here' });
    await sample.getByText('Sample', { exact: true }).waitFor();
    await sample.getByText('Connect a wallet to see what its tickets cost').waitFor();
    await sample.getByText('The agents and figures below are made up.').waitFor();
    expect(await sample.locator('.positions tbody tr').count()).to.equal(3);
    const spoken = await spokenTexts(page);
    expect(spoken).to.include('Show any wallet').and.not.include('Weather Desk');
    expect(spoken.filter((text) => text.includes(' ETH'))).to.deep.equal([]);
    const focusable = `[...document.querySelectorAll('.sample :is(a, button, [tabindex])')].filter((part) => {
      part.focus();
      return document.activeElement === part;
    }).length`;
    expect(await page.evaluate(focusable), 'parts that take the focus').to.equal(0);
    // In the sample, value, cost and profit must add up as in a real portfolio.
    const [value = 0n, cost = 0n, unrealized, realized = 0n, total] = await weiOf(sample.locator('.sums .eth'));
    expect([unrealized, total]).to.deep.equal([value - cost, value - cost + realized]);
    const rows = await weiOf(sample.locator('.positions .eth'));
    const sum = (column: number) => rows.reduce((before, wei, i) => (i % 3 === column ? before + wei : before), 0n);
    expect([sum(0), sum(1), sum(2)]).to.deep.equal([value, cost, value - cost]);
    expect(await accessibilityViolations(page)).to.deep.equal([]);
    await connectAddress(page, `0x${'ab'.repeat(20)}`);
    await page.getByText('This wallet holds no tickets.').waitFor();
    expect(await sample.count()).to.equal(0);
  });

  it('shows no sample to a reader whose wallet connects by itself a moment later', async () => {
    // A wallet of this name was connected at an earlier visit, so the page waits for it.
    const { page } = await openUrl('/portfolio', {
      prepare: (context) => context.addInitScript({ content: `localStorage.setItem('wallet-rdns', 'test.late')` }),
    });
    expect(await page.locator('.sample').count()).to.equal(0);
    await page.getByText('Connect a wallet to see what it holds.').waitFor();
  });

  it('says that a wallet holds nothing, follows it to another account, and forgets one that withdraws', async () => {
    const { page } = await openUrl('/portfolio');
    await page.getByRole('button', { name: 'Connect a wallet' }).click();
    await page.getByText('No wallet has announced itself').waitFor();
    await page.reload();
    await connectAddress(page, `0x${'ab'.repeat(20)}`);
    const wallet = page.getByRole('region', { name: 'Wallet', exact: true });
    await wallet.getByText('0xabab…abab').waitFor();
    await page.getByText('This wallet holds no tickets.').waitFor();
    expect(await accessibilityViolations(page)).to.deep.equal([]);
    await page.evaluate(`window.tell_accountsChanged(['0x' + 'cd'.repeat(20)])`);
    await wallet.getByText('0xcdcd…cdcd').waitFor();
    await page.evaluate('window.tell_accountsChanged([])');
    await page.getByRole('button', { name: 'Connect a wallet' }).waitFor();
  });

  it('shows notifications and the full profit live with the key of an agent from the settings', async () => {
    const { page } = await open();
    const notices = page.getByRole('region', { name: 'Notifications' });
    expect(await notices.count()).to.equal(0);
    await page.locator('.key-line').getByRole('link', { name: 'Settings' }).click();
    await giveKey(page, key);
    await page.getByRole('link', { name: 'Notifications and profit in the portfolio' }).click();
    await notices.waitFor();
    const full = page.getByRole('region', { name: 'Full profit and loss' });
    await full.getByText('Juniper Row').first().waitFor();
    const heads = await full.getByRole('table', { name: 'Open positions' }).getByRole('columnheader').allTextContents();
    expect(heads).to.deep.equal(['Agent', 'Tickets', 'Profit or loss']);
    await full.locator('.sum .eth', { hasText: etherText(BigInt((await pnl()).totalPnlWei)) }).waitFor();
    expect((await inexactAmounts(page)).wrong).to.deep.equal([]);
    expect(await accessibilityViolations(page)).to.deep.equal([]);
    await (await site.trader()).buy(trader.wallet, 1);
    await page.locator('.notices li').filter({ hasText: 'bought' }).first().waitFor();
  });
});

describeOnWorld('the portfolio of a wallet with many trades', { RATE_LIMITS: 'off' }, (world, open) => {
  it('adds up all trades, says how many it has read, and waits for the rate limit', async () => {
    const trader = randomWallet();
    const { wallet: agent } = await addListedAgent(world, { name: 'Lovelace' }, { supply: 2000 });
    // 1,050 trades fill eleven pages of 100.
    for (let i = 0; i < 1050; i++) await addTrade(world, { agent, trader, type: 'BUY', amount: 1 });
    const { page } = await open('/portfolio', { prepare: (context) => context.clock.install() });
    let pages = 0;
    await page.route('**/graphql', (route) => {
      const isTrades = route.request().postDataJSON().query.startsWith('query WalletTrades');
      return isTrades && ++pages === 4 ? refuseFor(route, 3600) : route.continue();
    });
    await connectAddress(page, trader);
    const card = page.getByRole('region', { name: 'Positions' });
    await card.getByText('300 trades are read, more follow…').waitFor();
    await page.locator('.status.limited').waitFor();
    await page.clock.fastForward(3_600_000);
    const row = card.locator('tbody tr', { hasText: 'Lovelace' });
    await row.waitFor();
    expect(await row.locator('td').first().textContent()).to.equal('1,050');
    // Eleven pages, and the fourth page a second time after the rate limit.
    expect(pages).to.equal(12);
    await page.locator('.status.live').waitFor();
    // Live trades change the price and the position without another read of all trades.
    const value = row.locator('[data-name=Value] .eth');
    const before = await value.textContent();
    await addLiveTrade(world, { agent, trader: randomWallet(), type: 'BUY', amount: 1 });
    await eventually(async () => (await value.textContent()) !== before, 'the price stays');
    await addLiveTrade(world, { agent, trader, type: 'BUY', amount: 7 });
    await row.locator('td', { hasText: /^1,057$/ }).waitFor();
    expect(pages).to.equal(12);
  });

  it('reads all trades again if a reorg removed one of the wallet, and otherwise only prices', async () => {
    const trader = randomWallet();
    const { wallet: agent } = await addListedAgent(world, { name: 'Hopper' }, { supply: 50 });
    const own = await addTrade(world, { agent, trader, type: 'BUY', amount: 3 });
    await addTrade(world, { agent, trader, type: 'BUY', amount: 2 });
    const other = await addTrade(world, { agent, trader: randomWallet(), type: 'BUY', amount: 4 });
    const { page, operations } = await open(`/wallets/${trader}`);
    const row = page.locator('.positions tbody tr', { hasText: 'Hopper' });
    await row.waitFor();
    await page.locator('.status.live').waitFor();
    const reads = () => operations.filter((name) => name === 'WalletTrades').length;
    const value = row.locator('[data-name=Value] .eth');
    const before = await value.textContent();
    await removeTrade(world, other);
    await eventually(async () => (await value.textContent()) !== before, 'the price stays');
    expect(reads()).to.equal(1);
    await removeTrade(world, own);
    await row.locator('td', { hasText: /^2$/ }).waitFor();
    expect(reads()).to.equal(2);
  });
});
