import { isUtf8 } from 'node:buffer';
import type { IncomingMessage } from 'node:http';
import { AppError } from '../../errors/errors.js';

/** Reads the raw body. Refuses it as soon as it exceeds the limit. Uses stream events: async iteration costs twice as much. */
export function readBytes(req: IncomingMessage, maxBytes: number): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let size = 0;
    const removeListeners = () => {
      req.off('data', collect).off('end', finish).off('error', fail).off('close', fail);
    };
    const collect = (chunk: Buffer) => {
      size += chunk.length;
      chunks.push(chunk);
      if (size <= maxBytes) return;
      removeListeners();
      req.pause();
      reject(new AppError('BODY_TOO_LARGE', { max: maxBytes }));
    };
    const finish = () => {
      removeListeners();
      const [first] = chunks;
      resolve(chunks.length === 1 && first ? first : Buffer.concat(chunks));
    };
    // If the client disconnects in the middle of its body, this is its error, so it counts as INVALID_JSON and not as INTERNAL.
    const fail = () => {
      removeListeners();
      reject(new AppError('INVALID_JSON', {}, { cause: req.errored }));
    };
    if (req.destroyed) return fail();
    req.on('data', collect).on('end', finish).on('error', fail).on('close', fail);
  });
}

/** Refuses bytes that are not UTF-8: decoding would replace them, so different bodies would become the same text. */
export async function readText(req: IncomingMessage, maxBytes: number): Promise<string> {
  const bytes = await readBytes(req, maxBytes);
  if (!isUtf8(bytes)) throw new AppError('INVALID_JSON');
  return bytes.toString('utf8');
}

/** Nesting depth of objects and arrays in a JSON text. Brackets inside strings do not count. */
export function depthOf(json: string): number {
  let depth = 0;
  let deepest = 0;
  let inString = false;
  for (let i = 0; i < json.length; i++) {
    const c = json.charCodeAt(i);
    if (inString) {
      if (c === BACKSLASH) i++;
      else if (c === QUOTE) inString = false;
    } else if (c === QUOTE) inString = true;
    else if (c === BRACE || c === BRACKET) deepest = Math.max(deepest, ++depth);
    else if (c === BRACE_END || c === BRACKET_END) depth--;
  }
  return deepest;
}

const [QUOTE, BACKSLASH, BRACE, BRACE_END, BRACKET, BRACKET_END] = [...'"\\{}[]'].map((c) => c.charCodeAt(0));

/** Maximum size of the body of a REST request in bytes, and its maximum nesting depth. */
export const MAX_BYTES = 10_240;
export const MAX_JSON_DEPTH = 3;
/** Maximum depth of a JSON-RPC call: that of a transaction with an access list (call, params, transaction, list, entry, keys). */
export const MAX_RPC_DEPTH = 6;

type Reviver = Parameters<typeof JSON.parse>[1];

/** Parses JSON. The depth is checked on the text, before parsing. */
export function parseJson(text: string, max: number, reviver?: Reviver): unknown {
  if (depthOf(text) > max) throw new AppError('BODY_TOO_DEEP', { max });
  try {
    return JSON.parse(text, reviver);
  } catch (cause) {
    throw new AppError('INVALID_JSON', {}, { cause });
  }
}

export const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

export function parseObject(text: string, max: number, reviver?: Reviver): Record<string, unknown> {
  const value = parseJson(text, max, reviver);
  if (isRecord(value)) return value;
  throw new AppError('INVALID_JSON', {}, { advice: Array.isArray(value) ? 'BODY_IS_ARRAY' : 'BODY_IS_NO_OBJECT' });
}

/** Parses the body of a REST request. An empty body counts as an empty object. */
export function parseBody(text: string, jsonRpc = false): Record<string, unknown> {
  if (text.trim() === '') return {};
  return jsonRpc ? parseObject(text, MAX_RPC_DEPTH) : parseObject(text, MAX_JSON_DEPTH, plainIntegers);
}

/**
 * Reviver of JSON.parse. Replaces a number that is not written as a plain integer, such as `1e1` or `1.0`, by NaN, which the schema
 * refuses. The schema could not refuse it otherwise, because the parsed number does not show how it was written.
 */
function plainIntegers(this: unknown, _key: string, value: unknown, context?: { source?: string }): unknown {
  return typeof value === 'number' && !/^-?(0|[1-9]\d{0,15})$/.test(context?.source ?? '') ? Number.NaN : value;
}
