/** An amount on the chain, in wei. Never a number: 2^53 wei is less than 0.01 ETH. */
export type Wei = bigint;

export const WEI_PER_ETH = 10n ** 18n;

/** ETH for display: a decimal string with no exponent and no trailing zeros. */
export function formatEth(wei: Wei): string {
  const sign = wei < 0n ? '-' : '';
  const abs = wei < 0n ? -wei : wei;
  const fraction = (abs % WEI_PER_ETH).toString().padStart(18, '0').replace(/0+$/, '');
  return `${sign}${abs / WEI_PER_ETH}${fraction ? `.${fraction}` : ''}`;
}

/** Wei of a decimal string such as "0.00392"; null if it is anything else, or finer than a wei. */
export function parseEth(text: string): Wei | null {
  const [, whole, fraction = ''] = /^(0|[1-9]\d{0,17})(?:\.(\d{1,18}))?$/.exec(text) ?? [];
  return whole === undefined ? null : BigInt(whole) * WEI_PER_ETH + BigInt(fraction.padEnd(18, '0'));
}

/** ETH as a JSON number, for figures that have the exact wei string beside them. */
export function ethNumber(wei: Wei): number {
  return Number(formatEth(wei));
}

/** US dollars of an amount, rounded to cents. */
export function usdNumber(wei: Wei, ethUsd: number): number {
  return Math.round(ethNumber(wei) * ethUsd * 100) / 100;
}

export type Rounding = 'down' | 'up';

/** value * numerator / denominator for non-negative operands, in full precision. */
export function mulDiv(value: bigint, numerator: bigint, denominator: bigint, rounding: Rounding): bigint {
  const product = value * numerator;
  return rounding === 'down' ? product / denominator : (product + denominator - 1n) / denominator;
}
