import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';
import type { WriteIdentity } from './rules.js';

const CIPHER = 'aes-256-gcm';
const NONCE_BYTES = 12;
const TAG_BYTES = 16;

/** Encrypts an answer: nonce, authentication tag, ciphertext. The answer to a registration contains an API key. */
export function seal({ cipherKey, id }: WriteIdentity, answer: Buffer): Buffer {
  const nonce = randomBytes(NONCE_BYTES);
  const cipher = createCipheriv(CIPHER, cipherKey, nonce, { authTagLength: TAG_BYTES }).setAAD(id);
  const text = Buffer.concat([cipher.update(answer), cipher.final()]);
  return Buffer.concat([nonce, cipher.getAuthTag(), text]);
}

/** Decrypts an answer. Throws if it was changed. */
export function unseal({ cipherKey, id }: WriteIdentity, sealed: Buffer): Buffer {
  const textStart = NONCE_BYTES + TAG_BYTES;
  const decipher = createDecipheriv(CIPHER, cipherKey, sealed.subarray(0, NONCE_BYTES), { authTagLength: TAG_BYTES })
    .setAAD(id)
    .setAuthTag(sealed.subarray(NONCE_BYTES, textStart));
  return Buffer.concat([decipher.update(sealed.subarray(textStart)), decipher.final()]);
}
