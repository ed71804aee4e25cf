import { createHash, createHmac, randomBytes } from 'node:crypto';

const KEY_BYTES = 48;

/** A random API key: 64 characters. */
export const newKey = (): string => randomBytes(KEY_BYTES).toString('base64url');

/** Only the SHA-256 of an API key is stored. Looking up the hash leaks nothing about the key by timing. */
export const hashKey = (key: string): Buffer => createHash('sha256').update(key).digest();

/** HMAC of a client address for the self-referral rule. Comparable, but not reversible without the secret key. */
export const hashIp = (secretKey: string, ip: string): Buffer =>
  createHmac('sha256', secretKey).update(`registration-ip:${ip}`).digest();
