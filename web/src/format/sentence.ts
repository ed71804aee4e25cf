import type { Wei } from '../../../src/values/money.js';
import { etherText } from './ether.js';

type Part = string | Wei;
/** A sentence. Its amounts are in wei, so that the page can show them exactly. */
export type Sentence = string | readonly Part[];

/** Makes a sentence of a template whose values are words, amounts or sentences. */
export const sentence = (words: TemplateStringsArray, ...values: readonly (Sentence | Wei)[]): Sentence =>
  words.flatMap((text, i) => [text, ...[values[i] ?? ''].flat()]);

/** The sentence as text, with rounded amounts. */
export const plainText = (of: Sentence): string =>
  [of]
    .flat()
    .map((part) => (typeof part === 'bigint' ? etherText(part) : part))
    .join('');
