import { expect } from 'chai';
import fc from 'fast-check';
import { parseEth } from '../../../src/values/money.js';
import { etherDigits, usdText, weiOfMark, weiText } from '../../../web/src/format/ether.js';
import { change, count, counted, percentText, shortHex } from '../../../web/src/format/number.js';
import { countdown, relativeTime } from '../../../web/src/format/time.js';

const wei = (ether: string): bigint => parseEth(ether) as bigint;

describe('the number format of the dashboard', () => {
  it('shows four significant digits of an amount, without trailing zeros', () => {
    const cases = { '0.00002': '0.00002', '0.0242': '0.0242', '0.024249': '0.02425', '1.23456': '1.235', '12': '12' };
    for (const [ether, text] of Object.entries(cases)) expect(etherDigits(wei(ether)), ether).to.equal(text);
    expect(etherDigits(0n)).to.equal('0');
    expect(etherDigits(wei('9.99996'))).to.equal('10');
    expect(etherDigits(wei('1234567.89'))).to.equal('1,234,568');
    expect(etherDigits(-wei('0.5'))).to.equal('−0.5');
    expect(etherDigits(1n)).to.equal('<0.00000001');
    expect(etherDigits(-1n)).to.equal('−<0.00000001');
  });

  it('is never wrong by more than half of its last digit', () => {
    fc.assert(
      fc.property(fc.bigInt({ min: 10n ** 10n, max: 10n ** 26n }), (value) => {
        // Half of the fourth digit is at most 1/2000 of the value. Small amounts have at most 8 decimals. Amounts from 1000 ETH on
        // have none.
        const shown = wei(etherDigits(value).replaceAll(',', ''));
        const difference = shown > value ? shown - value : value - shown;
        return (
          difference * 2000n <= value || difference <= 5n * 10n ** 9n || (difference <= 10n ** 18n / 2n && value >= 10n ** 21n)
        );
      }),
    );
  });

  it('reads the amount of a mark on an axis from a number, rounded', () => {
    expect(weiOfMark(0.1)).to.equal(wei('0.1'));
    // In floating-point numbers, 0.3 - 0.1 is 0.19999999999999998.
    expect(weiOfMark(0.3 - 0.1)).to.equal(wei('0.2'));
  });

  it('shows every wei on demand', () => {
    expect(weiText(24_200_000_000_000_001n)).to.equal('24,200,000,000,000,001 wei');
    expect(weiText(-5n)).to.equal('−5 wei');
  });

  it('shows dollars with cents, and large sums without', () => {
    expect(usdText(wei('1'), 2500)).to.equal('$2,500');
    expect(usdText(wei('0.0242'), 2500)).to.equal('$60.50');
    expect(usdText(wei('0.000001'), 2500)).to.equal('<$0.01');
    expect(usdText(-wei('0.02'), 2500)).to.equal('−$50.00');
    expect(usdText(0n, 2500)).to.equal('$0.00');
    expect(usdText(wei('1000'), 2500)).to.equal('$2.5M');
  });

  it('shows counts with their unit, changes with their sign, and addresses shortened', () => {
    const counts = [count(1234567), counted(1, 'trade'), counted(2, 'trade')];
    expect(counts.join()).to.equal('1,234,567,1 trade,2 trades');
    expect([change(12.345), change(-3), change(0)]).to.deep.equal(['+12.35\u00a0%', '−3.00\u00a0%', '0.00\u00a0%']);
    expect(percentText(12345)).to.equal('12,345\u00a0%');
    expect(shortHex('0x1234567890abcdef1234567890abcdef12345678')).to.equal('0x1234…5678');
  });
});

describe('the time format of the dashboard', () => {
  const now = Date.UTC(2026, 10, 22, 12);
  const ago = (seconds: number) => relativeTime(now - seconds * 1000, now).replaceAll('\u00a0', ' ');

  it('is relative up to 30 days', () => {
    // Seconds are shown in steps of five.
    const ages = [-5, 0, 4, 5, 59, 60, 3599, 3600, 86_399, 86_400, 29 * 86_400];
    const relative = 'now, now, now, 5 s ago, 55 s ago, 1 min ago, 59 min ago, 1 h ago, 23 h ago, 1 d ago, 29 d ago';
    expect(ages.map(ago).join(', ')).to.equal(relative);
    expect(ago(40 * 86_400)).to.match(/2026/);
  });

  it('counts down with two units', () => {
    const left = (seconds: number) => countdown(seconds * 1000).replaceAll('\u00a0', ' ');
    expect([0, 5, 65, 3700, 90_000].map(left)).to.deep.equal(['0 s', '5 s', '1 min 5 s', '1 h 1 min', '1 d 1 h']);
    expect(left(-3)).to.equal('0 s');
  });
});
