import type { Sentence } from '../../format/sentence.js';
import { Amount } from './amount.js';

/** A sentence. Its amounts show their exact wei like all others. */
export const Words = ({ of }: { readonly of: Sentence }) => (
  <>{[of].flat().map((part) => (typeof part === 'bigint' ? <Amount wei={part} usd="none" /> : part))}</>
);
