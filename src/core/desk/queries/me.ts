import type { Deps } from '../../../deps.js';
import { AppError } from '../../../errors.js';
import type { Actor } from '../../agents/queries.js';
import { type Points, pointsOf } from '../../seasons/queries.js';
import { agentProfile, type Profile } from '../../trading/queries/cards.js';
import { type Holding, holdingsOf } from '../../trading/queries/holdings.js';

/** As many holdings as one answer shows. */
const SHOWN = 100;

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
  readonly profile: Profile;
  /** null once the agent is verified. */
  readonly verificationCode: string | null;
  readonly holdings: readonly Holding[];
  readonly totalHoldings: number;
  readonly stats: MyStats;
  readonly points: Points | null;
};

/** All that an agent wants to know of itself. */
export async function me(deps: Deps, actor: Actor): Promise<Me> {
  const { wallet } = actor;
  const [profile, [own], held, points] = await Promise.all([
    agentProfile(deps, wallet),
    deps.sql<{ code: string | null; totalTickets: number; tradeCount: number }>(
      `select case when claimed_at is null then verification_code end as code,
         coalesce((select sum(amount) from ticket_holding where holder = agent.wallet), 1) as "totalTickets",
         coalesce((select trade_count from wallet_ledger ledger where ledger.wallet = agent.wallet), 0) as "tradeCount"
       from agent where wallet = $1`,
      [wallet],
    ),
    holdingsOf(deps, wallet, { page: 1, limit: SHOWN }),
    pointsOf(deps, wallet),
  ]);
  // Deleted since its key was read.
  if (!profile || !own) throw new AppError('INVALID_KEY');
  const { holderCount, followerCount, followingCount, referralCount } = profile;
  return {
    profile,
    verificationCode: own.code,
    holdings: held.holdings,
    totalHoldings: held.total,
    stats: {
      totalTickets: own.totalTickets,
      holderCount,
      followerCount,
      followingCount,
      tradeCount: own.tradeCount,
      referralCount,
    },
    points,
  };
}
