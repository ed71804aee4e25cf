import { expect } from 'chai';
import type { Page } from 'playwright-core';
import { settled } from '../../../support/browser/chromium.js';
import { describeOnDemo, describeOnWorld } from '../../../support/browser/demo-site.js';
import { accessibilityViolations, cutTexts, expectLittleShift, overflows } from '../../../support/browser/measures.js';
import { connectAddress } from '../../../support/browser/wallet.js';
import { addListedAgent, addTrade, randomWallet } from '../../../support/market/rows.js';
import type { Trader } from '../../../support/market/traders.js';
import { eventually } from '../../../support/service/process.js';

const positions = (page: Page) => page.getByRole('region', { name: 'Positions' });
const whose = (page: Page) => page.getByRole('region', { name: 'Whose tickets' });

const weiOf = (tip: string | null): bigint =>
  BigInt(
    String(tip)
      .replace('\u2212', '-')
      .replace(/[^-\d]/g, ''),
  );

/**
 * A script that reads the labels of the cells. In narrow windows each row is shown as a card, and the style sheet draws the label of a
 * cell from `data-name`, so the text of the cell does not contain it.
 */
const NAMES = `[...document.querySelectorAll('.positions tbody [data-name]')].map((cell) =>
  getComputedStyle(cell, '::before').content.replace(/^"(.*?)".*/, '$1'))`;

