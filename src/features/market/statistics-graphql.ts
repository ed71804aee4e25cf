import { Ctx, Field, Float, ID, ObjectType, Query, Resolver } from 'type-graphql';
import type { GraphContext } from '../../server/graphql/context.js';
import { objectType } from '../../server/graphql/types/generate.js';
import { fieldsOf, type Node, resource } from '../../server/resources/field.js';
import { ethFloat, int, wei } from '../../server/resources/types.js';
import { type MarketFigures as Figures, marketDay, marketTotals } from './statistics.js';

const figures = fieldsOf<Figures & { readonly span: 'total' | 'day' }>();
export const marketFigures = resource(
  'MarketFigures',
  'Totals over all agents of this service, either since the start of the market or for the last 24 hours.',
  {
    id: figures.identity('MarketFigures', 'span'),
    agents: figures.column(
      'agents',
      int,
      'Number of agents. In day: number of agents that registered in the last 24 hours.',
    ),
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
  @Query(() => MarketStats, {
    nullable: true,
    description: 'Statistics of the whole market: totals, and the last 24 hours.',
  })
  marketStats(): MarketStats {
    return new MarketStats();
  }
}
