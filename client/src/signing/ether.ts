import { withoutKeys } from '../errors.js';

/** An amount of ether: a decimal text in ETH, such as `'0.01'`, or wei as a bigint. */
export type Ether = string | bigint;

export function toWei(amount: Ether): bigint {
  if (typeof amount === 'bigint') return amount;
  const [, whole = '', part = ''] = /^(\d+)(?:\.(\d{1,18}))?$/.exec(amount) ?? [];
  if (whole === '') throw new RangeError(`"${withoutKeys(amount)}" is not an amount of ETH`);
  return BigInt(whole + part.padEnd(18, '0'));
}

/** Decimal text in ETH, without trailing zeros. */
export function toEth(wei: bigint): string {
  if (wei < 0n) return `-${toEth(-wei)}`;
  const digits = wei.toString().padStart(19, '0');
  return `${digits.slice(0, -18)}.${digits.slice(-18)}`.replace(/\.?0+$/, '');
}
