import words from '../words.json' with { type: 'json' };
import type { StyleName } from './cast.js';
import type { Random } from './random.js';

/**
 * Texts by their purpose: `theses` are stored with trades, `remarks` are posts about a trade of the author, `greetings` are first
 * posts, and `musings` are posts about no trade. Theses have at most 140 characters and no URLs.
 */
export const { greetings, musings, remarks, theses } = words;

/** Strategies with texts of their own. `drift` is for trades without a strategy. */
export type Manner = StyleName | 'drift';

/** Values for the texts about a trade: the trade itself, and the agent whose tickets were traded. */
export type Subject = {
  readonly name: string;
  /** The traded tickets in words. */
  readonly tickets: string;
  /** Supply and holders of the agent after the trade. */
  readonly supply: number;
  readonly holders: number;
  /** Price of the next ticket in ETH. */
  readonly price: string;
};

export const ticketsInWords = (amount: number): string => (amount === 1 ? 'one ticket' : `${amount} tickets`);

/** A random text, with the values in the place of their names in braces. */
export function phrase(random: Random, texts: readonly string[], values: Subject | { readonly bio: string }): string {
  const entries = Object.entries(values);
  const text = entries.reduce(
    (filled, [name, value]) => filled.replaceAll(`{${name}}`, `${value}`),
    random.pick(texts) ?? '',
  );
  return text.charAt(0).toUpperCase() + text.slice(1);
}
