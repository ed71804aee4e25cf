import type { IncomingMessage } from 'node:http';
import type { z } from 'zod';
import { refuseCharacters } from '../../core/text/characters.js';
import { AppError, type ErrorCode } from '../../errors.js';
import { depthOf, readBytes } from '../http/body.js';

export const MAX_BYTES = 10_240;
export const MAX_DEPTH = 3;
/** Depth of a transaction with an access list: call, params, transaction, list, entry, keys. */
export const MAX_RPC_DEPTH = 6;

/** Reads the JSON object of a request body. Size and depth are checked on the raw bytes, before parsing. */
export async function readBody(req: IncomingMessage, jsonRpc = false): Promise<Record<string, unknown>> {
  const text = (await readBytes(req, MAX_BYTES)).toString('utf8');
  if (text.trim() === '') return {};
  const max = jsonRpc ? MAX_RPC_DEPTH : MAX_DEPTH;
  if (depthOf(text) > max) throw new AppError('BODY_TOO_DEEP', { max });
  let value: unknown;
  try {
    value = JSON.parse(text, jsonRpc ? undefined : plainIntegers);
  } catch (cause) {
    throw new AppError('INVALID_JSON', {}, { cause });
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw new AppError('INVALID_JSON');
  return value as Record<string, unknown>;
}

/** Refuses `1e1` and `1.0` as integers. JSON.parse no longer shows how a number was written. */
function plainIntegers(this: unknown, _key: string, value: unknown, context?: { source?: string }): unknown {
  return typeof value === 'number' && !/^-?(0|[1-9]\d{0,15})$/.test(context?.source ?? '') ? Number.NaN : value;
}

/** The values of a query string. A repeated parameter is refused. */
export function readQuery(search: URLSearchParams): Record<string, string> {
  const values: Record<string, string> = Object.create(null);
  for (const [name, value] of search) {
    if (name in values) throw new AppError('INVALID_QUERY', { field: name, expected: 'one value' });
    values[name] = value;
  }
  return values;
}

/** The value of a query parameter that has an alias. Different values under both names are refused. */
export function oneValue<T>(names: Readonly<Record<string, T | undefined>>): T | undefined {
  const [first, other] = Object.entries(names).filter(([, value]) => value !== undefined);
  if (first && other && other[1] !== first[1]) {
    throw new AppError('INVALID_QUERY', { field: other[0], expected: `the value of ${first[0]}, or leave it out` });
  }
  return first?.[1];
}

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
