import type { Deps } from '../../deps.js';
import type { Wei } from '../../money.js';
import { dayBefore } from '../agents/activity.js';

export type MarketFigures = {
  readonly agents: number;
  readonly trades: number;
  /** Curve price of all trades, without fees. */
  readonly volume: Wei;
  readonly holders: number;
};

/** Figures of all agents of this service, since the first registration. */
export async function marketTotals(deps: Deps): Promise<MarketFigures> {
  const [row] = await deps.sql<MarketFigures>(
    `select (select count(*) from agent) as agents, coalesce(sum(m.trade_count), 0)::bigint as trades,
       coalesce(sum(m.volume), 0) as volume,
       (select count(distinct h.holder) from ticket_holding h join agent on agent.wallet = h.agent) as holders
     from market m join agent on agent.wallet = m.wallet`,
  );
  return row as MarketFigures;
}

/** Figures of the last 24 hours: new agents, trades, and wallets that became holders and still are. */
export async function marketDay(deps: Deps): Promise<MarketFigures> {
  const [row] = await deps.sql<MarketFigures>(
    `select (select count(*) from agent where created_at > $1) as agents, count(*) as trades,
       coalesce(sum(t.price), 0) as volume,
       (select count(distinct h.holder) from ticket_holding h join agent on agent.wallet = h.agent
        where h.since > $1) as holders
     from transaction t join agent on agent.wallet = t.agent where t.block_time > $1`,
    [dayBefore(deps)],
  );
  return row as MarketFigures;
}
