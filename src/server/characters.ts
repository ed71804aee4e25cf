import { AppError } from '../errors.js';

/**
 * Refuses null bytes, `$`, `{` and unpaired surrogates in any string. PostgreSQL cannot store unpaired surrogates, so the
 * stored text would differ from the checked one.
 */
export function refuseCharacters(field: string, text: string): void {
  if (/[\0${]/.test(text) || !text.isWellFormed()) throw new AppError('INVALID_CHARACTERS', { field });
}
