import { parseEth, type Wei } from '../../../src/values/money.js';
import { alertTexts } from './texts.js';
import type { PriceAlert, ProfitAlert } from './watchlist.js';

const words = alertTexts;

/** The result of reading the text of a form field: what the alert waits for, or a message that says why the text is not valid. */
type Read<Wanted> = { readonly wanted: Wanted } | { readonly fault: string };

/**
 * Reads the wanted price from the text of the field. The alert waits for a rise if that price is above the present one, otherwise
 * for a fall.
 */
export function priceIn(text: string, now: Wei): Read<Pick<PriceAlert, 'kind' | 'wei' | 'rises'>> {
  const wei = parseEth(text.trim());
  if (!wei) return { fault: words.faults.price };
  if (wei === now) return { fault: words.faults.now };
  return { wanted: { kind: 'price', wei: String(wei), rises: wei > now } };
}

/** Reads the wanted profit, in percent, from the text of the field. A loss has a minus sign. */
export function profitIn(text: string, now: number): Read<Pick<ProfitAlert, 'kind' | 'percent' | 'rises'>> {
  const plain = text.trim().replace('\u2212', '-');
  const percent = /^[+-]?\d{1,6}(\.\d{1,2})?$/.test(plain) ? Number(plain) : Number.NaN;
  // This also refuses NaN, because NaN is not at least -100.
  if (!(percent >= -100)) return { fault: words.faults.profit };
  if (percent === now) return { fault: words.faults.now };
  return { wanted: { kind: 'profit', percent, rises: percent > now } };
}

/** What tickets have cost, fees included, and what selling them now would pay. */
type Valued = { readonly cost: Wei; readonly value: Wei };

/** The profit in percent of the cost, with two decimals, rounded towards zero. undefined if the tickets cost nothing. */
export const profitOf = ({ cost, value }: Valued): number | undefined =>
  cost === 0n ? undefined : Number(((value - cost) * 10_000n) / cost) / 100;

/** Whether the present price has reached the price that the alert waits for. */
export const isPriceReached = ({ wei, rises }: PriceAlert, now: Wei): boolean => (rises ? now >= BigInt(wei) : now <= BigInt(wei));

/**
 * Whether the present profit has reached the profit that the alert waits for. Tickets that cost nothing have no profit in
 * percent, so they never reach it.
 */
export function isProfitReached({ percent, rises }: ProfitAlert, { cost, value }: Valued): boolean {
  // Both are in hundredths of a percent, multiplied by the cost: a division by the cost would round.
  const [now, wanted] = [(value - cost) * 10_000n, BigInt(Math.round(percent * 100)) * cost];
  return cost > 0n && (rises ? now >= wanted : now <= wanted);
}
