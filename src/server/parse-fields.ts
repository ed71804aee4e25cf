import type { z } from 'zod';
import { AppError, type ErrorCode } from '../errors.js';
import { refuseCharacters } from './characters.js';

/** Error code and expected form of a field, see fields.ts. */
export type FieldMeta = { readonly code?: ErrorCode; readonly expected?: string };

/**
 * Parses the declared fields of a path, query or body. Undeclared fields are ignored. The first invalid field, in the
 * order of declaration, determines the error.
 */
export function parseFields(
  place: 'path' | 'query' | 'body',
  schema: z.ZodObject,
  values: Readonly<Record<string, unknown>>,
): Record<string, unknown> {
  const given: Record<string, unknown> = {};
  for (const name of Object.keys(schema.shape)) {
    if (!Object.hasOwn(values, name)) continue;
    const value = values[name];
    if (typeof value === 'string') refuseCharacters(name, value);
    given[name] = value;
  }
  const result = schema.safeParse(given);
  if (result.success) return result.data;
  const names = Object.keys(schema.shape);
  const issues = [...result.error.issues].sort(
    (a, b) => names.indexOf(String(a.path[0])) - names.indexOf(String(b.path[0])),
  );
  const issue = issues[0];
  const field = String(issue?.path[0] ?? '');
  const declared = schema.shape[field] as z.ZodType | undefined;
  const meta = declared && metaOf(declared);
  const required = declared?.safeParse(undefined).success === false;
  if (required && (given[field] ?? '') === '') throw new AppError('MISSING_FIELD', { field });
  if (issue?.code === 'too_big' && issue.origin === 'string') {
    throw new AppError('FIELD_TOO_LONG', { field, max: Number(issue.maximum) });
  }
  const code = meta?.code ?? (place === 'query' ? 'INVALID_QUERY' : 'INVALID_FIELD');
  throw new AppError(code, { field, expected: meta?.expected ?? 'documented' });
}

/** The metadata of a field, unwrapped from `default` and `optional`. */
export function metaOf(schema: z.ZodType): FieldMeta {
  const { innerType } = schema.def as { innerType?: z.ZodType };
  return { ...(innerType && metaOf(innerType)), ...(schema.meta() as FieldMeta | undefined) };
}
