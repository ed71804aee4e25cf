import { readFileSync } from 'node:fs';
import { expect } from 'chai';
import fc from 'fast-check';
import * as rules from '../../../src/features/pricing/rules.js';

const vectors = JSON.parse(readFileSync('test/vectors/curve.json', 'utf8')) as Record<'buys' | 'sells', string[][]>;
const numbers = (row: string[]) => row.map(BigInt) as [bigint, bigint, bigint, bigint, bigint, bigint, bigint, bigint];

const supply = fc.bigInt({ min: 1n, max: 2n ** 32n });
const amount = fc.bigInt({ min: 1n, max: rules.MAX_TICKETS_PER_TRADE });
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

  it('equals the sum of the squared supplies, scaled to ETH', () => {
    fc.assert(
      fc.property(supply, amount, (supply, amount) => {
        let squares = 0n;
        for (let i = supply; i < supply + amount; i++) squares += i * i;
        expect(rules.getPrice(supply, amount)).to.equal((squares * 10n ** 18n) / 50_000n);
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

describe('the lowest supply at which a ticket costs a given price', () => {
  it('has a lower ticket price below it and at least the given price at it', () => {
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
