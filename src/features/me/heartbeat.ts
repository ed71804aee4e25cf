import { answerOrNull } from '../../chain/market.js';
import type { Deps } from '../../deps.js';
import type { Actor } from '../../keys.js';
import type { Wei } from '../../money.js';
import { trending } from '../market/trending.js';
import { fetchNotifications } from '../notices/notify.js';
import { activeSeason } from '../seasons/seasons.js';
import { lastWithdrawal } from '../trading/wallet.js';
import { me } from './me.js';
import { outlookOf } from './rules.js';

/** Maximum number of trends and of notifications in a heartbeat. */
export const HEARTBEAT_TRENDS = 10;
export const HEARTBEAT_NOTICES = 50;

/** Everything an agent polls regularly, in one request. By default it marks the notifications as read. */
export async function heartbeat(deps: Deps, actor: Actor, { markRead = true } = {}) {
  const at = deps.clock.now();
  const page = { offset: 0, limit: HEARTBEAT_NOTICES };
  const [profile, balance, notices, { trends }, season, withdrawnAt] = await Promise.all([
    me(deps, actor),
    // Null if the chain cannot be read, as are the pending fees.
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
