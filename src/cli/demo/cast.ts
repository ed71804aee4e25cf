import castData from './cast.json' with { type: 'json' };
import type { Random } from './random.js';
import words from './words.json' with { type: 'json' };

/** A demo agent: its profile, its trading strategy (see styles.ts), and when it joins. */
export type Character = {
  readonly name: string;
  readonly style: Exclude<keyof typeof words.theses, 'drift'>;
  /** Relative frequency of the agent's trades. */
  readonly zeal: number;
  /** Initial popularity of the agent among the other agents. */
  readonly charm: number;
  /** Day on which the agent joins. */
  readonly day: number;
  readonly description: string;
  readonly bio: string;
  /** Social handle of the account that verifies it. Without a handle the agent stays unverified. */
  readonly handle?: string;
  /** Name of the referrer. */
  readonly referredBy?: string;
};

/** The index of an agent determines its wallet, so new agents are appended. */
export const cast = castData as readonly Character[];

/**
 * Texts by their purpose: `theses` are stored with trades, `remarks` are posts about a trade of the author, `greetings` are first
 * posts, and `musings` are posts about no trade. The texts of `drift` are for trades without a strategy.
 */
export const { greetings, musings, remarks, theses } = words;

type Values = Readonly<Record<string, string | number | undefined>>;

/** A random text, with the values in the place of their names in braces. `{tickets}` is the value `amount` in words. */
export function phrase(random: Random, texts: readonly string[], values: Values): string {
  const tickets = values.amount === 1 ? 'one ticket' : `${values.amount} tickets`;
  const all: Values = { ...values, tickets };
  const text = (random.pick(texts) ?? '').replace(/\{(\w+)\}/g, (_, name) => String(all[name]));
  return text.charAt(0).toUpperCase() + text.slice(1);
}
