import { expect } from 'chai';
import fc from 'fast-check';
import { ethNumber, formatEth, mulDiv, parseEth as readEth, usdNumber, WEI_PER_ETH } from '../../../src/values/money.js';

const MAX = 2n ** 256n - 1n;
const wei = fc.bigInt({ min: -MAX, max: MAX });

/** The amount in wei of a decimal ETH string, parsed digit by digit. */
function parseEth(text: string): bigint {
  const [, sign, whole, fraction = ''] = /^(-?)(\d+)(?:\.(\d+))?$/.exec(text) as unknown as string[];
  const value = BigInt(whole as string) * WEI_PER_ETH + BigInt((fraction as string).padEnd(18, '0'));
  return sign === '-' ? -value : value;
}

describe('the conversion of amounts', () => {
  it('formats ETH exactly, without exponent, trailing zero or negative zero', () => {
    fc.assert(
      fc.property(wei, (amount) => {
        const text = formatEth(amount);
        expect(text).to.match(/^-?(0|[1-9]\d*)(\.\d{0,17}[1-9])?$/);
        expect(text).to.not.equal('-0');
        expect(parseEth(text)).to.equal(amount);
      }),
      { examples: [[0n], [-1n], [WEI_PER_ETH], [10n * WEI_PER_ETH], [MAX]] },
    );
  });

  it('parses what it formats and refuses other notations', () => {
    fc.assert(
      fc.property(fc.bigInt({ min: 0n, max: 10n ** 36n - 1n }), (amount) => {
        expect(readEth(formatEth(amount))).to.equal(amount);
      }),
    );
    expect(readEth('1.50')).to.equal(15n * 10n ** 17n);
    const others = ['', ' 1', '1 ', '-1', '+1', '1e1', '0x1', '01', '.5', '1.', '1,5', `0.${'1'.repeat(19)}`, '1n'];
    for (const text of others) expect(readEth(text), text).to.equal(null);
  });

  it('converts ETH to the nearest number', () => {
    expect(Object.is(ethNumber(0n), 0)).to.equal(true);
    // A division of two floating-point numbers would give 0.30000000000000004 here.
    expect(ethNumber(300_000_000_000_000_000n)).to.equal(0.3);
    fc.assert(
      fc.property(wei, (amount) => {
        expect(ethNumber(amount)).to.equal(Number(formatEth(amount)));
      }),
    );
  });

  it('rounds dollars to cents', () => {
    expect(usdNumber(WEI_PER_ETH, 2500)).to.equal(2500);
    expect(usdNumber(3_920_000_000_000_000n, 2500)).to.equal(9.8);
    expect(usdNumber(1_230_000_000_000n, 2500)).to.equal(0);
    expect(usdNumber(2_000_000_000_000n, 2500)).to.equal(0.01);
    expect(usdNumber(-WEI_PER_ETH / 3n, 3000)).to.equal(-1000);
    fc.assert(
      fc.property(fc.bigInt({ min: 0n, max: 10n ** 22n }), fc.integer({ min: 1, max: 10_000 }), (amount, price) => {
        // 0.005 is half a cent. The other tolerances, 1e-5 and 1e-6, are for the rounding of floating-point numbers.
        const cents = usdNumber(amount, price) * 100;
        expect(Math.abs(cents - Math.round(cents))).to.be.below(1e-5);
        expect(Math.abs(usdNumber(amount, price) - ethNumber(amount) * price)).to.be.below(0.005 + 1e-6);
      }),
    );
  });

  it('multiplies and divides in full precision and rounds in the given direction', () => {
    expect(mulDiv(0n, 7n, 3n, 'up')).to.equal(0n);
    expect(mulDiv(MAX, MAX, MAX, 'down')).to.equal(MAX);
    const some = fc.bigInt({ min: 0n, max: MAX });
    fc.assert(
      fc.property(some, some, fc.bigInt({ min: 1n, max: MAX }), (value, numerator, denominator) => {
        const down = mulDiv(value, numerator, denominator, 'down');
        const up = mulDiv(value, numerator, denominator, 'up');
        expect(down * denominator <= value * numerator).to.equal(true);
        expect((down + 1n) * denominator > value * numerator).to.equal(true);
        expect(up - down).to.equal((value * numerator) % denominator === 0n ? 0n : 1n);
      }),
    );
  });
});
