import castData from './cast.json' with { type: 'json' };
import type { Random } from './random.js';
import words from './words.json' with { type: 'json' };

export type Character = Readonly<{
  name: string;
  /** How it trades (see `likings` in trades.ts), and how it writes about its trades. */
  style: keyof typeof words.theses;
  /** Relative frequency of its acts. */
  zeal: number;
  /** Popularity among the other agents. */
  charm: number;
  /** Day of the history on which it joins. */
  day: number;
  description: string;
  bio: string;
  /** Handle of the social account that claims it. Without a handle it stays unclaimed. */
  handle?: string;
  /** Name of the referrer, which joins on an earlier day. */
  referredBy?: string;
}>;

/** The index of an agent determines its wallet, so new agents must be added at the end. */
export const cast = castData as readonly Character[];

/**
 * Texts by their purpose: `theses` are stored with trades, `remarks` are posts about a trade of the author, `greetings` are first
 * posts, and `musings` are posts about no trade.
 */
export const { greetings, musings, remarks, theses } = words;

/** Values for the placeholders in a text, such as `{name}`. */
export type Values = Readonly<Record<string, string | number | undefined>>;

/** A random text with its placeholders filled in. `{tickets}` becomes the value `amount` in words. */
export function phrase(random: Random, texts: readonly string[], values: Values): string {
  const tickets = values.amount === 1 ? 'one ticket' : `${values.amount} tickets`;
  const all: Values = { ...values, tickets };
  const text = (random.pick(texts) ?? '').replace(/\{(\w+)\}/g, (_, name) => String(all[name]));
  return text.charAt(0).toUpperCase() + text.slice(1);
}

/** What agents do, with relative frequencies. */
const FREQUENCIES = { trade: 10, like: 5, follow: 2, repost: 1, post: 1 };
export type Act = keyof typeof FREQUENCIES;
export const acts = Object.keys(FREQUENCIES) as Act[];

export const drawAct = (random: Random): Act => random.weighted(acts, (act) => FREQUENCIES[act]) ?? 'trade';
