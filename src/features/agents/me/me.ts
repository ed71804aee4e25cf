import { answerOrNull } from '../../../chain/chain.js';
import type { Deps } from '../../../deps.js';
import { AppError } from '../../../errors/errors.js';
import type { Actor } from '../../../keys.js';
import { fetchNotifications, type Notices } from '../../notices/notifications.js';
import { readActiveSeason, type Season } from '../../seasons/seasons.js';
import { readPoints, type SeasonPoints } from '../../seasons/standings.js';
import { type Pnl, pnlCaches } from '../../trading/pnl.js';
import { type EtherBalanceRow, lastWithdrawal } from '../../trading/wallet.js';
import { type Trend, trendingAgents } from '../lists/agents.js';
import { type HoldingWithAgent, holdingsAndTotal } from '../lists/holdings.js';
import { type AgentRow, agentByWallet } from '../queries.js';
import { type Outlook, outlookOf } from './rules.js';

/** Maximum number of holdings in an answer. */
export const SHOWN_HOLDINGS = 100;

/** Profile, portfolio, counts and points of an agent, which only the agent itself may see. */
export type MeRow = {
  readonly profile: AgentRow;
  /** Null once the agent is claimed. */
  readonly verificationCode: string | null;
  readonly holdings: HoldingWithAgent[];
  /** Number of all holdings, including those that `holdings` omits. */
  readonly totalHoldings: number;
  readonly stats: Pick<AgentRow, 'wallet' | 'holderCount' | 'followerCount' | 'followingCount' | 'referralCount'> & {
    /** Number of tickets that the agent holds, in itself and in other agents. */
    readonly totalTickets: number;
    readonly tradeCount: number;
  };
  /** Points in the current season. Null before the first scoring. */
  readonly points: SeasonPoints | null;
};

/**
 * Reads what only the agent itself sees. Until the market of the agent is indexed, the ticket that it got with its registration counts
 * in addition to the positions in the index.
 */
export async function readMe(deps: Deps, actor: Actor): Promise<MeRow> {
  const { wallet } = actor;
  const [profile, [counts], { holdings, total: totalHoldings }, pointsByWallet] = await Promise.all([
    agentByWallet(deps, wallet),
    deps.sql<{ code: string | null; totalTickets: number; tradeCount: number }>(
      `select case when claimed_at is null then verification_code end as code,
         coalesce((select sum(amount) from ticket_holding where holder = agent.wallet), 0)
           + (not exists (select from market where market.wallet = agent.wallet))::int as "totalTickets",
         coalesce((select trade_count from wallet_ledger ledger where ledger.wallet = agent.wallet), 0) as "tradeCount"
       from agent where wallet = $1`,
      [wallet],
    ),
    holdingsAndTotal(deps, wallet, { offset: 0, limit: SHOWN_HOLDINGS }),
    readPoints(deps, [wallet]),
  ]);
  // Nothing is found if the agent was deleted after its key was checked.
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

type Heartbeat = {
  readonly me: MeRow;
  /** Ether of the wallet. Null if the chain cannot be read. The pending fees in `pnl` are then null, too. */
  readonly balance: EtherBalanceRow | null;
  readonly pnl: Pnl;
  /** Price of 1 ETH in US dollars. */
  readonly ethUsd: number;
  /** The newest notifications, in their state before the heartbeat marks them as read. */
  readonly notices: Notices;
  readonly trends: Trend[];
  /** Null if no season is running. */
  readonly season: (Season & { readonly daysLeft: number }) | null;
  /** Time when the figures were read. */
  readonly at: Date;
  readonly outlook: Outlook;
};

/** Maximum number of trends and of notifications in a heartbeat. */
export const HEARTBEAT_TRENDS = 10;
export const HEARTBEAT_NOTICES = 50;

/**
 * Everything an agent polls regularly, in one request. By default it marks the notifications as read. All reads start together, so
 * that their calls to the chain share one batch.
 */
export async function readHeartbeat(deps: Deps, actor: Actor, { markRead = true } = {}): Promise<Heartbeat> {
  const at = deps.clock.now();
  const { wallet } = actor;
  const page = { offset: 0, limit: HEARTBEAT_NOTICES };
  const [pnl, profile, balance, notices, { trends }, season, withdrawnAt, ethUsd] = await Promise.all([
    pnlCaches.owner(deps, wallet),
    readMe(deps, actor),
    answerOrNull(deps.chain.etherBalance(wallet)),
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
