import { Arg, Args, ArgsType, Ctx, Field, Info, Int, Query, Resolver } from 'type-graphql';
import { AppError } from '../../errors.js';
import type { Wei } from '../../money.js';
import { MAX_COUNT, pageSizes } from '../../server/fields.js';
import type { GraphContext } from '../../server/graphql/context.js';
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
} from '../../server/graphql/types/connection.js';
import {
  nullable,
  type Of,
  objectType,
  type Info as ResolveInfo,
  registerEnum,
  withoutNulls,
} from '../../server/graphql/types/object-types.js';
import { Eth } from '../../server/graphql/types/scalars.js';
import { agentSort, sortOrder } from '../../server/resources/enums.js';
import { fieldsOf, graphqlObject, identityOf, type Node, resource } from '../../server/resources/field.js';
import { int } from '../../server/resources/types.js';
import { dayOf, type Ranked } from '../agents/activity.js';
import {
  Agent,
  AgentConnection,
  type AgentNode,
  agentColumns,
  agentColumnsInside,
  agentField,
  agentNode,
} from '../agents/graphql.js';
import type { AgentRow } from '../agents/queries.js';
import { agent } from '../agents/resource.js';
import { SEARCH_LENGTH } from '../agents/rules.js';
import { agentsAbove, LEADERBOARD, matchTotal, agents as readAgents } from './agents.js';
import { trend } from './resource.js';
import { searchAgents, searchTotal } from './search.js';

const AgentSort = registerEnum(agentSort);
const SortOrder = registerEnum(sortOrder);

const searchLength = (min: number): string => `${min} to ${SEARCH_LENGTH.max} characters`;

@ArgsType()
class AgentFilterArgs {
  @Field(() => String, nullable('Only the agent with exactly this agentId.'))
  agentId?: string | null;
  @Field(() => String, nullable('Only the agent with exactly this name.'))
  name?: string | null;
  @Field(() => String, {
    nullable: true,
    description: `Only agents whose name or agentId contains this text, ${searchLength(SEARCH_LENGTH.filter)}. Case is ignored.`,
  })
  search?: string | null;
  @Field(() => Boolean, nullable('true: only claimed agents. false: only agents that are not claimed.'))
  verified?: boolean | null;
  @Field(() => Int, nullable('Minimum number of holders.'))
  minHolder?: number | null;
  @Field(() => Int, nullable('Maximum number of holders.'))
  maxHolder?: number | null;
  @Field(() => Eth, nullable('Minimum ticket price, in ETH.'))
  minPrice?: Wei | null;
  @Field(() => Eth, nullable('Maximum ticket price, in ETH.'))
  maxPrice?: Wei | null;
  @Field(() => Int, nullable('Minimum number of tickets in circulation.'))
  minSupply?: number | null;
  @Field(() => Int, nullable('Maximum number of tickets in circulation.'))
  maxSupply?: number | null;
  @Field(() => AgentSort, { defaultValue: 'newest', description: 'Sort key of the list.' })
  sort!: Of<typeof AgentSort>;
  @Field(() => SortOrder, { defaultValue: 'desc', description: 'Sort direction.' })
  sortOrder!: Of<typeof SortOrder>;
}

const ranks = fieldsOf<{ readonly rank: number; readonly agent: AgentRow }>();
export const rankedAgent = resource('RankedAgent', 'Agent with its rank in the leaderboard.', {
  id: identityOf<{ readonly agent: AgentRow }>(['agent'], 'RankedAgent', ['wallet'], ({ agent }) => [agent.wallet]),
  rank: ranks.column('rank', int, 'Rank by tickets in circulation, from 1.'),
  agent: ranks.column('agent', graphqlObject(agent), 'Agent at this rank.'),
});

const SearchArgs = pageArgs(pageSizes.search);
const TrendArgs = pageArgs(pageSizes.trends);

const RankedAgent = objectType(rankedAgent);
const RankedAgentConnection = connectionType('RankedAgent', () => RankedAgent, 'ranked agents');
export const Trend = objectType(trend);
const TrendConnection = connectionType('Trend', () => Trend, 'trending agents');