describeOnDemo('the portfolio of any wallet', (site, open) => {
  let trader: Trader;
  let heron: string;
  before(async () => {
    trader = await site.trader();
    heron = (await site.data<{ agent: { id: string } }>('{ agent(agentId: "slow_heron") { id } }')).agent.id;
    await trader.buy(site.juniper, 3);
    await trader.buy(heron, 1);
    const query = `{ trades(trader: "${trader.wallet}") { totalCount } }`;
    const count = async () => (await site.data<{ trades: { totalCount: number } }>(query)).trades.totalCount;
    await eventually(async () => (await count()) === 2, 'the trades are not indexed');
  });

  it('follows trades of the wallet and of others, and keeps its rows in place', async () => {
    const { page, operations } = await open(`/wallets/${trader.wallet}`);
    const rows = positions(page).locator('tbody tr');
    const row = rows.filter({ hasText: 'Juniper Row' });
    await row.waitFor();
    await page.locator('.status.live').waitFor();
    const names = () => rows.locator('.name').allTextContents();
    const figures = async () => ({
      row: await row.locator('.eth').allTextContents(),
      sums: await page.locator('.sums .eth').allTextContents(),
    });
    const [before, order] = [await figures(), await names()];
    const place = await row.boundingBox();
    // The sums have the same order, with the profit of the sales as the fourth.
    const [value, cost, profit] = before.row;

    await (await site.trader()).buy(site.juniper, 5);
    await eventually(async () => (await figures()).row[0] !== value, 'the value stays');
    const moved = await figures();
    expect([moved.row[1], moved.sums[3]]).to.deep.equal([cost, before.sums[3]]);
    expect(moved.row[2]).to.not.equal(profit);
    expect(moved.sums[0]).to.not.equal(before.sums[0]);
    expect(moved.sums[2]).to.not.equal(before.sums[2]);

    // The wallet trades outside of the page, as if another program had its key.
    await trader.sell(site.juniper, 2);
    await row.locator('[data-name=Tickets]', { hasText: /^1$/ }).waitFor();
    expect((await figures()).sums[3]).to.not.equal(before.sums[3]);
    await trader.sell(site.juniper, 1);
    await row.locator('[data-name=Tickets]', { hasText: /^0$/ }).waitFor();
    expect(await names()).to.deep.equal(order);
    expect(await row.boundingBox()).to.deep.equal(place);
    await expectLittleShift(page, 0.01);

    const { agents } = await site.data<{ agents: { nodes: { id: string; name: string }[] } }>(
      '{ agents(first: 10, sort: NEWEST) { nodes { id name } } }',
    );
    const added = agents.nodes.find(({ name }) => !order.includes(name)) ?? expect.fail('all are held');
    await trader.buy(added.id, 1);
    await rows.nth(order.length).locator('.name', { hasText: added.name }).waitFor();
    expect(operations.filter((name) => name === 'WalletTrades')).to.have.length(1);
  });

  it('shows a wallet at an address that can be shared and works after Back and a reload', async () => {
    const one = await open('/portfolio');
    const { page } = one;
    const own = `0x${'ab'.repeat(20)}`;
    await connectAddress(page, own);
    await whose(page).getByText('Your wallet').waitFor();
    await positions(page).getByText('This wallet holds no tickets.').waitFor();
    // Wallets write addresses with capital letters, so the field must accept them.
    await whose(page).getByLabel('Show any wallet').fill(` ${trader.signer.address} `);
    await page.keyboard.press('Enter');
    await positions(page).locator('tbody tr', { hasText: 'Slow Heron' }).waitFor();
    expect(page.url()).to.equal(`${site.service.url}/wallets/${trader.wallet}`);
    expect(await accessibilityViolations(page)).to.deep.equal([]);
    await page.goBack();
    await whose(page).getByText('Your wallet').waitFor();
    await page.goForward();
    await positions(page).locator('tbody tr', { hasText: 'Slow Heron' }).waitFor();
    await page.reload();
    await settled(one);
    await positions(page).locator('tbody tr', { hasText: 'Slow Heron' }).waitFor();
  });

  it('lists the closed trades with their exact profits, and lets new ones wait', async () => {
    await trader.buy(site.juniper, 3);
    await trader.sell(site.juniper, 1);
    type Sales = { trades: { nodes: { total: string; realizedPnlWei: string }[] } };
    const sales = async () =>
      (await site.data<Sales>(`{ trades(trader: "${trader.wallet}", type: SELL) { nodes { total realizedPnlWei } } }`)).trades
        .nodes;
    // Two sales are those of the first test.
    await eventually(async () => (await sales()).length === 3, 'the sale is not indexed');
    const { page } = await open(`/wallets/${trader.wallet}`);
    await page.getByRole('tab', { name: 'Closed' }).click();
    const table = page.getByRole('table', { name: 'Sales of the wallet, newest first' });
    const rows = table.locator('tbody tr');
    await rows.nth(2).waitFor();
    const shown = async () =>
      (await rows.locator('td .eth').evaluateAll((all) => all.map((one) => one.getAttribute('data-tip')))).map(weiOf);
    const expected = (await sales()).flatMap(({ total, realizedPnlWei }) => [
      BigInt(total) - BigInt(realizedPnlWei),
      BigInt(total),
      BigInt(realizedPnlWei),
    ]);
    expect(await shown()).to.deep.equal(expected);
    expect(new URL(page.url()).search).to.equal('?tab=closed');

    const place = await rows.first().boundingBox();
    await page.locator('.status.live').waitFor();
    await trader.sell(site.juniper, 1);
    const waiting = page.getByRole('button', { name: '1 new trade' });
    await waiting.waitFor();
    expect([await rows.count(), await rows.first().boundingBox()]).to.deep.equal([3, place]);
    expect(await accessibilityViolations(page)).to.deep.equal([]);
    await waiting.click();
    await rows.nth(3).waitFor();
    expect(await waiting.count()).to.equal(0);
    expect((await shown()).slice(3)).to.deep.equal(expected);
    await page.getByRole('tab', { name: 'All trades' }).click();
    await page.getByRole('table', { name: 'Trades of the wallet' }).locator('tbody tr', { hasText: 'bought' }).first().waitFor();
  });

  it('lets new trades wait also after the wallet of the browser has changed', async () => {
    const other = await site.trader();
    await other.buy(heron, 2);
    const { page } = await open('/portfolio?tab=trades');
    const rows = page.getByRole('table', { name: 'Trades of the wallet' }).locator('tbody tr');
    await connectAddress(page, trader.wallet);
    await rows.filter({ hasText: 'Juniper Row' }).first().waitFor();
    await page.evaluate(`tell_accountsChanged(['${other.wallet}'])`);
    await rows.filter({ hasText: 'Juniper Row' }).first().waitFor({ state: 'detached' });
    await rows.filter({ hasText: 'Slow Heron' }).waitFor();
    await page.locator('.status.live').waitFor();
    await other.buy(site.juniper, 1);
    const waiting = page.getByRole('button', { name: '1 new trade' });
    await waiting.waitFor();
    expect(await rows.allTextContents()).to.have.length(1);
    await waiting.click();
    await rows.nth(1).waitFor();
    expect(await rows.first().textContent()).to.include('Juniper Row');
  });

  it('is linked from the feed, and names the agent of a wallet', async () => {
    await trader.buy(heron, 1);
    const { page } = await open('/feed');
    const address = `${trader.wallet.slice(0, 6)}…${trader.wallet.slice(-4)}`;
    const event = page.getByRole('link', { name: address });
    await event.first().click();
    await page.waitForURL(`${site.service.url}/wallets/${trader.wallet}`);
    await positions(page).locator('tbody tr', { hasText: 'Slow Heron' }).waitFor();
    expect(await page.title()).to.equal(`Wallet ${address} · Curvet`);
    await page.goto(`${site.service.url}/wallets/${site.juniper.toUpperCase().replace('X', 'x')}`);
    await whose(page).getByRole('link', { name: 'Juniper Row' }).click();
    await page.waitForURL(`${site.service.url}/agents/juniper_row`);
  });
});

