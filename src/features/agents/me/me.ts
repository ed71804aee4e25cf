import { answerOrNull } from '../../../chain/market.js';
import type { Deps } from '../../../deps.js';
import { AppError } from '../../../errors/errors.js';
import type { Actor } from '../../../keys.js';
import { fetchNotifications } from '../../notices/notifications.js';
import { readActiveSeason } from '../../seasons/seasons.js';
import { readPoints } from '../../seasons/standings.js';
import { pnlCaches } from '../../trading/pnl.js';
import { lastWithdrawal } from '../../trading/wallet.js';
import { trendingAgents } from '../lists/agents.js';
import { holdingsAndTotal } from '../lists/holdings.js';
import { agentByWallet } from '../queries.js';
import { outlookOf } from './rules.js';

/** Maximum number of holdings in an answer. */
export const SHOWN_HOLDINGS = 100;

export type MeRow = Awaited<ReturnType<typeof readMe>>;

/** Profile, portfolio, counts and points of an agent, for itself. The verification code is null once the agent is claimed. */
export async function readMe(deps: Deps, actor: Actor) {
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
    readPoints(deps, [wallet]),
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

/** Maximum number of trends and of notifications in a heartbeat. */
export const HEARTBEAT_TRENDS = 10;
export const HEARTBEAT_NOTICES = 50;

/**
 * Everything an agent polls regularly, in one request. By default it marks the notifications as read. The reads start together, so
 * that their calls to the chain share one batch.
 */
export async function readHeartbeat(deps: Deps, actor: Actor, { markRead = true } = {}) {
  const at = deps.clock.now();
  const { wallet } = actor;
  const page = { offset: 0, limit: HEARTBEAT_NOTICES };
  const [pnl, profile, balance, notices, { trends }, season, withdrawnAt, ethUsd] = await Promise.all([
    pnlCaches.owner(deps, wallet),
    readMe(deps, actor),
    // Null if the chain cannot be read. The pending fees are null then, too.
    answerOrNull(deps.market.etherBalance(wallet)),
    fetchNotifications(deps, wallet, { page, marked: markRead ? page.limit : 0 }),
    trendingAgents(deps, HEARTBEAT_TRENDS),
    readActiveSeason(deps),
    lastWithdrawal(deps, wallet),
    deps.ethUsd(),
  ]);
  const { pendingFees } = pnl;
  return {
    me: profile,
    balance: balance === null ? null : { address: wallet, wei: balance, ethUsd },
    pnl,
    ethUsd,
    notices,
    trends,
    season,
    at,
    outlook: outlookOf({ unread: notices.totalUnread, balance, pendingFees, withdrawnAt }, at),
  };
}
