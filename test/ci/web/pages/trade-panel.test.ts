import { expect } from 'chai';
import type { Page } from 'playwright-core';
import { ticketMarket } from '../../../../src/chain/contract-interface.js';
import { buyQuote, sellQuote, unitPrice, withBuySlippage } from '../../../../src/values/curve.js';
import { formatEth } from '../../../../src/values/money.js';
import { etherText, weiText } from '../../../../web/src/format/ether.js';
import { change } from '../../../../web/src/format/number.js';
import { texts } from '../../../../web/src/texts.js';
import { inexactAmounts, openAll } from '../../../support/browser/amounts.js';
import { settled, type VisitOptions } from '../../../support/browser/chromium.js';
import { describeOnWorld } from '../../../support/browser/demo-site.js';
import { accessibilityViolations, overflows } from '../../../support/browser/measures.js';
import { connectWallet, fakeWallet, WALLET_NAME } from '../../../support/browser/wallet.js';
import { addListedAgent } from '../../../support/market/rows.js';
import { newTrader } from '../../../support/market/traders.js';
import { rawGet } from '../../../support/service/raw-requests.js';

const FEES = { protocolBps: 500n, agentBps: 500n };
const SUPPLY = 30n;
/** The amount in wei that the contract charges for a purchase of that many tickets. */
const costOf = (tickets: number) => buyQuote(SUPPLY, BigInt(tickets), FEES).total;

const BELOW_HEAD = `document.getElementById('amount').getBoundingClientRect().top -
  document.querySelector('.top').getBoundingClientRect().bottom`;

const panel = (page: Page) => page.getByRole('region', { name: 'Trade', exact: true });
const field = (page: Page) => panel(page).getByRole('textbox', { name: 'Tickets' });
const slider = (page: Page) => panel(page).getByRole('slider', { name: 'Tickets' });
const topOf = async (page: Page) => (await panel(page).boundingBox())?.y ?? -1;
/** Checks the chosen side, and the number of tickets in the field and at the slider. */
async function expectChosen(page: Page, side: 'Buy' | 'Sell', tickets: number): Promise<void> {
  expect({
    side: await panel(page).locator('button[aria-pressed=true]').first().textContent(),
    field: await field(page).inputValue(),
    slider: await slider(page).inputValue(),
  }).to.deep.equal({ side, field: String(tickets), slider: String(tickets) });
}
const pick = (page: Page, name: string) => panel(page).getByRole('button', { name, exact: true }).click();
const amountOf = (page: Page, name: string) =>
  panel(page).locator('.breakdown > div').filter({ hasText: name }).locator('dd').first().textContent();