describeOnWorld('the field for a wallet', { RATE_LIMITS: 'off' }, (_, open) => {
  it('refuses what is no address, and says what is wrong with it', async () => {
    const { page } = await open('/portfolio');
    const field = whose(page).getByLabel('Show any wallet');
    for (const [text, fault] of [
      ['', 'Enter the address of a wallet.'],
      ['juniper_row', 'The address of a wallet starts with 0x.'],
      [`${'ab'.repeat(20)}`, 'The address of a wallet starts with 0x.'],
      [`0x${'ab'.repeat(19)}xy`, 'After 0x, an address has only the digits 0 to 9 and a to f.'],
      [`0x${'ab'.repeat(20)}c`, 'This one has 41.'],
      ['0x12', 'This one has 2.'],
    ] as const) {
      await field.fill(text);
      expect(await whose(page).getByRole('alert').count(), 'before it is sent').to.equal(0);
      await whose(page).getByRole('button', { name: 'Show' }).click();
      await whose(page).getByRole('alert').getByText(fault).waitFor();
      expect(await field.getAttribute('aria-invalid')).to.equal('true');
      expect(new URL(page.url()).pathname).to.equal('/portfolio');
    }
    await page.goto(`${new URL(page.url()).origin}/wallets/0x12`);
    await whose(page).getByRole('alert').getByText('This one has 2.').waitFor();
    expect(await field.inputValue()).to.equal('0x12');
    await whose(page).getByText('The address of this page names no wallet.').waitFor();
    expect(await accessibilityViolations(page)).to.deep.equal([]);
  });
});

describeOnWorld('the portfolio on phones', { RATE_LIMITS: 'off' }, (world, open) => {
  it('shows each position as a card that has its values with their names, and stays a table for screen readers', async () => {
    const trader = randomWallet();
    for (const [name, supply] of [
      ['W'.repeat(15), 9000],
      ['Mmmm Wwwww Mmmm', 30],
    ] as const) {
      const { wallet: agent } = await addListedAgent(world, { name }, { supply });
      await addTrade(world, { agent, trader, type: 'BUY', amount: 20, price: 10n ** 24n });
    }
    const { page } = await open(`/wallets/${trader}`, { width: 320 });
    // Below 640 pixels, the rows of the table are cards.
    for (const width of [320, 360, 390, 639]) {
      await page.setViewportSize({ width, height: 800 });
      expect(await overflows(page), `wider than ${width} pixels`).to.equal(false);
      expect(await cutTexts(page), `cut at ${width} pixels`).to.deep.equal([]);
      const cards = await page.locator('.positions tbody tr').all();
      expect(cards).to.have.length(2);
      for (const card of cards) {
        const box = (await card.boundingBox()) ?? expect.fail('no card');
        for (const part of await card.locator('.name, [data-name], .eth, a').all()) {
          const { x, y, width, height } = (await part.boundingBox()) ?? expect.fail('a hidden part');
          expect(x).to.be.within(box.x, box.x + box.width - width);
          expect(y).to.be.within(box.y, box.y + box.height - height);
        }
      }
    }
    expect(await page.evaluate(NAMES)).to.deep.equal(Array(2).fill(['Tickets', 'Value if sold', 'Cost', 'Profit or loss']).flat());
    const table = page.getByRole('table', { name: 'Tickets that the wallet holds' });
    expect(await table.getByRole('columnheader').count()).to.equal(6);
    expect(await table.getByRole('rowheader').count()).to.equal(2);
    expect(await table.getByRole('row', { name: 'Mmmm' }).getByRole('cell').count()).to.equal(5);
    expect(await accessibilityViolations(page)).to.deep.equal([]);
    await page.setViewportSize({ width: 640, height: 800 });
    expect(await overflows(page), 'wider than 640 pixels').to.equal(false);
  });
});
