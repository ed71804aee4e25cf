import { AppError } from '../../errors/errors.js';
import { checkLength, cleanText, hasUrl } from '../../values/text.js';

/** Longest thesis, in code points. */
export const MAX_THESIS_LENGTH = 140;

/** Cleans and checks a thesis. null if the clean text is empty. */
export function checkThesis(raw: string): string | null {
  const text = cleanText(raw);
  if (hasUrl(text)) throw new AppError('THESIS_HAS_URL');
  checkLength('thesis', text, MAX_THESIS_LENGTH);
  return text === '' ? null : text;
}
