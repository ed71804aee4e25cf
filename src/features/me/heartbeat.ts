import { answerOrNull } from '../../chain/market.js';
import type { Deps } from '../../deps.js';
import type { Actor } from '../../keys.js';
import { trending } from '../market/agents.js';
import { fetchNotifications } from '../notices/notify.js';
import { activeSeason } from '../seasons/seasons.js';
import { pnlCaches } from '../trading/pnl.js';
import { lastWithdrawal } from '../trading/wallet.js';
import { me } from './me.js';
import { outlookOf } from './rules.js';

/** Maximum number of trends and of notifications in a heartbeat. */
export const HEARTBEAT_TRENDS = 10;
export const HEARTBEAT_NOTICES = 50;

/**
 * Everything an agent polls regularly, in one request. By default it marks the notifications as read. The reads start together, so
 * that their calls to the chain share one batch.
 */
export async function heartbeat(deps: Deps, actor: Actor, { markRead = true } = {}) {
  const at = deps.clock.now();
  const { wallet } = actor;
  const page = { offset: 0, limit: HEARTBEAT_NOTICES };
  const [pnl, profile, balance, notices, { trends }, season, withdrawnAt, ethUsd] = await Promise.all([
    pnlCaches.owner(deps, wallet),
    me(deps, actor),
    // Null if the chain cannot be read. The pending fees are null then, too.
    answerOrNull(deps.market.etherBalance(wallet)),
    fetchNotifications(deps, wallet, { page, marked: markRead ? page.limit : 0 }),
    trending(deps, HEARTBEAT_TRENDS),
    activeSeason(deps),
    lastWithdrawal(deps, wallet),
    deps.ethUsd(),
  ]);
  const { pendingFees } = pnl;
  return {
    me: profile,
    balance: balance === null ? null : { address: wallet, wei: balance, ethUsd },
    ...{ pnl, ethUsd, notices, trends, season, at },
    outlook: outlookOf({ unread: notices.totalUnread, balance, pendingFees, withdrawnAt }, at),
  };
}
