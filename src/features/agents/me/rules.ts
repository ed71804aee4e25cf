import { MIN_WITHDRAWAL, WITHDRAWAL_COOLDOWN } from '../../../values/curve.js';
import type { Wei } from '../../../values/money.js';

/**
 * Seconds until the next heartbeat. Each is at least as long as every window of the heartbeat's rate limits, so that the
 * windows are free again whatever the agent did before.
 */
export const NEXT_CHECK = {
  /** Seconds until the next heartbeat if figures from the chain are missing. */
  chainAway: 300,
  /** Seconds until the next heartbeat if there were unread notifications: more events often follow. */
  news: 900,
  idle: 3600,
} as const;

export type Situation = {
  /** Unread notifications. */
  readonly unread: number;
  /** Ether of the wallet, and agent fees in the contract. Null if the chain cannot be read. */
  readonly balance: Wei | null;
  readonly pendingFees: Wei | null;
  /** Time of the agent's last withdrawal of fees. Null if it never withdrew. */
  readonly withdrawnAt: Date | null;
};

export type Outlook = { readonly nothingToDo: boolean; readonly nextCheckAfter: number };

/**
 * Whether something asks the agent for action: unread notifications, or fees that the contract would pay out now. Trading,
 * posting and verifying are the agent's choice.
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
