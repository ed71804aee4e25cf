import { readFileSync } from 'node:fs';
import { expect } from 'chai';
import fc from 'fast-check';
import * as rules from '../../../src/values/curve.js';
import { formatEth } from '../../../src/values/money.js';

const vectors = JSON.parse(readFileSync('test/vectors/curve.json', 'utf8')) as Record<'buys' | 'sells', string[][]>;
const numbers = (row: string[]) => row.map(BigInt) as [bigint, bigint, bigint, bigint, bigint, bigint, bigint, bigint];

/** The sum of the squares of `amount` supplies from `supply` on, computed in a plain loop without the functions of the service. */
const squares = (supply: number, amount: number): bigint => {
  let sum = 0n;
  for (let i = 0; i < amount; i++) sum += BigInt(supply + i) ** 2n;
  return sum;
};

const supply = fc.bigInt({ min: 1n, max: 2n ** 32n });
const amount = fc.bigInt({ min: 1n, max: rules.MAX_TICKETS_PER_TRADE });
/** Fee rates in basis points, together at most 10 %, as the contract demands. */
const split = fc
  .bigInt({ min: 0n, max: 1000n })
  .chain((protocolBps) =>
    fc.record({ protocolBps: fc.constant(protocolBps), agentBps: fc.bigInt({ min: 0n, max: 1000n - protocolBps }) }),
  );
const slippage = fc.bigInt({ min: 0n, max: 10_000n });

describe('the bonding curve', () => {
  it('computes every committed buy and sell quote to the wei', () => {
    expect(vectors.buys).to.have.length.above(60);
    expect(vectors.sells).to.have.length.above(50);
    for (const [quote, rows] of [
      [rules.buyQuote, vectors.buys],
      [rules.sellQuote, vectors.sells],
    ] as const) {
      for (const row of rows) {
        const [supply, amount, protocolBps, agentBps, price, protocolFee, agentFee, total] = numbers(row);
        const expected = { price, protocolFee, agentFee, total };
        expect(quote(supply, amount, { protocolBps, agentBps }), `${row}`).to.deep.equal(expected);
      }
    }
  });

  it('prices tickets at the sum of the squared supplies, scaled to ETH', () => {
    fc.assert(
      fc.property(supply, amount, (supply, amount) => {
        const sum = squares(Number(supply), Number(amount));
        expect(rules.getPrice(supply, amount)).to.equal((sum * 10n ** 18n) / 50_000n);
      }),
    );
  });

  it('refuses negative arguments and the sale of the last ticket', () => {
    expect(() => rules.getPrice(-1n, 1n)).to.throw(RangeError, 'no price of 1 tickets at supply -1');
    expect(() => rules.getPrice(1n, -1n)).to.throw(RangeError, 'no price of -1 tickets at supply 1');
    expect(() => rules.sellPrice(5n, 5n)).to.throw(RangeError, '5 of 5 tickets cannot be sold');
    expect(() => rules.sellQuote(1n, 1n, { protocolBps: 0n, agentBps: 0n })).to.throw(RangeError);
    expect(rules.sellPrice(5n, 4n)).to.equal(rules.getPrice(1n, 4n));
  });
});

describe('fees', () => {
  it('are exact, without rounding', () => {
    fc.assert(
      fc.property(supply, amount, split, (supply, amount, split) => {
        const price = rules.buyPrice(supply, amount);
        const { protocolFee, agentFee } = rules.fees(price, split);
        expect(protocolFee * 10_000n).to.equal(price * split.protocolBps);
        expect(agentFee * 10_000n).to.equal(price * split.agentBps);
      }),
    );
  });
});

describe('slippage', () => {
  it('rounds a cost up and a payout down, by less than one wei', () => {
    fc.assert(
      fc.property(fc.bigInt({ min: 0n, max: 2n ** 96n }), slippage, (total, slippage) => {
        const up = rules.withBuySlippage(total, slippage) * 10_000n - total * (10_000n + slippage);
        const down = total * (10_000n - slippage) - rules.withSellSlippage(total, slippage) * 10_000n;
        expect(up >= 0n && up < 10_000n, `up ${up}`).to.equal(true);
        expect(down >= 0n && down < 10_000n, `down ${down}`).to.equal(true);
      }),
    );
  });

  it('is between 0 and 10,000 basis points', () => {
    expect(() => rules.withBuySlippage(1n, -1n)).to.throw(RangeError, 'no slippage of -1 basis points');
    expect(() => rules.withSellSlippage(1n, 10_001n)).to.throw(RangeError, 'no slippage of 10001 basis points');
    expect(rules.withSellSlippage(9n, 10_000n)).to.equal(0n);
  });
});

