import { expect } from 'chai';
import fc from 'fast-check';
import { supplyPricedFrom, unitPrice } from '../../../src/features/pricing/rules.js';

describe('the lowest supply at which a ticket costs a given price', () => {
  it('is the first supply whose ticket price reaches the given price', () => {
    expect(supplyPricedFrom(0n)).to.equal(0n);
    expect(supplyPricedFrom(1n)).to.equal(1n);
    expect(supplyPricedFrom(unitPrice(1n))).to.equal(1n);
    expect(supplyPricedFrom(unitPrice(1n) + 1n)).to.equal(2n);
    expect(supplyPricedFrom(unitPrice(100n))).to.equal(100n);
  });

  it('has a lower ticket price below it and at least the given price at it', () => {
    fc.assert(
      fc.property(fc.bigInt(1n, 10n ** 30n), (price) => {
        const supply = supplyPricedFrom(price);
        expect(unitPrice(supply) >= price).to.equal(true);
        expect(unitPrice(supply - 1n) < price).to.equal(true);
      }),
    );
  });
});
