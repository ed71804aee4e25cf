import { distance } from 'fastest-levenshtein';
import { z } from 'zod';
import { AppError } from '../errors/errors.js';
import { baseOf } from './fields.js';

/**
 * Refuses a name that an operation does not declare if it resembles a declared name that the request lacks. Otherwise a request
 * with `deadlineSecond=60` would get a transaction that never expires. All other undeclared names are ignored.
 */
export function refuseMisspelled({ shape }: z.ZodObject, sent: readonly string[]): void {
  const unknown = sent.filter((name) => !Object.hasOwn(shape, name));
  if (unknown.length === 0) return;
  // A field of type never is declared in order to be refused, so nobody meant it.
  const lacking = Object.keys(shape).filter(
    (name) => !sent.includes(name) && !(baseOf(shape[name] as z.ZodType) instanceof z.ZodNever),
  );
  for (const field of unknown) {
    const meant = lacking.filter((name) => resembles(field, name));
    if (meant.length > 0) throw new AppError('UNKNOWN_PARAMETER', { field, meant: meant.join(' or ') });
  }
}

/** Maximum number of letters by which a name may differ from a declared one. */
const MAX_EDITS = 2;

/**
 * Whether a name is a declared one without its prefix, or has at most two other letters. The letters must be less than half of
 * the declared name, or swapped, because everything short resembles everything short. Letter case is ignored.
 */
export function resembles(name: string, declared: string): boolean {
  const [a, b] = [name.toLowerCase(), declared.toLowerCase()];
  const start = b.length - a.length;
  if (start > 0 && b.endsWith(a) && declared[start] !== b[start]) return true;
  if (Math.abs(start) > MAX_EDITS) return false;
  const edits = distance(a, b);
  return edits <= MAX_EDITS && (edits < b.length / 2 || sorted(a) === sorted(b));
}

const sorted = (text: string): string => [...text].sort().join();
