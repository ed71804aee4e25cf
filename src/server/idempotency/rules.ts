import { createHmac, hkdfSync } from 'node:crypto';
import { AppError } from '../../errors.js';
import { DAY_MS } from '../../time.js';

export const MAX_KEY_LENGTH = 255;

export const ANSWER_RETENTION_MS = DAY_MS;

/** Maximum number of stored answers per caller. The oldest above it are deleted early. */
export const MAX_ANSWERS_PER_CALLER = 5000;

/** Description of an idempotency key, for hints and documents. */
export const KEY_FORMAT = `1 to ${MAX_KEY_LENGTH} visible ASCII characters`;

/** Reads a key, bare or quoted as a string of structured fields (RFC 9651): `"a"` and `a` are the same key. */
export function parseIdempotencyKey(text: string, field: string): string {
  const quoted = /^"((?:[^"\\]|\\["\\])*)"$/.exec(text)?.[1];
  const key = quoted === undefined ? text : quoted.replace(/\\(["\\])/g, '$1');
  const isUnfinished = quoted === undefined && text.startsWith('"');
  if (isUnfinished || key.length > MAX_KEY_LENGTH || !/^[\x21-\x7e]+$/.test(key)) {
    throw new AppError('INVALID_FIELD', { field, expected: KEY_FORMAT });
  }
  return key;
}

/** A write that was sent with an idempotency key. */
export type KeyedWrite = {
  readonly key: string;
  /** Identifies the caller: its API key, or its address if it sent none. */
  readonly caller: string;
  /** Names the operation: method and route, or the mutation. */
  readonly operation: string;
  /** Everything that a retry must repeat: path and body, or arguments. */
  readonly content: string;
};

/** Fingerprints of a keyed write, and the key that encrypts its answer. None of them reveals what it was made from. */
export type WriteIdentity = {
  readonly id: Buffer;
  readonly caller: Buffer;
  readonly content: Buffer;
  /** Key that encrypts the stored answer. It is derived from the idempotency key, and neither of them is stored. */
  readonly cipherKey: Buffer;
};

/** `secretKey` is the key of the service, without which nobody can check guesses of an idempotency key or of an address. */
export function identityOf(secretKey: string, { key, caller, operation, content }: KeyedWrite): WriteIdentity {
  const fingerprint = (...parts: readonly string[]): Buffer =>
    createHmac('sha256', secretKey)
      .update(JSON.stringify(['idempotency', ...parts]))
      .digest();
  const id = fingerprint('id', caller, operation, key);
  return {
    id,
    caller: fingerprint('caller', caller),
    content: fingerprint('content', content),
    cipherKey: Buffer.from(hkdfSync('sha256', key, secretKey, Buffer.concat([Buffer.from('idempotency '), id]), 32)),
  };
}
