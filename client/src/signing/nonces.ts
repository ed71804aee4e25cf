import type { Attempt, Entry } from './journal.js';
import type { Rpc } from './rpc.js';
import type { Transaction } from './signer.js';

export type Fees = Pick<Transaction, 'maxFeePerGas' | 'maxPriorityFeePerGas'>;

/**
 * A transaction counts as expired only this many seconds after its deadline: the block that mined it in time may reach the RPC
 * late.
 */
const GRACE_SECONDS = 5;

/** The entries whose deadline has passed, so that the chain accepts none of their transactions any more. */
export async function expiredOf(rpc: Rpc, entries: readonly Entry[], now: number): Promise<readonly Entry[]> {
  const dated = entries.filter(({ deadline }) => deadline !== undefined);
  if (dated.length === 0) return [];
  const time = Math.max(now / 1000, await rpc.time()) - GRACE_SECONDS;
  return dated.filter(({ deadline = time }) => deadline < time);
}

/**
 * The nonce for a new signature. An expired transaction that has not been mined gives its nonce to the next one: of two
 * transactions with the same nonce, at most one is mined, even if a clock is wrong. The lowest of these nonces is taken, because a
 * transaction with a higher nonce would wait for those below.
 */
export async function nextNonce(rpc: Rpc, wallet: string, expired: readonly Entry[]): Promise<number> {
  const next = await rpc.count(wallet, 'pending');
  if (expired.length === 0) return next;
  const used = await rpc.count(wallet, 'latest');
  const free = expired.map(({ nonce }) => nonce).filter((nonce) => nonce >= used);
  return Math.min(next, ...free);
}

/**
 * Fees that are high enough to replace earlier transactions with the same nonce. Nodes demand 10 % more, this offers 12.5 % more.
 */
export function replacing(earlier: readonly Attempt[], fees: Fees): Fees {
  const above = (name: keyof Fees) =>
    earlier.reduce((highest, { fees: paid }) => {
      const needed = paid ? (BigInt(paid[name]) * 9n) / 8n + 1n : 0n;
      return needed > highest ? needed : highest;
    }, fees[name]);
  return { maxFeePerGas: above('maxFeePerGas'), maxPriorityFeePerGas: above('maxPriorityFeePerGas') };
}
