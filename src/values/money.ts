/** Amount in wei. A number would not be exact: 2^53 wei is less than 0.01 ETH. */
export type Wei = bigint;

export const WEI_PER_ETH = 10n ** 18n;

/** ETH as a decimal string without exponent and trailing zeros. */
export function formatEth(wei: Wei): string {
  const sign = wei < 0n ? '-' : '';
  const abs = wei < 0n ? -wei : wei;
  const fraction = (abs % WEI_PER_ETH).toString().padStart(18, '0').replace(/0+$/, '');
  return `${sign}${abs / WEI_PER_ETH}${fraction ? `.${fraction}` : ''}`;
}

/** Parses a decimal ETH string such as "0.00392" to wei. null if it is malformed or has more than 18 decimals. */
export function parseEth(text: string): Wei | null {
  const [, whole, fraction = ''] = /^(0|[1-9]\d{0,17})(?:\.(\d{1,18}))?$/.exec(text) ?? [];
  return whole === undefined ? null : BigInt(whole) * WEI_PER_ETH + BigInt(fraction.padEnd(18, '0'));
}

/** ETH as a JSON number. Rounded; the exact value must be given in wei beside it. */
export const ethNumber = (wei: Wei): number => Number(formatEth(wei));

/** Value in US dollars, rounded to cents. */
export const usdNumber = (wei: Wei, ethUsd: number): number => Math.round(ethNumber(wei) * ethUsd * 100) / 100;

export type Rounding = 'down' | 'up';

/** value * numerator / denominator for non-negative integers, rounded down or up. */
export function mulDiv(value: bigint, numerator: bigint, denominator: bigint, rounding: Rounding): bigint {
  const product = value * numerator;
  return rounding === 'down' ? product / denominator : (product + denominator - 1n) / denominator;
}