type TrendNode = Node<Ranked & { readonly rank: number }>;
export const trendNode = (trend: Ranked, i: number): TrendNode => new Trend({ ...trend, rank: i + 1 });

agentField<Ranked>(Trend, ({ wallet }) => wallet, { description: 'Agent whose tickets were traded.' });

const rankedColumns = agentColumnsInside('agent');

@Resolver()
export class AgentListQueries {
  @Query(() => AgentConnection, nullable('Agents of this service that match all filters, newest first by default.'))
  async agents(
    @Args(() => AgentFilterArgs) { sort, sortOrder, ...filterArgs }: AgentFilterArgs,
    @Args(() => PageArgs) args: PageArgs,
    @Ctx() context: GraphContext,
    @Info() info: ResolveInfo,
  ): Promise<Connection<AgentNode>> {
    const { deps } = context;
    const page = pageIn(info, args);
    const filter = filterOf(filterArgs);
    const rows = await readAgents(deps, { filter, sort, order: sortOrder, page, names: agentColumns(info) });
    return connection(rows, page, agentNode, () => matchTotal(deps, filter));
  }

  @Query(() => RankedAgentConnection, nullable('Agents with their ranks, most tickets in circulation first.'))
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

  @Query(() => [Agent], {
    nullable: true,
    description: 'The agents with the most tickets in circulation, most tickets first, without ranks or pages.',
  })
  async topAgents(
    @Arg('first', () => Int, { defaultValue: pageSizes.topAgents.fallback, description: firstOf(pageSizes.topAgents) })
    first: number,
    @Ctx() context: GraphContext,
    @Info() info: ResolveInfo,
  ): Promise<AgentNode[]> {
    const { deps } = context;
    checkFirst(first, pageSizes.topAgents.max);
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
    @Arg('q', () => String, { description: `Text to find, ${searchLength(SEARCH_LENGTH.min)}. Case is ignored.` })
    q: string,
    @Arg('similar', () => Boolean, {
      defaultValue: false,
      description:
        'If nothing matches: the agents whose names differ by 1 letter, or by 2 from a text of 8 or more, nearest first. They ' +
        'are other agents than the text says: compare the names before you trade.',
    })
    hasSimilar: boolean,
    @Args(() => SearchArgs) args: PageArgs,
    @Ctx() context: GraphContext,
    @Info() info: ResolveInfo,
  ): Promise<Connection<AgentNode>> {
    const { deps } = context;
    const text = q.trim();
    if (text.length < SEARCH_LENGTH.min) throw new AppError('QUERY_TOO_SHORT');
    if (text.length > SEARCH_LENGTH.max) {
      throw new AppError('FIELD_TOO_LONG', { field: 'q', max: SEARCH_LENGTH.max });
    }
    const page = pageOf(args, pageSizes.search.max);
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
    return connectionOfList(ranked, pageOf(args, pageSizes.trends.max), {
      keyOf: ({ trendScore, txCount, wallet }) => [String(trendScore), String(txCount), wallet],
      isAfter: (trend, [score, txCount, last = '']) =>
        (Number(score) - trend.trendScore || Number(txCount) - trend.txCount || (trend.wallet > last ? 1 : -1)) > 0,
      nodeOf: (trend) => trendNode(trend, ranked.indexOf(trend)),
    });
  }
}

function filterOf(args: Omit<AgentFilterArgs, 'sort' | 'sortOrder'>) {
  const filter = withoutNulls(args);
  const search = filter.search?.trim();
  if (search !== undefined && (search.length < SEARCH_LENGTH.filter || search.length > SEARCH_LENGTH.max)) {
    throw new AppError('INVALID_FIELD', {
      field: 'search',
      expected: `a text of ${searchLength(SEARCH_LENGTH.filter)}`,
    });
  }
  for (const field of ['minHolder', 'maxHolder', 'minSupply', 'maxSupply'] as const) {
    const count = filter[field];
    if (count !== undefined && (count < 0 || count > MAX_COUNT)) {
      throw new AppError('INVALID_FIELD', { field, expected: `an integer from 0 to ${MAX_COUNT}` });
    }
  }
  return { ...filter, search };
}
