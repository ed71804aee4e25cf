import { expect } from 'chai';
import type { Page } from 'playwright-core';
import { ticketMarket } from '../../../../src/chain/contract-interface.js';
import { buyQuote, sellQuote, unitPrice, withBuySlippage, withSellSlippage } from '../../../../src/values/curve.js';
import { etherText } from '../../../../web/src/format/ether.js';
import { change, percentText } from '../../../../web/src/format/number.js';
import type { Visit } from '../../../support/browser/chromium.js';
import { describeOnWorld } from '../../../support/browser/demo-site.js';
import { accessibilityViolations } from '../../../support/browser/measures.js';
import { connectWallet, type FakeWallet, fakeWallet, WALLET_NAME } from '../../../support/browser/wallet.js';
import { addListedAgent } from '../../../support/market/rows.js';
import { newTrader, type Trader } from '../../../support/market/traders.js';
import { eventually } from '../../../support/service/process.js';

const FEES = { protocolBps: 500n, agentBps: 500n };
const SUPPLY = 13;
/** Number of tickets of the agent that the wallet of the page holds. */
const HELD = 4;

const panel = (page: Page) => page.getByRole('region', { name: 'Trade', exact: true });
const field = (page: Page) => panel(page).getByRole('textbox', { name: 'Tickets' });
const slider = (page: Page) => panel(page).getByRole('slider', { name: 'Tickets' });
const slippage = (page: Page) => panel(page).getByRole('textbox', { name: 'Slippage' });
const button = (page: Page) => panel(page).locator('.ask-wallet .button');
const note = (page: Page) => panel(page).locator('.ask-wallet .note');
const amountOf = (page: Page, name: string) =>
  panel(page).locator('.breakdown > div').filter({ hasText: name }).locator('dd').first().textContent();

type Way = 'typed' | 'pasted' | 'by slider' | 'by address';
const WHOLE = 'Enter a whole number from 1 to 20.';
const MOST = 'Max 20 tickets per trade.';
const AMOUNTS: readonly (readonly [way: Way, text: string, expected: number | string])[] = [
  ['typed', '3', 3],
  ['typed', '20', 20],
  ['typed', ' 7 ', 7],
  ['typed', '', 'Enter the number of tickets.'],
  ['typed', '-1', WHOLE],
  ['typed', '0', WHOLE],
  ['typed', '1.5', WHOLE],
  ['typed', '03', WHOLE],
  ['typed', '1e1', WHOLE],
  ['typed', '21', MOST],
  ['typed', '1000000000', MOST],
  ['pasted', '5', 5],
  ['pasted', '12 tickets', WHOLE],
  ['pasted', '1,000', WHOLE],
  // The Arabic digit for 3.
  ['pasted', '٣', WHOLE],
  ['pasted', '99', MOST],
  ['by slider', '1', 1],
  ['by slider', '20', 20],
  ['by address', '4', 4],
  ['by address', '', 'Enter the number of tickets.'],
  ['by address', 'abc', WHOLE],
  ['by address', '-1', WHOLE],
  ['by address', '999999', MOST],
];

const PERCENT = 'Enter a percentage from 0 to 50, with at most two decimals.';
const TOLERANCES: readonly (readonly [text: string, bps: number | string])[] = [
  ['0.5', 50],
  ['50', 5000],
  [' 2 ', 200],
  ['abc', PERCENT],
  ['51', PERCENT],
  ['', PERCENT],
  ['-1', PERCENT],
  ['1.234', PERCENT],
  ['1,5', PERCENT],
  ['3', 300],
];

