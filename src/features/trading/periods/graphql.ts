import { Args, Ctx, Extensions, Query, Resolver } from 'type-graphql';
import type { GraphContext } from '../../../server/graphql/context.js';
import { checkFirst, firstOf } from '../../../server/graphql/types/connection.js';
import { argumentsOf } from '../../../server/graphql/types/inputs.js';
import { objectType, registerEnum } from '../../../server/graphql/types/object-types.js';
import { agentReference, integer } from '../../../server/inputs.js';
import type { Node } from '../../../server/resources/field.js';
import { agentField } from '../../agents/graphql.js';
import { walletOf } from '../../agents/lookup.js';
import { type PnlStandingRow, pnlLeaderboard } from './leaderboard.js';
import { periodPage, pnlLeaderboardEndpoint, pnlPeriodList } from './operations.js';
import { pnlPeriods } from './periods.js';
import { periodUnit, pnlBoard, pnlPeriod, pnlStanding } from './resource.js';
import type { PeriodUnit } from './spans.js';

registerEnum(periodUnit);
const PnlPeriod = objectType(pnlPeriod);
const PnlStanding = objectType(pnlStanding);
const PnlBoard = objectType(pnlBoard);

agentField<PnlStandingRow>(PnlStanding, ({ wallet }) => wallet, { description: 'Agent of the standing. Null if it was deleted.' });

type Periods = { readonly period: PeriodUnit; readonly before?: Date | null; readonly agent: string; readonly first: number };
type OfPeriod = { readonly period: PeriodUnit; readonly previous: boolean };

const PeriodArgs = argumentsOf<Periods>(
  pnlPeriodList.input.pick({ period: true, before: true }).extend({
    agent: agentReference(),
    first: integer(1, periodPage.max)
      .default(periodPage.fallback)
      .describe(`${firstOf(periodPage)} The answer has the newest periods.`),
  }),
);
const LeaderboardArgs = argumentsOf<OfPeriod>(pnlLeaderboardEndpoint.input);

/** Query cost of both fields. They read all trades of a period, which takes 2 ms for most wallets, and up to 2 s for a leaderboard. */
const COST = 100;

@Resolver()
class PeriodQueries {
  @Extensions({ cost: COST })
  @Query(() => [PnlPeriod], {
    nullable: true,
    description: 'Profit and loss of a wallet by period, oldest first. A wallet address need not belong to an agent.',
  })
  async pnlPeriods(
    @Args(() => PeriodArgs) { agent, period: unit, before, first: limit }: Periods,
    @Ctx() { deps }: GraphContext,
  ): Promise<Node[]> {
    checkFirst(limit, periodPage.max);
    const rows = await pnlPeriods(deps, await walletOf(deps, agent), { unit, before, limit });
    return rows.map((row) => new PnlPeriod(row));
  }

  @Extensions({ cost: COST })
  @Query(() => PnlBoard, { nullable: true, description: 'Agents that gained most in a period.' })
  async pnlLeaderboard(
    @Args(() => LeaderboardArgs) { period: unit, previous }: OfPeriod,
    @Ctx() { deps }: GraphContext,
  ): Promise<Node> {
    return new PnlBoard(await pnlLeaderboard(deps, { unit, previous }));
  }
}

export const resolvers = [PeriodQueries];
