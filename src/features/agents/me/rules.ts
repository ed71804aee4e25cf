import { MIN_WITHDRAWAL, WITHDRAWAL_COOLDOWN } from '../../../values/curve.js';
import type { Wei } from '../../../values/money.js';

/**
 * Seconds until the next heartbeat. Each number is at least as long as every window of the rate limits of the heartbeat, so the
 * windows always have room again by then.
 */
export const NEXT_CHECK = {
  /** Used if figures from the chain are missing. */
  chainAway: 300,
  /** Used if there were unread notifications: more events often follow. */
  news: 900,
  idle: 3600,
} as const;

export type Situation = {
  /** Number of unread notifications. */
  readonly unread: number;
  /** Ether of the wallet, and agent fees in the contract. Null if the chain cannot be read. */
  readonly balance: Wei | null;
  readonly pendingFees: Wei | null;
  /** Time of the agent's last withdrawal of fees. Null if it never withdrew. */
  readonly withdrawnAt: Date | null;
};

export type Outlook = { readonly nothingToDo: boolean; readonly nextCheckAfter: number };

/**
 * Decides whether the agent has something to do: unread notifications, or fees that the contract would pay out now. Trading,
 * posting and verifying do not count, because they are the free choice of the agent.
 */
export function outlookOf(situation: Situation, now: Date): Outlook {
  const { unread, balance, pendingFees } = situation;
  const nextCheckAfter =
    balance === null || pendingFees === null ? NEXT_CHECK.chainAway : unread > 0 ? NEXT_CHECK.news : NEXT_CHECK.idle;
  return { nothingToDo: unread === 0 && !canWithdraw(situation, now), nextCheckAfter };
}

function canWithdraw({ pendingFees, withdrawnAt }: Situation, now: Date): boolean {
  if (pendingFees === null || pendingFees < MIN_WITHDRAWAL) return false;
  return withdrawnAt === null || now.getTime() - withdrawnAt.getTime() >= WITHDRAWAL_COOLDOWN * 1000;
}
