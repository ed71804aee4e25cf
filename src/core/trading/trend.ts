import { unitPrice } from '../pricing/rules.js';

export const DAY_MS = 24 * 60 * 60 * 1000;

/** How much the price of one ticket changed between two supplies: percent, rounded to two decimals. */
export function priceChange(supplyBefore: number, supplyNow: number): number {
  const before = unitPrice(BigInt(supplyBefore));
  const change = (unitPrice(BigInt(supplyNow)) - before) * 10_000n;
  const half = change < 0n ? -before / 2n : before / 2n;
  return Number((change + half) / before) / 100;
}
