import type { SqlEntityManager } from '@mikro-orm/sql';
import type { Fact } from '../chain/logs/facts.js';
import { announce, lockLiveCursor, type News, notYetAnnounced } from '../live/announce.js';
import { type Notice, storeNotices, tradeNotice } from '../live/notices.js';
import { type Sql, sqlIn } from '../store/sql.js';
import { type ChainPosition, eventId, registrationKey, tradeKey } from '../values/trade.js';
import type { AppliedTrade } from './book.js';

/**
 * Maximum age of facts that are announced, compared with the chain's newest block. Older facts come from a backfill. The clock of
 * the process is not used, because it may be wrong, and the chain may halt and continue with old times.
 */
const NEWS_MS = 60 * 60_000;

type AppliedFacts = {
  readonly facts: readonly Fact[];
  readonly trades: readonly AppliedTrade[];
  /** Time of the chain's newest block. */
  readonly headTime: Date;
  /** True if the index reads the facts again after it went back. */
  readonly isReread: boolean;
};

/**
 * Announces recent facts to subscribers and stores notifications for agents whose tickets were traded by others.
 * `isReread` skips events that subscribers have already received. Returns whether it announced anything.
 */
export async function announceFacts(
  tx: SqlEntityManager,
  { facts, trades, headTime, isReread }: AppliedFacts,
  now: Date,
): Promise<boolean> {
  const isNew = ({ time }: ChainPosition) => headTime.getTime() - time.getTime() < NEWS_MS;
  const recent = facts.filter((fact) => fact.kind !== 'withdrawn' && fact.kind !== 'redirected').filter(isNew);
  if (recent.length === 0) return false;
  const newTrades = trades.filter(({ trade }) => isNew(trade));
  const notificationNews = await storeNotices(tx, await noticesOf(sqlIn(tx), newTrades), now);
  const registered = recent.filter((fact) => fact.kind === 'registered').map(({ agent }) => agent);
  const withProfiles = await profilesOf(tx, registered);
  const news: News[] = [];
  for (const fact of recent) {
    const { agent } = fact;
    if (fact.kind !== 'registered') {
      const subject = eventId(tradeKey(fact.txHash, fact.ordinal));
      news.push({ topic: 'trade', subject, agent, supply: fact.supply });
    } else if (withProfiles.has(agent)) {
      news.push({ topic: 'registration', subject: eventId(registrationKey(agent)), agent, supply: 1 });
    }
  }
  const trading = news.filter(({ topic }) => topic === 'trade');
  news.push(...(await thesesOf(tx, trading)));
  const fresh = isReread ? await notYetAnnounced(tx, news, now) : news;
  await announce(tx, [...fresh, ...notificationNews], now);
  return fresh.length + notificationNews.length > 0;
}

/**
 * The wallets that have a profile. Waits for concurrent registrations: a registration that commits first is visible
 * here, and a later one announces its event itself.
 */
async function profilesOf(tx: SqlEntityManager, wallets: readonly string[]): Promise<Set<string>> {
  if (wallets.length === 0) return new Set();
  await lockLiveCursor(tx);
  const rows = await sqlIn(tx)<{ wallet: string }>('select wallet from agent where wallet = any($1::varchar[])', [wallets]);
  return new Set(rows.map(({ wallet }) => wallet));
}

/**
 * Events for reasons that were recorded before the index had their trades. Waits for concurrent records: a record that commits
 * first is visible here, and a later one announces its reason itself.
 */
async function thesesOf(tx: SqlEntityManager, trades: readonly News[]): Promise<News[]> {
  if (trades.length === 0) return [];
  await lockLiveCursor(tx);
  const rows = await sqlIn(tx)<{ subject: string }>(
    `select t.event_id as subject from transaction t
     join thesis r on r.tx_hash = t.tx_hash and r.ordinal = t.ordinal and r.author = t.trader
     where t.event_id = any($1::varchar[]) and r.text is not null`,
    [trades.map(({ subject }) => subject)],
  );
  const given = new Set(rows.map(({ subject }) => subject));
  return trades
    .filter(({ subject }) => given.has(subject ?? ''))
    .map(({ subject, agent }) => ({ topic: 'thesis', subject, agent }));
}

/** Notifications for agents of this service in whose tickets others have traded. */
async function noticesOf(sql: Sql, trades: readonly AppliedTrade[]): Promise<Notice[]> {
  const others = trades.filter(({ trade }) => trade.trader !== trade.agent);
  if (others.length === 0) return [];
  const wallets = [...new Set(others.flatMap(({ trade }) => [trade.agent, trade.trader]))];
  // The row lock blocks a concurrent deletion of a trader until the notifications are stored.
  const rows = await sql<{ wallet: string; name: string }>(
    'select wallet, name from agent where wallet = any($1::varchar[]) order by wallet for key share',
    [wallets],
  );
  const names = new Map(rows.map(({ wallet, name }) => [wallet, name]));
  return others
    .filter(({ trade }) => names.has(trade.agent))
    .map(({ trade, outcome }) => tradeNotice(trade, outcome.type, names.get(trade.trader) ?? null));
}