describeOnWorld('the form of a trade', { RATE_LIMITS: 'off' }, (world, openUrl) => {
  let trader: Trader;
  let wallet: FakeWallet;
  let agent: string;
  before(async () => {
    const owner = await newTrader(world.chain);
    trader = await newTrader(world.chain);
    agent = owner.wallet;
    await owner.registerWithTickets('Ada', SUPPLY - 1 - HELD);
    await trader.buy(agent, HELD);
    await addListedAgent(world, { agentId: 'ada', wallet: agent }, { agentId: 'ada', wallet: agent, supply: SUPPLY });
  });
  beforeEach(() => {
    wallet = fakeWallet(trader, world.deps.chain);
    // The wallet refuses every transaction, so the supply stays the same.
    wallet.intercept = async ({ method }) =>
      method === 'eth_sendTransaction' ? { error: { code: 4001, message: 'User rejected' } } : undefined;
  });

  const open = async (path = '/agents/ada') => {
    const one = await openUrl(path, { prepare: wallet.prepare });
    await connectWallet(one.page, WALLET_NAME);
    await one.page.locator('.wallet-figures').getByText(String(HELD), { exact: true }).waitFor();
    return one;
  };
  const enter = async (page: Page, way: Way, text: string) => {
    if (way === 'typed') await field(page).fill(text);
    if (way === 'by slider') await slider(page).fill(text);
    if (way !== 'pasted') return;
    await page.evaluate((copied) => navigator.clipboard.writeText(copied), text);
    await field(page).selectText();
    await field(page).press('Control+v');
  };
  const sent = () => wallet.calls.filter(({ method }) => method === 'eth_sendTransaction');

  /** Clicks the button, and expects that the page asks the wallet for exactly this trade. `bps` is the slippage in basis points. */
  async function expectTrade(page: Page, side: 'buy' | 'sell', tickets: number, bps: number): Promise<void> {
    const quote = (side === 'buy' ? buyQuote : sellQuote)(BigInt(SUPPLY), BigInt(tickets), FEES).total;
    const bound = (side === 'buy' ? withBuySlippage : withSellSlippage)(quote, BigInt(bps));
    expect(await amountOf(page, side === 'buy' ? 'You pay' : 'You receive')).to.include(etherText(quote));
    expect(await amountOf(page, 'with slippage')).to.equal(etherText(bound));
    expect(await slider(page).inputValue()).to.equal(String(tickets));
    const verb = side === 'buy' ? 'Buy' : 'Sell';
    expect(await button(page).textContent()).to.equal(`${verb} ${tickets} ${tickets === 1 ? 'ticket' : 'tickets'}`);
    const before = sent().length;
    await button(page).click();
    await eventually(() => sent().length > before, 'the wallet is not asked');
    await panel(page).getByRole('alert').getByText('You refused the request').waitFor();
    expect(sent()).to.have.length(before + 1);
    const { data = '', value = '0x0' } = (sent().at(-1)?.params[0] ?? {}) as Record<string, string>;
    const call = ticketMarket.parseTransaction({ data, value: BigInt(value) });
    expect([call?.name, ...(call?.args ?? []).slice(0, 3)].map(String).map((one) => one.toLowerCase())).to.deep.equal(
      [`${side}Tickets`, agent, tickets, bound].map(String).map((one) => one.toLowerCase()),
    );
    expect(BigInt(value)).to.equal(side === 'buy' ? bound : 0n);
  }

  /** Expects that the page quotes nothing, that the button is off and says why, and that a click sends nothing. */
  async function expectOff({ page, operations }: Visit, reason: string): Promise<void> {
    expect(await button(page).textContent()).to.equal('Buy');
    expect(await button(page).getAttribute('aria-disabled')).to.equal('true');
    expect(await note(page).textContent()).to.equal(reason);
    expect(await button(page).getAttribute('aria-describedby')).to.equal(await note(page).getAttribute('id'));
    const checks = () => operations.filter((name) => name === 'Order').length;
    const before = checks();
    await button(page).click({ force: true });
    await page.evaluate('window.drawn()');
    expect(checks(), 'no trade has started').to.equal(before);
  }

  for (const way of ['typed', 'pasted', 'by slider', 'by address'] as const) {
    it(`quotes, offers and trades what stands in the field, or nothing: ${way}`, async () => {
      let one = way === 'by address' ? undefined : await open();
      for (const [, text, expected] of AMOUNTS.filter(([each]) => each === way)) {
        if (one && way !== 'by address') await field(one.page).fill('3');
        else one = await open(`/agents/ada?amount=${text}`);
        const { page } = one;
        await enter(page, way, text);
        const message = `${way} ${JSON.stringify(text)}`;
        expect(await field(page).inputValue(), message).to.equal(text);
        if (typeof expected === 'number') {
          // Without a choice, the slippage is 1 %.
          await expectTrade(page, 'buy', expected, 100);
          continue;
        }
        await field(page).blur();
        expect(await field(page).inputValue(), `${message}, when it is left`).to.equal(text);
        expect(await amountOf(page, 'You pay'), message).to.equal('–');
        expect(await page.locator('.bonding polygon').count(), 'nothing is marked on the curve').to.equal(0);
        expect(await panel(page).locator('.tickets-field .note').textContent(), message).to.equal(expected);
        await expectOff(one, expected);
      }
    });
  }

  it('trades at the slippage that stands in the field, or not at all', async () => {
    const one = await open('/agents/ada?amount=2');
    const { page } = one;
    for (const [text, expected] of TOLERANCES) {
      await slippage(page).fill('50');
      await slippage(page).fill(text);
      await slippage(page).blur();
      expect(await slippage(page).inputValue()).to.equal(text);
      if (typeof expected === 'number') {
        await expectTrade(page, 'buy', 2, expected);
        continue;
      }
      expect(await amountOf(page, 'with slippage'), JSON.stringify(text)).to.equal('–');
      expect(await panel(page).locator('.slippage .note').textContent()).to.equal(expected);
      await expectOff(one, expected);
    }
  });

  it('sells what stands in the field, and says what the wallet holds if that is less', async () => {
    const { page } = await open('/agents/ada?side=sell&amount=5');
    expect(await field(page).inputValue()).to.equal('5');
    expect(await amountOf(page, 'You receive')).to.include(etherText(sellQuote(BigInt(SUPPLY), 5n, FEES).total));
    expect(await button(page).getAttribute('aria-disabled')).to.equal('true');
    expect(await note(page).textContent()).to.equal('This wallet holds 4 tickets of the agent.');
    await panel(page).getByRole('button', { name: 'Sell all', exact: true }).click();
    await expectTrade(page, 'sell', HELD, 100);
    // The last ticket in circulation cannot be sold, so the maximum is one less than the supply.
    await field(page).fill(String(SUPPLY));
    expect(await note(page).textContent()).to.equal('Max 12 tickets per trade.');
  });

  it('warns of a high impact and of a high slippage, and says what a purchase would return at once', async () => {
    const { page } = await open('/agents/ada');
    const warnings = () => panel(page).locator('.note.warn').allTextContents();
    const impact = (to: number) => {
      const [was, is] = [unitPrice(BigInt(SUPPLY)), unitPrice(BigInt(to))];
      return percentText(Math.abs(Number(((is - was) * 1_000_000n) / was) / 10_000));
    };
    // At this supply, one more ticket raises the price by 16 %, so the page warns.
    await field(page).fill('1');
    const returned = etherText(sellQuote(BigInt(SUPPLY + 1), 1n, FEES).total);
    // Purchase and sale each pay a tenth as fees: 0.9 is 18.18 % less than 1.1.
    expect(await amountOf(page, 'If sold at once')).to.equal(`${returned} ${change(-18.18)}`);
    expect(await warnings()).to.deep.equal([
      `This purchase raises the price of a ticket by ${impact(SUPPLY + 1)}. If you sell at once, you lose ${percentText(18.18)}.`,
    ]);
    const risk = panel(page).getByText('Both trades pay fees. You gain only if others buy after you');
    expect(await risk.count()).to.equal(1);
    await slippage(page).fill('10');
    expect(await warnings()).to.have.length(1);
    await slippage(page).fill('10.01');
    expect((await warnings())[1]).to.equal(
      'With this slippage, the purchase may cost up to 10.01\u00a0% more than “You pay” says.',
    );
    await panel(page).getByRole('button', { name: 'Sell', exact: true }).click();
    expect(await warnings()).to.include('With this slippage, the sale may pay up to 10.01\u00a0% less than “You receive” says.');
    expect(await panel(page).getByText('If sold at once').count()).to.equal(0);
    expect(await risk.count()).to.equal(0);
    await slippage(page).fill('1');
    // The sale of one ticket lowers the price by less than 15 %, that of two by more. So only the second one causes a warning.
    expect(await warnings()).to.deep.equal([]);
    await field(page).fill('2');
    expect(await warnings()).to.deep.equal([`This sale lowers the price of a ticket by ${impact(SUPPLY - 2)}.`]);
    expect(await accessibilityViolations(page)).to.deep.equal([]);
  });

  it('says that a wallet of the browser asks, and that the test wallet does not', async () => {
    const { page } = await open();
    expect(await note(page).textContent()).to.include('The wallet shows the transaction and asks you.');
    const { page: other } = await openUrl('/agents/ada');
    await connectWallet(other, /Use a test wallet/);
    await other.locator('.wallet-figures').getByText('0', { exact: true }).waitFor();
    const texts = await panel(other).textContent();
    expect(texts).to.include('It signs without asking').and.not.include('asks you');
  });
});
