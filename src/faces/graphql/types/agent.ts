import { Ctx, FieldResolver, Float, Int, Resolver, Root } from 'type-graphql';
import { type AgentPart, type AgentRow, ALL_AGENT_PARTS } from '../../../core/trading/queries/columns.js';
import { ethNumber } from '../../../money.js';
import { agent } from '../../resources/agent.js';
import { partsOf } from '../../resources/field.js';
import type { GraphContext } from '../engine/context.js';
import { type Connection, connection, connectionType, type Keyed, type PageRequest } from './connection.js';
import type { Node } from './generate.js';
import { asked, askedOfNodes, type Info, lookAhead } from './lookahead.js';
import { types } from './objects.js';

/** Fields of the agent that hand-written resolvers compute: the columns for the totals of these connections. */
const partsOfFields = partsOf(agent.fields, {
  holders: ['holderCount'],
  followers: ['followerCount'],
  following: ['followingCount'],
});
const agentPartsOf = (fields: ReadonlySet<string>): readonly AgentPart[] => {
  const wanted = partsOfFields(fields);
  return ALL_AGENT_PARTS.filter((part) => wanted.has(part));
};

/** The columns of the agent that a field gives, or of the nodes of a connection of agents. */
export const agentParts = lookAhead((info) => agentPartsOf(asked(info)));
export const agentNodeParts = lookAhead((info) => agentPartsOf(askedOfNodes(info)));
/** Those of an agent below the nodes of a connection; none if it is not asked for. */
export const agentPartsBelow = (info: Info, field: string): readonly AgentPart[] | undefined =>
  askedOfNodes(info).has(field) ? agentPartsOf(askedOfNodes(info, field)) : undefined;

/** An agent; the row has the columns that the query asks for. */
export type AgentNode = Node<AgentRow>;
export const agentNode = (row: AgentRow): AgentNode => new types.Agent(row as never) as AgentNode;

/** The agent of a wallet; null if it is none of this service. `info`: of the field that gives it; all of it without. */
export async function agentOf({ loaders }: GraphContext, wallet: string, info?: Info): Promise<AgentNode | null> {
  const row = await loaders.agent(info && agentParts(info)).load(wallet);
  return row && agentNode(row);
}

export const AgentConnection = connectionType('Agent', () => types.Agent, 'the agents');

type WalletRow = Keyed & { readonly wallet: string };

/** Agents from the wallets of a page. One that was deleted meanwhile is left out. */
export async function agentConnection(
  { loaders }: GraphContext,
  info: Info,
  wallets: readonly WalletRow[],
  page: PageRequest,
  totalCount: () => Promise<number>,
): Promise<Connection<AgentNode>> {
  const loader = loaders.agent(agentNodeParts(info));
  const found = await Promise.all(wallets.map(({ wallet }) => loader.load(wallet)));
  const rows = wallets.flatMap(({ key }, i) => {
    const agent = found[i];
    return agent ? [{ key, agent }] : [];
  });
  return connection(rows, page, ({ agent }) => agentNode(agent), totalCount);
}

/** What is counted for an agent, and read only where it is asked for. */
@Resolver(() => types.Agent)
export class AgentFigures {
  @FieldResolver(() => Float, { description: 'Curve price of the trades of the last 24 hours, in ETH.' })
  async volume24h(@Root() { row }: AgentNode, @Ctx() { loaders }: GraphContext): Promise<number> {
    return ethNumber((await loaders.day.load(row.wallet))?.volume24h ?? 0n);
  }

  @FieldResolver(() => Int, { description: 'Trades in its tickets in the last 24 hours.' })
  async txCount24h(@Root() { row }: AgentNode, @Ctx() { loaders }: GraphContext): Promise<number> {
    return (await loaders.day.load(row.wallet))?.txCount24h ?? 0;
  }

  @FieldResolver(() => Float, {
    description: 'Change of the ticket price in percent, against 24 hours ago, or registration if later.',
  })
  async priceChange24h(@Root() { row }: AgentNode, @Ctx() { loaders }: GraphContext): Promise<number> {
    return (await loaders.day.load(row.wallet))?.priceChange24h ?? 0;
  }

  @FieldResolver(() => Int, { description: 'Agents that name it as their referrer.' })
  referralCount(@Root() { row }: AgentNode, @Ctx() { loaders }: GraphContext): Promise<number> {
    return loaders.referralCount.load(row.wallet);
  }
}
