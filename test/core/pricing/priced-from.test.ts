import { expect } from 'chai';
import fc from 'fast-check';
import { supplyPricedFrom, unitPrice } from '../../../src/core/pricing/rules.js';

describe('the supply from which a ticket costs a price', () => {
  it('is the first at which it costs that much', () => {
    expect(supplyPricedFrom(0n)).to.equal(0n);
    expect(supplyPricedFrom(1n)).to.equal(1n);
    expect(supplyPricedFrom(unitPrice(1n))).to.equal(1n);
    expect(supplyPricedFrom(unitPrice(1n) + 1n)).to.equal(2n);
    expect(supplyPricedFrom(unitPrice(100n))).to.equal(100n);
  });

  it('has a lower price below it and at least the price at it, for any price', () => {
    fc.assert(
      fc.property(fc.bigInt(1n, 10n ** 30n), (price) => {
        const supply = supplyPricedFrom(price);
        expect(unitPrice(supply) >= price).to.equal(true);
        expect(unitPrice(supply - 1n) < price).to.equal(true);
      }),
    );
  });
});
