import type { IncomingMessage } from 'node:http';
import { AppError } from '../../errors.js';
import { depthOf, readText } from '../http/body.js';

export const MAX_BYTES = 10_240;
export const MAX_DEPTH = 3;
/** Depth of a transaction with an access list: call, params, transaction, list, entry, keys. */
export const MAX_RPC_DEPTH = 6;

/** A function that reads the body of a request as text, once. */
export function bodyReader(req: IncomingMessage): () => Promise<string> {
  let text: Promise<string> | undefined;
  return () => {
    text ??= readText(req, MAX_BYTES);
    return text;
  };
}

/** Parses the JSON object of a request body. The depth is checked on the text, before parsing. */
export function parseBody(text: string, jsonRpc = false): Record<string, unknown> {
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
