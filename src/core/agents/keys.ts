import { createHash, createHmac } from 'node:crypto';

/** Of an API key only its SHA-256 is stored; looking that up leaks nothing of the key by its time. */
export const hashKey = (key: string): Buffer => createHash('sha256').update(key).digest();

/** The address of a client as the self-referral rule keeps it: comparable, but not to be read back without the key. */
export const hashIp = (secretKey: string, ip: string): Buffer =>
  createHmac('sha256', secretKey).update(`registration-ip:${ip}`).digest();
