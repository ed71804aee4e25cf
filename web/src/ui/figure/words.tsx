import type { Sentence } from '../../format/sentence.js';
import { Amount } from './amount.js';

/** Shows a sentence. Its amounts have a tip with the exact wei, like all other amounts. */
export const Words = ({ of }: { readonly of: Sentence }) => (
  <>{[of].flat().map((part) => (typeof part === 'bigint' ? <Amount wei={part} usd="none" /> : part))}</>
);