describe('the lowest supply at which a ticket costs at least a given price', () => {
  it('reaches the price, while one ticket less does not', () => {
    expect(rules.supplyPricedFrom(0n)).to.equal(0n);
    fc.assert(
      fc.property(fc.bigInt(1n, 10n ** 30n), (price) => {
        const supply = rules.supplyPricedFrom(price);
        expect(rules.unitPrice(supply) >= price).to.equal(true);
        expect(rules.unitPrice(supply - 1n) < price).to.equal(true);
      }),
      { examples: [[1n], [rules.unitPrice(1n)], [rules.unitPrice(1n) + 1n], [rules.unitPrice(100n)]] },
    );
  });
});

// The tests below check what docs/contract.md and the guide contract-calls.md say about sandwich attacks: an attacker buys right
// before a victim's purchase, and sells right after it. Plain loops over the curve compute the figures.

const SQUARE = 10n ** 18n / 50_000n;
/** Cost of a purchase at `supply` with fees of 10 %, in wei. */
const cost = (supply: number, amount: number) => (squares(supply, amount) * SQUARE * 11n) / 10n;
/** Payout of a sale down to `supply` after fees of 10 %, in wei. */
const payout = (supply: number, amount: number) => (squares(supply, amount) * SQUARE * 9n) / 10n;

/**
 * Gain of an attacker, in wei, who buys `attack` tickets before a purchase of `amount`
 * tickets at `supply`, and sells them after it.
 */
const gain = (supply: number, amount: number, attack: number) => payout(supply + amount, attack) - cost(supply, attack);
/** How much more the victim pays because of the attack, in percent. */
const dearer = (supply: number, amount: number, attack: number) =>
  (Number(cost(supply + attack, amount)) / Number(cost(supply, amount)) - 1) * 100;

describe('a sandwich around a purchase', () => {
  it('gains at most 0.078 ETH within the bound of a quote in the example of the guide', () => {
    // A quote allows a price that is 5 % higher. 2 tickets raise the victim's cost by less than that. 3 tickets raise it by more,
    // so its purchase would revert.
    expect(formatEth(gain(100, 20, 2))).to.equal('0.078316');
    expect(dearer(100, 20, 2))
      .to.be.within(3.67, 3.68)
      .and.below(5);
    expect(dearer(100, 20, 3)).to.be.above(5);
    expect(formatEth(gain(100, 20, 1))).to.equal('0.0392');
    expect(dearer(100, 20, 1)).to.be.within(1.82, 1.84);
  });

  it('has the same figures in the guide and in docs/contract.md', () => {
    const read = (path: string) => readFileSync(path, 'utf8').replace(/\s+/g, ' ');
    const docs = read('src/features/guides/docs/contract-calls.md');
    expect(docs).to.include('At supply 100, you buy 20 tickets with the 5 % of a quote. Somebody buys 2 before you');
    expect(docs).to.include('gains 0.078 ETH; you pay 3.7 % more');
    expect(docs).to.include('it would make your purchase 1.8 % more expensive');
    const page = read('docs/contract.md');
    expect(page).to.include('An attacker that buys 2 tickets raises the victim');
    expect(page).to.include('and gains 0.078 ether');
    expect(page).to.include('not one with a single ticket (1.8 %, 0.039 ether). A bound of 1 % stops both');
  });

  it('never gains if the purchase raises the ticket price by less than 10 %, not even for the agent', () => {
    const range = fc.record({
      supply: fc.integer({ min: 1, max: 2000 }),
      amount: fc.integer({ min: 1, max: 20 }),
      attack: fc.integer({ min: 1, max: 60 }),
    });
    /**
     * Gain of an agent that attacks in its own tickets, in hundredths of `SQUARE`. The agent fee returns to the
     * agent, so it only pays the protocol fee of 5 %.
     */
    const ofAgent = (supply: number, amount: number, attack: number) =>
      95n * squares(supply + amount, attack) - 105n * squares(supply, attack);
    let safe = 0;
    fc.assert(
      fc.property(range, ({ supply, amount, attack }) => {
        if ((supply + amount) ** 2 >= supply ** 2 * 1.1) return;
        safe += 1;
        expect(ofAgent(supply, amount, attack) < 0n).to.equal(true);
        expect(gain(supply, amount, attack) < 0n).to.equal(true);
      }),
      { numRuns: 2000 },
    );
    expect(safe).to.be.above(1000);
    // Above 10 %, an attack can gain: 6 tickets at a supply of 100 raise the price by 12 % (106² / 100²), and the agent itself
    // gains if it buys 1 ticket before them.
    expect(ofAgent(100, 6, 1) > 0n).to.equal(true);
  });
});
