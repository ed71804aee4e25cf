import type { Wei } from '../../../src/values/money.js';
import { etherText } from './ether.js';

type Part = string | Wei;
/** A sentence as text, or as a list of its parts. Amounts in it are in wei, so that the page can show them exactly. */
export type Sentence = string | readonly Part[];

/** A template tag that makes a sentence. The values in the template are words, amounts or other sentences. */
export const sentence = (words: TemplateStringsArray, ...values: readonly (Sentence | Wei)[]): Sentence =>
  words.flatMap((text, i) => [text, ...[values[i] ?? ''].flat()]);

/** The sentence as text, with rounded amounts. */
export const plainText = (of: Sentence): string =>
  [of]
    .flat()
    .map((part) => (typeof part === 'bigint' ? etherText(part) : part))
    .join('');
