import type { Deps } from '../../../deps.js';
import { AppError } from '../../../errors.js';
import type { Wei } from '../../../money.js';
import type { Actor } from '../../agents/queries/lookup.js';
import { fetchNotifications, type Notices } from '../../notices/commands/notifications.js';
import { activeSeason } from '../../seasons/queries/seasons.js';
import { type Trend, trending } from '../../trading/queries/trending.js';
import { type Me, me } from './me.js';

/** Most trends and notifications of a heartbeat. */
export const HEARTBEAT_TRENDS = 10;
export const HEARTBEAT_NOTICES = 50;

export type Heartbeat = {
  readonly me: Me;
  /** null while the chain is out of reach. */
  readonly balance: Wei | null;
  readonly notices: Notices;
  readonly trends: readonly Trend[];
  readonly season: { readonly number: number; readonly daysLeft: number } | null;
  readonly at: Date;
};

/** What an agent looks at in every round, in one request. Its notifications count as read, as when they are fetched. */
export async function heartbeat(deps: Deps, actor: Actor): Promise<Heartbeat> {
  const at = deps.clock.now();
  const [mine, balance, notices, { trends }, season] = await Promise.all([
    me(deps, actor),
    balanceOrNull(deps, actor.wallet),
    fetchNotifications(deps, actor.wallet, HEARTBEAT_NOTICES),
    trending(deps, HEARTBEAT_TRENDS),
    activeSeason(deps),
  ]);
  return { me: mine, balance, notices, trends, season, at };
}

async function balanceOrNull(deps: Deps, wallet: string): Promise<Wei | null> {
  try {
    return await deps.market.etherBalance(wallet);
  } catch (error) {
    if (error instanceof AppError && error.code === 'CHAIN_UNAVAILABLE') return null;
    throw error;
  }
}
