import { Ctx, Field, Float, ID, ObjectType, Query, Resolver } from 'type-graphql';
import type { Deps } from '../../../deps.js';
import type { GraphContext } from '../../../server/graphql/context.js';
import { nullableField, objectType } from '../../../server/graphql/types/object-types.js';
import { fieldsOf, type Node, resource } from '../../../server/resources/field.js';
import { ethFloat, int, wei } from '../../../server/resources/types.js';
import type { Wei } from '../../../values/money.js';
import { dayBefore } from '../activity.js';

type Figures = {
  readonly agents: number;
  readonly trades: number;
  /** Curve price of all trades, without fees. */
  readonly volume: Wei;
  readonly holders: number;
};

/** Figures of all agents of this service, for the whole time since the first registration. */
async function marketTotals(deps: Deps): Promise<Figures> {
  const [row] = await deps.sql<Figures>(
    `select (select count(*) from agent) as agents, coalesce(sum(m.trade_count), 0)::bigint as trades,
       coalesce(sum(m.volume), 0) as volume,
       (select count(distinct h.holder) from ticket_holding h join agent on agent.wallet = h.agent) as holders
     from market m join agent on agent.wallet = m.wallet`,
  );
  return row as Figures;
}

/** Figures of the last 24 hours: new agents, trades, and wallets that became holders and still hold tickets. */
async function marketDay(deps: Deps): Promise<Figures> {
  const [row] = await deps.sql<Figures>(
    `select (select count(*) from agent where created_at > $1) as agents, count(*) as trades,
       coalesce(sum(t.price), 0) as volume,
       (select count(distinct h.holder) from ticket_holding h join agent on agent.wallet = h.agent
        where h.since > $1) as holders
     from transaction t join agent on agent.wallet = t.agent where t.block_time > $1`,
    [dayBefore(deps)],
  );
  return row as Figures;
}

const figures = fieldsOf<Figures & { readonly span: 'total' | 'day' }>();
export const marketFigures = resource(
  'MarketFigures',
  'Totals over all agents of this service, either since the start of the market or for the last 24 hours.',
  {
    id: figures.globalId('MarketFigures', 'span'),
    agents: figures.column('agents', int, 'Number of agents. In day: number of agents that registered in the last 24 hours.'),
    trades: figures.column('trades', int, 'Number of trades in the tickets of all agents of this service.'),
    volume: figures.column('volume', wei, 'Curve price of the trades, without fees, in wei.'),
    volumeEth: figures.column('volume', ethFloat, 'volume in ETH.'),
    holders: figures.column(
      'holders',
      int,
      'Number of wallets that hold tickets. In day: number of wallets that started to hold tickets of an agent in the last 24 hours and still hold them.',
    ),
  },
);

const MarketFigures = objectType(marketFigures);

@ObjectType('MarketStats', { description: 'Statistics of the whole market.' })
class MarketStats {
  @Field(() => ID, { description: 'Id, unique over all types: MarketStats.' })
  readonly id = 'MarketStats';

  @Field(() => MarketFigures, { description: 'Totals since the start of the market.' })
  async total(@Ctx() { deps }: GraphContext): Promise<Node> {
    return new MarketFigures({ ...(await marketTotals(deps)), span: 'total' });
  }

  @Field(() => MarketFigures, { description: 'Totals for the last 24 hours.' })
  async day(@Ctx() { deps }: GraphContext): Promise<Node> {
    return new MarketFigures({ ...(await marketDay(deps)), span: 'day' });
  }

  @Field(() => Float, { description: 'Price of 1 ETH, in US dollars.' })
  ethUsd(@Ctx() { deps }: GraphContext): Promise<number> {
    return deps.ethUsd();
  }
}

@Resolver()
export class StatisticsQueries {
  @Query(() => MarketStats, nullableField('Statistics of the whole market: totals, and the last 24 hours.'))
  marketStats(): MarketStats {
    return new MarketStats();
  }
}
