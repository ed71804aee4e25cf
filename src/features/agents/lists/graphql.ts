import { Arg, Args, Ctx, Info, Int, Query, Resolver } from 'type-graphql';
import type { GraphContext } from '../../../server/graphql/context.js';
import {
  type Connection,
  checkFirst,
  connection,
  connectionOfList,
  connectionType,
  firstOf,
  PageArgs,
  pageArgs,
  pageIn,
  pageOf,
} from '../../../server/graphql/types/connection.js';
import { type Arguments, argumentsOf, readArguments } from '../../../server/graphql/types/inputs.js';
import { nullableField, objectType, type ResolveInfo, registerEnum } from '../../../server/graphql/types/object-types.js';
import { trueOrFalse } from '../../../server/inputs.js';
import { fieldsOf, globalIdOf, graphqlObject, type Node, resource } from '../../../server/resources/field.js';
import { int } from '../../../server/resources/types.js';
import { dayOf, type Ranked } from '../activity.js';
import { AgentConnection, type AgentNode, AgentType, agentColumns, agentColumnsInside, agentField, agentNode } from '../graphql.js';
import type { AgentRow } from '../queries.js';
import { agent } from '../resource.js';
import { agentsAbove, LEADERBOARD, matchTotal, readAgents } from './agents.js';
import { agentFilter, search, searchPage, topAgentPage, trendPage } from './operations.js';
import { agentSort, sortOrder, trend } from './resource.js';
import { searchAgents, searchTotal } from './search.js';
import { StatisticsQueries } from './statistics-graphql.js';

registerEnum(agentSort);
registerEnum(sortOrder);

const FilterArgs = argumentsOf(agentFilter);

const searchFields = search.input.pick({ q: true }).extend({
  similar: trueOrFalse()
    .default(false)
    .describe(
      'If nothing matches: the agents whose names differ by 1 letter, or by 2 from a text of 8 or more, nearest first. They ' +
        'are other agents than the text says: compare the names before you trade.',
    ),
});
const SearchFieldArgs = argumentsOf(searchFields);

const ranks = fieldsOf<{ readonly rank: number; readonly agent: AgentRow }>();
export const rankedAgent = resource('RankedAgent', 'Agent with its rank in the leaderboard.', {
  id: globalIdOf<{ readonly agent: AgentRow }>(['agent'], 'RankedAgent', ['wallet'], ({ agent }) => [agent.wallet]),
  rank: ranks.column('rank', int, 'Rank by tickets in circulation, from 1.'),
  agent: ranks.column('agent', graphqlObject(agent), 'Agent at this rank.'),
});

const SearchArgs = pageArgs(searchPage);
const TrendArgs = pageArgs(trendPage);

const RankedAgent = objectType(rankedAgent);
const RankedAgentConnection = connectionType('RankedAgent', () => RankedAgent, 'ranked agents');
export const TrendType = objectType(trend);
const TrendConnection = connectionType('Trend', () => TrendType, 'trending agents');

type TrendNode = Node<Ranked & { readonly rank: number }>;
export const trendNode = (trend: Ranked, i: number): TrendNode => new TrendType({ ...trend, rank: i + 1 });

agentField<Ranked>(TrendType, ({ wallet }) => wallet, { description: 'Agent whose tickets were traded.' });

const rankedColumns = agentColumnsInside('agent');

@Resolver()
class AgentListQueries {
  @Query(() => AgentConnection, nullableField('Agents of this service that match all filters, newest first by default.'))
  async agents(
    @Args(() => FilterArgs) given: Arguments,
    @Args(() => PageArgs) args: PageArgs,
    @Ctx() context: GraphContext,
    @Info() info: ResolveInfo,
  ): Promise<Connection<AgentNode>> {
    const { deps } = context;
    const page = pageIn(info, args);
    const { sort, sortOrder: order, ...filter } = readArguments(agentFilter, given);
    const rows = await readAgents(deps, { filter, sort, order, page, names: agentColumns(info) });
    return connection(rows, page, agentNode, () => matchTotal(deps, filter));
  }

  @Query(() => RankedAgentConnection, nullableField('Agents with their ranks, most tickets in circulation first.'))
  async leaderboard(
    @Args(() => PageArgs) args: PageArgs,
    @Ctx() context: GraphContext,
    @Info() info: ResolveInfo,
  ): Promise<Connection<Node>> {
    const { deps } = context;
    const page = pageOf(args);
    const rows = await readAgents(deps, { ...LEADERBOARD, page, names: rankedColumns(info) ?? [] });
    const [first] = rows;
    const above = page.after === null || first === undefined ? 0 : await agentsAbove(deps, first.key());
    const ranked = (agent: AgentRow, i: number) => new RankedAgent({ rank: above + i + 1, agent });
    return connection(rows, page, ranked, () => matchTotal(deps, {}));
  }

  @Query(() => [AgentType], {
    nullable: true,
    description: 'The agents with the most tickets in circulation, most tickets first, without ranks or pages.',
  })
  async topAgents(
    @Arg('first', () => Int, { defaultValue: topAgentPage.fallback, description: firstOf(topAgentPage) })
    first: number,
    @Ctx() context: GraphContext,
    @Info() info: ResolveInfo,
  ): Promise<AgentNode[]> {
    const { deps } = context;
    checkFirst(first, topAgentPage.max);
    // The list has no cursors, so its rows need no keys.
    const page = { first, after: null, keyless: true };
    return (await readAgents(deps, { ...LEADERBOARD, page, names: agentColumns(info) })).map(agentNode);
  }

  @Query(() => AgentConnection, {
    nullable: true,
    description:
      'Agents whose name or agentId contains the text q: exact matches first, then prefixes, then the rest. q may also be a ' +
      `wallet address or its start (0x and at least 4 digits), or @ and the whole handle of the agent's owner on X.`,
  })
  async search(
    @Args(() => SearchFieldArgs) given: Arguments,
    @Args(() => SearchArgs) args: PageArgs,
    @Ctx() context: GraphContext,
    @Info() info: ResolveInfo,
  ): Promise<Connection<AgentNode>> {
    const { deps } = context;
    const { q: text, similar: hasSimilar } = readArguments(searchFields, given);
    const page = pageOf(args, searchPage.max);
    const asked = { text, hasSimilar };
    const rows = await searchAgents(deps, { ...asked, page, names: agentColumns(info) });
    return connection(rows, page, agentNode, () => searchTotal(deps, asked));
  }

  @Query(() => TrendConnection, {
    nullable: true,
    description: 'Agents whose tickets were traded in the last 24 hours, highest trendScore first.',
  })
  async trending(@Args(() => TrendArgs) args: PageArgs, @Ctx() { deps }: GraphContext): Promise<Connection<TrendNode>> {
    const { ranked } = await dayOf(deps);
    return connectionOfList(ranked, pageOf(args, trendPage.max), {
      keyOf: ({ trendScore, txCount, wallet }) => [String(trendScore), String(txCount), wallet],
      isAfter: (trend, [score, txCount, last = '']) =>
        (Number(score) - trend.trendScore || Number(txCount) - trend.txCount || (trend.wallet > last ? 1 : -1)) > 0,
      nodeOf: (trend) => trendNode(trend, ranked.indexOf(trend)),
    });
  }
}

export const resolvers = [AgentListQueries, StatisticsQueries];
