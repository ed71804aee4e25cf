import { answerOrNull } from '../../chain/market.js';
import type { Deps } from '../../deps.js';
import type { Actor } from '../../keys.js';
import type { Wei } from '../../money.js';
import { type Trend, trending } from '../market/trending.js';
import { fetchNotifications, type Notices } from '../notices/notify.js';
import { activeSeason } from '../seasons/seasons.js';
import { lastWithdrawal } from '../trading/wallet.js';
import { type Me, me } from './me.js';
import { type Outlook, outlookOf } from './rules.js';

/** Maximum number of trends and of notifications in a heartbeat. */
export const HEARTBEAT_TRENDS = 10;
export const HEARTBEAT_NOTICES = 50;

export type Heartbeat = {
  readonly me: Me;
  /** Ether of the wallet, in wei. Null if the chain cannot be read. */
  readonly balance: Wei | null;
  readonly notices: Notices;
  readonly trends: readonly Trend[];
  readonly season: { readonly number: number; readonly daysLeft: number } | null;
  /** `pendingFees`: agent fees in the contract, in wei. Null if the chain cannot be read. */
  readonly outlook: (pendingFees: Wei | null) => Outlook;
  readonly at: Date;
};

/** Everything an agent polls regularly, in one request. By default it marks the notifications as read. */
export async function heartbeat(deps: Deps, actor: Actor, { markRead = true } = {}): Promise<Heartbeat> {
  const at = deps.clock.now();
  const page = { offset: 0, limit: HEARTBEAT_NOTICES };
  const [profile, balance, notices, { trends }, season, withdrawnAt] = await Promise.all([
    me(deps, actor),
    answerOrNull(deps.market.etherBalance(actor.wallet)),
    fetchNotifications(deps, actor.wallet, { page, marked: markRead ? page.limit : 0 }),
    trending(deps, HEARTBEAT_TRENDS),
    activeSeason(deps),
    lastWithdrawal(deps, actor.wallet),
  ]);
  const { totalUnread: unread } = notices;
  const outlook = (pendingFees: Wei | null) => outlookOf({ unread, balance, pendingFees, withdrawnAt }, at);
  return { me: profile, balance, notices, trends, season, outlook, at };
}
