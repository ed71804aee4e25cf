import { AppError } from '../../errors.js';

/**
 * Refuses what no declared string may contain: null bytes, `$` and `{`, and halves of a surrogate pair, which no
 * database keeps as they are: what is stored would not be what was compared.
 */
export function refuseCharacters(field: string, text: string): void {
  if (/[\0${]/.test(text) || !text.isWellFormed()) throw new AppError('INVALID_CHARACTERS', { field });
}
