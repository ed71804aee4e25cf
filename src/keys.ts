import { createHash, createHmac, randomBytes } from 'node:crypto';
import type { Deps } from './deps.js';
import { AppError } from './errors/errors.js';

const KEY_BYTES = 48;

/** A random API key: 64 characters. */
export const newKey = (): string => randomBytes(KEY_BYTES).toString('base64url');

/** Only the SHA-256 of an API key is stored. Looking up the hash leaks nothing about the key by timing. */
export const hashKey = (key: string): Buffer => createHash('sha256').update(key).digest();

/** HMAC of a client address for the self-referral rule. Comparable, but not reversible without the secret key. */
export const hashIp = (secretKey: string, ip: string): Buffer =>
  createHmac('sha256', secretKey).update(`registration-ip:${ip}`).digest();

/** The caller: the agent whose key was sent. */
export type Actor = {
  readonly wallet: string;
  readonly name: string;
  readonly agentId: string;
  /** SHA-256 of the key, in hexadecimal digits. */
  readonly keyHash: string;
};

export async function agentByKeyHash(deps: Deps, hash: Buffer): Promise<Actor | null> {
  const [row] = await deps.sql<Omit<Actor, 'keyHash'>>(
    'select wallet, name, agent_id as "agentId" from agent where api_key_hash = $1',
    [hash],
  );
  return row ? { ...row, keyHash: hash.toString('hex') } : null;
}

/** Whether the key of a caller is still valid: its agent was not deleted, and the key was not replaced. */
export const isKeyValid = async (deps: Deps, { keyHash }: Actor): Promise<boolean> =>
  (await agentByKeyHash(deps, Buffer.from(keyHash, 'hex'))) !== null;

/** The error for a key that has ended: its agent was deleted, or the key was replaced. */
export class KeyEnded extends AppError {
  constructor() {
    super('INVALID_KEY', {}, { advice: 'KEY_ENDED' });
  }
}

/** Whether a key that no agent has was the key of an agent before. The use cases that end a key store it here. */
export const isFormerKey = async (deps: Deps, hash: Buffer): Promise<boolean> =>
  (await deps.sql('select from former_key where hash = $1', [hash])).length > 0;
