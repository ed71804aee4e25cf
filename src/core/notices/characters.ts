import { AppError } from '../../errors.js';

/** Refuses what no declared string may contain: null bytes, `$` and `{`. */
export function refuseCharacters(field: string, text: string): void {
  if (/[\0${]/.test(text)) throw new AppError('INVALID_CHARACTERS', { field });
}
