import type { Wei } from '../../../src/values/money.js';

/** Number of significant digits of a shown amount. */
const DIGITS = 4;
/** Maximum number of decimals of a shown amount. Amounts too small for it are shown as "<0.00000001". */
const MAX_DECIMALS = 8;

const NO_BREAK = '\u00a0';
const MINUS = '\u2212';

/**
 * Converts a mark on an axis from ether to wei. Marks are numbers, because they are computed from positions on the screen. The
 * result is rounded to 10^9 wei, since a number is not exact to the wei.
 */
export const weiOfMark = (ether: number): Wei => BigInt(Math.round(ether * 1e9)) * 1_000_000_000n;

/** An amount with four significant digits, such as 0.02421 or 12.5. Thousands are grouped. */
export function etherDigits(wei: Wei): string {
  if (wei === 0n) return '0';
  const size = wei < 0n ? -wei : wei;
  const sign = wei < 0n ? MINUS : '';
  if (size < 10n ** BigInt(18 - MAX_DECIMALS)) return `${sign}<0.${'1'.padStart(MAX_DECIMALS, '0')}`;
  // Position of the first digit: 0 for 1 to 9 ether, -1 for 0.1 to 0.9 ether.
  const magnitude = size.toString().length - 19;
  const decimals = Math.min(MAX_DECIMALS, Math.max(0, DIGITS - 1 - magnitude));
  const unit = 10n ** BigInt(18 - decimals);
  const rounded = (size + unit / 2n) / unit;
  const text = rounded.toString().padStart(decimals + 1, '0');
  const whole = text.slice(0, text.length - decimals);
  const fraction = decimals === 0 ? '' : text.slice(-decimals).replace(/0+$/, '');
  return sign + grouped(whole) + (fraction && `.${fraction}`);
}

const grouped = (digits: string): string => digits.replace(/\B(?=(\d{3})+$)/g, ',');

export const etherText = (wei: Wei): string => `${etherDigits(wei)}${NO_BREAK}ETH`;

/** All digits of an amount, for places where four significant digits are not enough. */
export const weiText = (wei: Wei): string => `${wei < 0n ? MINUS : ''}${grouped(String(wei < 0n ? -wei : wei))} wei`;

/** The amount in US dollars at the given price of one ether: with cents below $1,000, and in millions from $1,000,000 on. */
export function usdText(wei: Wei, ethUsd: number): string {
  const usd = (Number(wei) / 1e18) * ethUsd;
  const size = Math.abs(usd);
  const sign = usd < 0 ? MINUS : '';
  if (size > 0 && size < 0.005) return `${sign}<$0.01`;
  if (size >= 1e6) return `${sign}$${trimmed(size / 1e6)}M`;
  const decimals = size >= 1000 ? 0 : 2;
  const [whole = '', fraction] = size.toFixed(decimals).split('.');
  return `${sign}$${grouped(whole)}${fraction === undefined ? '' : `.${fraction}`}`;
}

const trimmed = (value: number): string => value.toFixed(2).replace(/\.?0+$/, '');
