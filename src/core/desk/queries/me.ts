import type { Deps } from '../../../deps.js';
import { AppError } from '../../../errors.js';
import { type AgentRow, ALL_AGENT_PARTS } from '../../agents/queries/agent-row.js';
import type { Actor } from '../../agents/queries/lookup.js';
import { type Points, points } from '../../seasons/queries/standings.js';
import { agentByWallet } from '../../trading/queries/agents.js';
import { type HoldingRow, holdings, holdingTotals } from '../../trading/queries/holdings.js';

/** Most holdings that an answer lists. */
export const SHOWN_HOLDINGS = 100;

export type MyStats = {
  /** Tickets that the wallet holds, its own included. */
  readonly totalTickets: number;
  readonly holderCount: number;
  readonly followerCount: number;
  readonly followingCount: number;
  readonly tradeCount: number;
  readonly referralCount: number;
};

export type Me = {
  readonly profile: AgentRow;
  /** null once the agent is verified. */
  readonly verificationCode: string | null;
  readonly holdings: readonly HoldingRow<'name' | 'agentId'>[];
  readonly totalHoldings: number;
  readonly stats: MyStats;
  readonly points: Points | null;
};

/** All that an agent wants to know of itself. */
export async function me(deps: Deps, actor: Actor): Promise<Me> {
  const { wallet } = actor;
  const [profile, [own], held, totals, scored] = await Promise.all([
    agentByWallet(deps, wallet, ALL_AGENT_PARTS),
    deps.sql<{ code: string | null; totalTickets: number; tradeCount: number }>(
      `select case when claimed_at is null then verification_code end as code,
         coalesce((select sum(amount) from ticket_holding where holder = agent.wallet), 1) as "totalTickets",
         coalesce((select trade_count from wallet_ledger ledger where ledger.wallet = agent.wallet), 0) as "tradeCount"
       from agent where wallet = $1`,
      [wallet],
    ),
    holdings(deps, [wallet], { page: { offset: 0, limit: SHOWN_HOLDINGS }, parts: ['name', 'agentId'] }),
    holdingTotals(deps, [wallet]),
    points(deps, [wallet]),
  ]);
  // Deleted since its key was read.
  if (!profile || !own) throw new AppError('INVALID_KEY');
  const { holderCount, followerCount, followingCount, referralCount } = profile;
  return {
    profile,
    verificationCode: own.code,
    holdings: held.get(wallet) ?? [],
    totalHoldings: totals.get(wallet) ?? 0,
    stats: {
      totalTickets: own.totalTickets,
      holderCount,
      followerCount,
      followingCount,
      tradeCount: own.tradeCount,
      referralCount,
    },
    points: scored.get(wallet) ?? null,
  };
}
