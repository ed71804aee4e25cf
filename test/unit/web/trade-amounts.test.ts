import { expect } from 'chai';
import fc from 'fast-check';
import { formatEth } from '../../../src/values/money.js';
import { type Choice, choiceIn, contractSteps, type Side, stepAt, type Unit } from '../../../web/src/pages/agent/curve.js';
import { amountFault, amountOf } from '../../../web/src/pages/agent/trade/order.js';

const ETH_USD = 2511.37;
const CONTRACT = { protocolFeeBps: 500, agentFeeBps: 500, rules: { maxTicketsPerTrade: 20 } };
const stepsAt = (side: Side, supply: number) => contractSteps(side, supply, CONTRACT);

describe('the amount of a trade', () => {
  // A step is a number of tickets with its total. At a supply of 13, at most 20 can be bought and 12 sold: the last ticket stays.
  const buys = stepsAt('buy', 13);
  const sales = stepsAt('sell', 13);
  const total = (side: Side, tickets: number) => (side === 'buy' ? buys : sales)[tickets - 1]?.total ?? 0n;
  const eth = (side: Side, wei: bigint): Choice => ({ side, amount: formatEth(wei), unit: 'eth' });
  const tickets = (choice: Choice, ethUsd: number | undefined = ETH_USD) =>
    stepAt(choice.side === 'buy' ? buys : sales, choice, ethUsd)?.tickets;

  it('in ether buys the most tickets that it pays for', () => {
    for (let n = 1; n <= 20; n++) {
      expect(tickets(eth('buy', total('buy', n)))).to.equal(n);
      if (n < 20) expect(tickets(eth('buy', total('buy', n + 1) - 1n))).to.equal(n);
    }
    expect(tickets(eth('buy', total('buy', 1) - 1n))).to.equal(undefined);
    expect(tickets(eth('buy', total('buy', 20) + 1n)), 'more than a trade can cost').to.equal(undefined);
  });

  it('in ether sells the fewest tickets that return it', () => {
    for (let n = 1; n <= 12; n++) {
      expect(tickets(eth('sell', total('sell', n)))).to.equal(n);
      // One wei more than n - 1 tickets return needs n tickets.
      expect(tickets(eth('sell', total('sell', n) - total('sell', n - 1) > 1n ? total('sell', n - 1) + 1n : 1n))).to.equal(n);
    }
    expect(tickets(eth('sell', total('sell', 12) + 1n)), 'more than a trade can return').to.equal(undefined);
  });

  it('in dollars counts at the present price of ether, and stands for no tickets while that is unknown', () => {
    // The price of ether in cents, so the result is rounded down to a cent.
    const cents = (total('buy', 3) * 251_137n) / 10n ** 18n;
    const dollars = (amount: bigint): Choice => ({ side: 'buy', amount: `${Number(amount) / 100}`, unit: 'usd' });
    expect(tickets(dollars(cents))).to.equal(2);
    expect(tickets(dollars(cents + 1n))).to.equal(3);
    expect(stepAt(buys, dollars(cents + 1n), undefined)).to.equal(undefined);
  });

  it('is written in each unit as a text that stands for exactly the same step', () => {
    const sides = fc.constantFrom<Side>('buy', 'sell');
    const units = fc.constantFrom<Unit>('tickets', 'eth', 'usd');
    fc.assert(
      fc.property(
        sides,
        units,
        fc.integer({ min: 2, max: 3000 }),
        fc.integer({ min: 10_000, max: 2_000_000 }),
        (side, unit, supply, cents) => {
          const steps = stepsAt(side, supply);
          const ethUsd = cents / 100;
          return steps.every(
            (step) => stepAt(steps, { side, unit, amount: amountOf(steps, step, side, unit, ethUsd) }, ethUsd) === step,
          );
        },
      ),
    );
  });

  it('in dollars is rounded to cents, up for a purchase and down for a sale', () => {
    const [bought, sold] = [buys[2], sales[2]];
    if (!bought || !sold) throw new Error('no step');
    const cents = (wei: bigint) => (wei * 251_137n) / 10n ** 18n;
    expect(amountOf(buys, bought, 'buy', 'usd', ETH_USD).replace('.', '')).to.equal(String(cents(bought.total) + 1n));
    expect(amountOf(sales, sold, 'sell', 'usd', ETH_USD).replace('.', '')).to.equal(String(cents(sold.total)));
  });

  it('is refused with the reason if no trade can have it', () => {
    const faultOf = (amount: string, unit: Unit, side: Side = 'buy') =>
      amountFault(side === 'buy' ? buys : sales, { side, amount, unit }, ETH_USD);
    const inEther = (side: Side, n: number) => `${formatEth(total(side, n))}\u00a0ETH`;
    const most = inEther('buy', 20);
    for (const [amount, fault] of [
      [formatEth(total('buy', 1) - 1n), `One ticket costs ${inEther('buy', 1)}.`],
      [formatEth(total('buy', 20) + 1n), `Max ${most} per trade: 20 tickets.`],
      ['1000000', `Max ${most} per trade: 20 tickets.`],
      ...['0', '-1', '0,5', 'abc', '1e-2', `0.${'0'.repeat(18)}1`].map(
        (text) => [text, 'Enter an amount of ETH, such as 0.05.'] as const,
      ),
      [' ', 'Enter an amount.'],
    ] as const) {
      expect(tickets({ side: 'buy', amount, unit: 'eth' }), amount).to.equal(undefined);
      expect(faultOf(amount, 'eth'), amount).to.equal(fault);
    }
    expect(faultOf('12.5x', 'usd')).to.equal('Enter an amount of US dollars, such as 12.50.');
    const [least] = buys;
    const dollars = least && amountOf(buys, least, 'buy', 'usd', ETH_USD);
    expect(faultOf('0.000001', 'usd')).to.equal(`One ticket costs $${dollars}.`);
    expect(tickets({ side: 'buy', amount: String(dollars), unit: 'usd' }), 'the limit itself').to.equal(1);
    expect(faultOf(formatEth(total('sell', 12) + 1n), 'eth', 'sell')).to.equal(
      `A sale of 12 tickets returns at most ${inEther('sell', 12)}.`,
    );
  });

  it('is read from the address of the page, with its side and unit', () => {
    const asked = (search: string) => choiceIn(new URL(`https://curvet.test/agents/ada${search}`));
    expect(asked('')).to.deep.equal({ side: 'buy', amount: '1', unit: 'tickets' });
    expect(asked('?side=sell&amount=0.5&unit=eth')).to.deep.equal({ side: 'sell', amount: '0.5', unit: 'eth' });
    expect(asked('?amount=3&unit=pounds')).to.deep.equal({ side: 'buy', amount: '3', unit: 'tickets' });
  });
});