describeOnWorld('the trade panel on the page of an agent', { RATE_LIMITS: 'off' }, (world, openUrl) => {
  before(() => addListedAgent(world, { agentId: 'ada' }, { agentId: 'ada', supply: Number(SUPPLY) }));
  const open = (path = '/agents/ada', options: VisitOptions = {}) => openUrl(path, options);
  /** Opens the page with a connected wallet that holds these tickets and this ether. */
  async function openWith(holdings: { readonly tickets?: number; readonly wei?: bigint }, path = '/agents/ada'): Promise<Page> {
    const wallet = fakeWallet(await newTrader(world.chain), world.deps.chain);
    const { tickets = 0, wei = 10n ** 20n } = holdings;
    wallet.intercept = async ({ method, params }) => {
      if (method === 'eth_getBalance') return { result: `0x${wei.toString(16)}` };
      if (method === 'eth_gasPrice') return { result: '0x3b9aca00' };
      const { data = '' } = (params[0] ?? {}) as { data?: string };
      const isBalance = method === 'eth_call' && data.startsWith(ticketMarket.getFunction('ticketBalance')?.selector ?? '');
      return isBalance ? { result: `0x${tickets.toString(16).padStart(64, '0')}` } : undefined;
    };
    const { page } = await open(path, { prepare: wallet.prepare });
    await connectWallet(page, WALLET_NAME);
    await page.locator('.wallet-figures').getByText(String(tickets), { exact: true }).waitFor();
    return page;
  }

  it('stands beside the chart in a wide window, and right below it in a narrow one', async () => {
    for (const [width, isBeside] of [
      [1280, true],
      [390, false],
    ] as const) {
      const { page } = await open('/agents/ada', { width });
      const [chart, trade, curve] = await Promise.all(
        ['Price', 'Trade', 'Bonding curve'].map((name) => page.getByRole('region', { name, exact: true }).first().boundingBox()),
      );
      if (!chart || !trade || !curve) throw new Error('a card is missing');
      expect(trade.y < chart.y + chart.height).to.equal(isBeside);
      expect(trade.x > chart.x + chart.width).to.equal(isBeside);
      expect(curve.y).to.be.above(chart.y + chart.height);
      if (!isBeside) expect(curve.y).to.be.above(trade.y + trade.height);
      expect(await overflows(page), 'wider than the window').to.equal(false);
    }
  });

  it('takes a number from slider and field, and shows the parts of the amount on demand', async () => {
    const { page } = await open();
    await field(page).fill('12');
    const { price, protocolFee, agentFee, total } = buyQuote(SUPPLY, 12n, FEES);
    expect(await amountOf(page, 'You pay')).to.include(etherText(total));
    expect(await panel(page).getByText('Curve price').count()).to.equal(0);
    await pick(page, 'Fees: 10.00\u00a0%. Details');
    const parts = [
      ['Curve price', price],
      ['Protocol fee (5.00\u00a0%)', protocolFee],
      ['Agent fee (5.00\u00a0%)', agentFee],
      ['Per ticket', total / 12n],
    ] as const;
    for (const [name, wei] of parts) expect(await amountOf(page, name), name).to.equal(etherText(wei));
    const tips = await panel(page)
      .locator('.explained')
      .evaluateAll((all) => all.map((one) => one.getAttribute('data-tip')));
    const { protocolFee: protocol, agentFee: agent, breakEven } = texts.trade.about;
    expect(tips).to.deep.equal([protocol, agent, breakEven]);
    await slider(page).press('ArrowRight');
    await expectChosen(page, 'Buy', 13);
  });

  it('takes an amount of ether or dollars, says its tickets, and keeps the trade when the unit changes', async () => {
    const { page } = await open(`/agents/ada?amount=${formatEth(costOf(4) + 1n)}&unit=eth`);
    const unit = panel(page).getByRole('combobox', { name: 'Unit of the amount' });
    const amount = panel(page).locator('.tickets-field input.num');
    await panel(page)
      .getByText(`Buys 4 tickets for ${etherText(costOf(4))}.`)
      .waitFor();
    expect(await amountOf(page, 'You pay')).to.include(etherText(costOf(4)));
    await unit.selectOption('Tickets');
    await expectChosen(page, 'Buy', 4);
    await unit.selectOption('US dollars');
    expect(await amount.inputValue()).to.match(/^\d+\.\d\d$/);
    await slider(page).fill('9');
    // The slider fills in a number of tickets. This number must stay, even if the price changes.
    await expectChosen(page, 'Buy', 9);
    expect(await unit.inputValue()).to.equal('tickets');
    await unit.selectOption('ETH');
    expect(await amount.inputValue()).to.equal(formatEth(costOf(9)));
    await amount.fill('0,5');
    expect(await panel(page).locator('.tickets-field .note').textContent()).to.equal('Enter an amount of ETH, such as 0.05.');
    expect(await amountOf(page, 'You pay')).to.equal('–');
    await unit.selectOption('Tickets');
    expect(await amount.inputValue(), 'a text that is no amount is none in another unit').to.equal('');
    await amount.fill('150');
    await unit.selectOption('US dollars');
    expect(await amountOf(page, 'You pay'), '150 tickets are not $150').to.equal('–');
    expect(await accessibilityViolations(page)).to.deep.equal([]);
  });

  it('says how the trade changes the price, and marks it on the curve', async () => {
    const { page } = await open('/agents/ada?amount=3');
    const moved = (after: bigint) => {
      const [was, is] = [unitPrice(SUPPLY), unitPrice(after)];
      return change(Number(((is - was) * 1_000_000n) / was) / 10_000);
    };
    await pick(page, 'Fees: 10.00\u00a0%. Details');
    expect(await amountOf(page, 'Price after')).to.equal(etherText(unitPrice(SUPPLY + 3n)));
    expect(await amountOf(page, 'Price impact')).to.equal(moved(SUPPLY + 3n));
    const marked = () => page.locator('.bonding polygon').getAttribute('points');
    // Reads the mark for 3 tickets, and then fills in 4.
    const [purchase] = [await marked(), await field(page).fill('4')];
    expect(await marked()).to.not.equal(purchase);
    await pick(page, 'Sell');
    expect(await amountOf(page, 'Price impact')).to.equal(moved(SUPPLY - 4n));
    expect(await amountOf(page, 'You receive')).to.include(etherText(sellQuote(SUPPLY, 4n, FEES).total));
    await page.locator('.bonding polygon.sell').waitFor();
    expect(await page.getByRole('region', { name: 'Trade' }).getByText('Breaks even').count()).to.equal(0);
  });

  it('fills in the largest purchase that one trade allows and the wallet can pay with slippage and network fee', async () => {
    const { page } = await open();
    await pick(page, 'Max');
    await expectChosen(page, 'Buy', 20);
    // The page reckons with 200,000 gas. `openWith` sets the gas price to 10^9 wei (0x3b9aca00).
    const networkFee = 200_000n * 10n ** 9n;
    const enough = withBuySlippage(costOf(5), 100n) + networkFee;
    for (const [wei, tickets] of [
      [enough, 5],
      [enough - 1n, 4],
      [1n, 0],
    ] as const) {
      const poor = await openWith({ wei });
      await panel(poor).getByText(`Max 20 tickets per trade. Your balance buys ${tickets}.`).waitFor();
      await pick(poor, 'Max');
      await expectChosen(poor, 'Buy', Math.max(1, tickets));
      if (tickets > 0) continue;
      await panel(poor).getByText('This purchase needs up to').waitFor();
      await panel(poor).getByRole('button', { name: 'Buy 1 ticket', disabled: true }).waitFor();
      await openAll(poor);
      const { amounts, wrong } = await inexactAmounts(poor);
      expect(wrong).to.deep.equal([]);
      // The balance stands in the head, in the panel, and in the sentence that says how much is missing.
      expect(amounts.filter(({ tip }) => tip === weiText(wei))).to.have.length(3);
    }
  });

  // The last ticket in circulation cannot be sold, so it is worth nothing. One trade sells at most 20 tickets.
  for (const [tickets, sold, all, none] of [
    [6, 6, 'Sell all', 'Max'],
    [Number(SUPPLY), 20, 'Max', 'Sell all'],
  ] as const) {
    it(`shows what ${tickets} tickets of the wallet are worth, and fills in ${sold} of them for a sale`, async () => {
      const page = await openWith({ tickets });
      const worth = sellQuote(SUPPLY, BigInt(Math.min(tickets, Number(SUPPLY) - 1)), FEES).total;
      await page.locator('.wallet-figures').getByText(etherText(worth)).waitFor();
      await pick(page, 'Sell');
      expect(await panel(page).getByRole('button', { name: none, exact: true }).count()).to.equal(0);
      await pick(page, all);
      await expectChosen(page, 'Sell', sold);
      await panel(page)
        .getByRole('button', { name: `Sell ${sold} tickets` })
        .waitFor();
    });
  }

  for (const width of [360, 1280]) {
    it(`leads by the Tab key from the number to the button that trades, at ${width} pixels`, async () => {
      const page = await openWith({ tickets: 2 });
      await page.setViewportSize({ width, height: 900 });
      await field(page).focus();
      const isThere = async () => (await page.locator(':focus').textContent()) === 'Buy 1 ticket';
      // Tab also stops at the exact amounts, so the number of stops is not fixed.
      for (let stop = 0; stop < 10 && !(await isThere()); stop++) await page.keyboard.press('Tab');
      expect(await isThere()).to.equal(true);
      // From the top of the page, the second stop of Tab is a link that leads to the number.
      await page.reload();
      await page.locator('.wallet-figures').getByText('2', { exact: true }).waitFor();
      for (const key of ['Tab', 'Tab', 'Enter']) await page.keyboard.press(key);
      expect(await page.locator(':focus').getAttribute('aria-label')).to.equal('Tickets');
      expect(await page.evaluate(BELOW_HEAD), 'the pixels between the sticky head and the number').to.be.above(0);
    });

    it(`holds its place while its script loads, at ${width} pixels`, async () => {
      const gate = Promise.withResolvers<void>();
      const one = await open('/agents/ada', {
        width,
        waitUntil: 'load',
        prepare: (context) =>
          context.route('**/assets/panel*.js', async (route) => {
            await gate.promise;
            await route.continue();
          }),
      });
      const { page } = one;
      await page.locator('.list .agent-link').first().waitFor();
      const heightOf = async () => Math.round((await panel(page).boundingBox())?.height ?? 0);
      const before = await heightOf();
      gate.resolve();
      await settled(one);
      expect(await heightOf()).to.be.within(before - 1, before + 1);
    });
  }

  it('has a bar with its buttons at the lower edge of narrow windows until it is in view', async () => {
    const { page } = await open('/agents/ada', { width: 390, height: 600 });
    const bar = page.getByRole('navigation', { name: 'Buy or sell' });
    await bar.getByRole('button', { name: 'Sell' }).click();
    await bar.waitFor({ state: 'detached' });
    await expectChosen(page, 'Sell', 1);
    expect(await page.locator(':focus').textContent()).to.equal('Sell');
    await page.evaluate('scrollTo(0, document.body.scrollHeight)');
    await bar.getByRole('button', { name: 'Buy' }).click();
    await expectChosen(page, 'Buy', 1);
    const { page: wide } = await open();
    await wide.evaluate('scrollTo(0, document.body.scrollHeight)');
    expect(await wide.getByRole('navigation', { name: 'Buy or sell' }).count()).to.equal(0);
  });

  it('is as the reader left it after Back', async () => {
    const { page } = await open('/agents/ada?amount=0.05&unit=eth');
    await panel(page).getByRole('textbox', { name: 'Amount in ETH' }).fill('0.07');
    await page.locator('.top nav').getByRole('link', { name: 'Seasons' }).click();
    await page.waitForURL('**/seasons');
    await page.goBack();
    await panel(page).getByRole('textbox', { name: 'Amount in ETH' }).waitFor();
    expect(await panel(page).getByRole('textbox', { name: 'Amount in ETH' }).inputValue()).to.equal('0.07');
  });

  it('has an address of its own that keeps side and amount, and ignores a senseless side', async () => {
    const { status, headers } = await rawGet(world.url, '/agents/ada/trade?side=sell&amount=3');
    expect([status, headers.location]).to.deep.equal([302, '/agents/ada?side=sell&amount=3#trade']);
    const foreign = await rawGet(world.url, '/agents/%2F%2Fevil.test/trade');
    expect(foreign.headers.location).to.equal('/agents/%2F%2Fevil.test#trade');
    const senseless = await open('/agents/ada?side=give');
    await expectChosen(senseless.page, 'Buy', 1);
  });

  it('is in sight when its address or a link of another page opens it', async () => {
    const isInSight = async (page: Page) => expect(await topOf(page), 'its top in the window').to.be.within(0, 200);
    const { page } = await open('/agents/ada/trade?side=sell&amount=3', { width: 390 });
    await expectChosen(page, 'Sell', 3);
    await isInSight(page);

    const other = await open('/', { width: 390 });
    await other.page.evaluate(`document.querySelector('h1').innerHTML += '<a href="/agents/ada#trade">A position</a>'`);
    await other.page.getByRole('link', { name: 'A position' }).click();
    await panel(other.page).waitFor();
    await settled(other);
    await isInSight(other.page);
  });
});
