import type { Deps } from '../../deps.js';
import { idsIn } from '../../store/pages.js';
import { totalOf } from '../../store/totals.js';
import { type FeedType, type SourceName, sourcesFor, tradeTypeOf } from './feed-events.js';

export type FeedFilter = { readonly agent?: string | undefined; readonly type?: FeedType | undefined };

/** Number of events of all agents, or of one agent. */
export async function feedTotal(deps: Deps, { agent, type }: FeedFilter): Promise<number> {
  if (agent !== undefined) return (await feedTotals(deps, [agent], type)).get(agent) ?? 0;
  const listed = 'from listing l where l.created_at is not null and l.supply is not null';
  const trades = `select coalesce(sum(l.trade_count), 0)::bigint as n ${listed}`;
  const sides = { SOLD: `select ${SALES} as n`, BOUGHT: `select (${trades}) - ${SALES} as n` };
  const counts: Readonly<Record<SourceName, string>> = {
    registrations: `select count(*) as n ${listed}`,
    trades: type === 'SOLD' || type === 'BOUGHT' ? sides[type] : trades,
    // Subtracts the hidden posts from all posts. The first count needs only the primary key, and the second only a small index of
    // hidden posts.
    posts: 'select (select count(*) from agent_activity) - (select count(*) from agent_activity where hidden is not null) as n',
  };
  const union = sourcesFor(type).map((source) => counts[source]);
  return totalOf(deps, `select sum(n)::bigint as n from (${union.join(' union all ')}) counted`);
}

/**
 * Number of sales in the feed: the sum of the counters in the ledgers, less the sales in markets without a profile at this
 * service. There are usually few of these, and only they are counted one by one.
 */
const SALES = `((select coalesce(sum(sell_count), 0) from wallet_ledger)
  - (select count(*) from listing l join transaction t on t.agent = l.wallet
     where l.created_at is null and l.supply is not null and ${tradeTypeOf.SOLD}))`;

/** Number of events of each agent. Counts trades one by one only for BOUGHT and SOLD, and otherwise reads a counter. */
export async function feedTotals(deps: Deps, agents: readonly string[], type?: FeedType): Promise<Map<string, number>> {
  const counts: Readonly<Record<SourceName, string>> = {
    registrations: '(select count(*) from market m where m.wallet = parent.id)',
    trades: type
      ? `(select count(*) from transaction t where t.agent = parent.id and ${tradeTypeOf[type]})`
      : 'coalesce((select m.trade_count from market m where m.wallet = parent.id), 0)',
    posts: '(select count(*) from agent_activity p where p.agent = parent.id and p.hidden is null)',
  };
  const sum = sourcesFor(type).map((source) => counts[source]);
  const rows = await deps.sql<{ id: string; total: number }>(
    `select parent.id, (${sum.join(' + ')})::bigint as total
     from ${idsIn('$1')} as parent (id) join agent on agent.wallet = parent.id`,
    [agents],
  );
  return new Map(rows.map(({ id, total }) => [id, total]));
}
