import { parseEth, type Wei } from '../../../src/values/money.js';
import { alertTexts } from './texts.js';
import type { PriceAlert, ProfitAlert } from './watchlist.js';

const words = alertTexts;

/** What an alert of that kind waits for, or why the text of its field stands for none. */
type Read<Wanted> = { readonly wanted: Wanted } | { readonly fault: string };

/** The price for which the text of the field stands. It is awaited from the side on which the present price is. */
export function priceIn(text: string, now: Wei): Read<Pick<PriceAlert, 'kind' | 'wei' | 'rises'>> {
  const wei = parseEth(text.trim());
  if (!wei) return { fault: words.faults.price };
  if (wei === now) return { fault: words.faults.now };
  return { wanted: { kind: 'price', wei: String(wei), rises: wei > now } };
}

/** The profit for which the text of the field stands, in percent. A loss has a minus sign. */
export function profitIn(text: string, now: number): Read<Pick<ProfitAlert, 'kind' | 'percent' | 'rises'>> {
  const plain = text.trim().replace('\u2212', '-');
  const percent = /^[+-]?\d{1,6}(\.\d{1,2})?$/.test(plain) ? Number(plain) : Number.NaN;
  if (!(percent >= -100)) return { fault: words.faults.profit };
  if (percent === now) return { fault: words.faults.now };
  return { wanted: { kind: 'profit', percent, rises: percent > now } };
}

/** What tickets have cost, fees included, and what selling them now would pay. */
type Valued = { readonly cost: Wei; readonly value: Wei };

/** The profit in percent of the cost, with two decimals, rounded towards zero. undefined if the tickets cost nothing. */
export const profitOf = ({ cost, value }: Valued): number | undefined =>
  cost === 0n ? undefined : Number(((value - cost) * 10_000n) / cost) / 100;

/** Whether the price has what the alert waits for. */
export const isPriceReached = ({ wei, rises }: PriceAlert, now: Wei): boolean => (rises ? now >= BigInt(wei) : now <= BigInt(wei));

/** Whether the profit has what the alert waits for. Tickets that cost nothing have none. */
export function isProfitReached({ percent, rises }: ProfitAlert, { cost, value }: Valued): boolean {
  const [now, wanted] = [(value - cost) * 10_000n, BigInt(Math.round(percent * 100)) * cost];
  return cost > 0n && (rises ? now >= wanted : now <= wanted);
}
