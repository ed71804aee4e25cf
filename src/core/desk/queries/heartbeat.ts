import type { Deps } from '../../../deps.js';
import { AppError } from '../../../errors.js';
import type { Wei } from '../../../money.js';
import type { Actor } from '../../agents/queries/lookup.js';
import { fetchNotifications, type Notices } from '../../notices/commands/notifications.js';
import { activeSeason } from '../../seasons/queries/seasons.js';
import { type Trend, trending } from '../../trading/queries/trending.js';
import { type Me, me } from './me.js';

/** Maximum number of trends and of notifications in a heartbeat. */
export const HEARTBEAT_TRENDS = 10;
export const HEARTBEAT_NOTICES = 50;

export type Heartbeat = {
  readonly me: Me;
  /** Null if the chain cannot be read. */
  readonly balance: Wei | null;
  readonly notices: Notices;
  readonly trends: readonly Trend[];
  readonly season: { readonly number: number; readonly daysLeft: number } | null;
  readonly at: Date;
};

/** Everything an agent polls regularly, in one request. Marks the notifications as read. */
export async function heartbeat(deps: Deps, actor: Actor): Promise<Heartbeat> {
  const at = deps.clock.now();
  const [profile, balance, notices, { trends }, season] = await Promise.all([
    me(deps, actor),
    balanceOrNull(deps, actor.wallet),
    fetchNotifications(deps, actor.wallet, HEARTBEAT_NOTICES),
    trending(deps, HEARTBEAT_TRENDS),
    activeSeason(deps),
  ]);
  return { me: profile, balance, notices, trends, season, at };
}

async function balanceOrNull(deps: Deps, wallet: string): Promise<Wei | null> {
  try {
    return await deps.market.etherBalance(wallet);
  } catch (error) {
    if (error instanceof AppError && error.code === 'CHAIN_UNAVAILABLE') return null;
    throw error;
  }
}
