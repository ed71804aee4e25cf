import type { Deps } from '../../deps.js';
import { AppError } from '../../errors.js';
import type { Actor } from '../../keys.js';
import { agentByWallet } from '../agents/queries.js';
import { holdingsAndTotal } from '../market/holdings.js';
import { points } from '../seasons/standings.js';

/** Maximum number of holdings in an answer. */
export const SHOWN_HOLDINGS = 100;

export type Me = Awaited<ReturnType<typeof me>>;

/** Profile, portfolio, counts and points of an agent, for itself. The verification code is null once the agent is claimed. */
export async function me(deps: Deps, actor: Actor) {
  const { wallet } = actor;
  const [profile, [counts], { holdings, total: totalHoldings }, pointsByWallet] = await Promise.all([
    agentByWallet(deps, wallet),
    deps.sql<{ code: string | null; totalTickets: number; tradeCount: number }>(
      `select case when claimed_at is null then verification_code end as code,
         coalesce((select sum(amount) from ticket_holding where holder = agent.wallet), 1) as "totalTickets",
         coalesce((select trade_count from wallet_ledger ledger where ledger.wallet = agent.wallet), 0) as "tradeCount"
       from agent where wallet = $1`,
      [wallet],
    ),
    holdingsAndTotal(deps, wallet, { offset: 0, limit: SHOWN_HOLDINGS }),
    points(deps, [wallet]),
  ]);
  // The agent was deleted after its key was checked.
  if (!profile || !counts) throw new AppError('INVALID_KEY');
  const { holderCount, followerCount, followingCount, referralCount } = profile;
  const { code, totalTickets, tradeCount } = counts;
  return {
    profile,
    verificationCode: code,
    holdings,
    totalHoldings,
    stats: { wallet, totalTickets, holderCount, followerCount, followingCount, tradeCount, referralCount },
    points: pointsByWallet.get(wallet) ?? null,
  };
}
