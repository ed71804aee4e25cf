import { Ctx, FieldResolver, Info, Resolver, Root } from 'type-graphql';
import { type AgentPart, ALL_AGENT_PARTS, type PartialAgent } from '../../../core/agents/queries/agent-row.js';
import { agent } from '../../resources/agent.js';
import { partsOf } from '../../resources/field.js';
import type { GraphContext } from '../engine/context.js';
import { connectionType } from './connection.js';
import type { Node } from './generate.js';
import { asked, askedOfNodes, type Info as LookAheadInfo, lookAhead } from './lookahead.js';
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
export const agentPartsBelow = (info: LookAheadInfo, field: string): readonly AgentPart[] | undefined =>
  askedOfNodes(info).has(field) ? agentPartsOf(askedOfNodes(info, field)) : undefined;

/** An agent; the row has the columns that the query asks for. */
export type AgentNode = Node<PartialAgent>;
export const agentNode = (row: PartialAgent): AgentNode => new types.Agent(row as never) as AgentNode;

/** The agent of a wallet; null if it is none of this service. `info`: of the field that gives it; all of it without. */
export async function agentOf(context: GraphContext, wallet: string, info?: LookAheadInfo): Promise<AgentNode | null> {
  const row = await context.loaders.agent(info && agentParts(context, info)).load(wallet);
  return row && agentNode(row);
}

type AgentFieldOptions<Row> = {
  readonly name?: string;
  readonly description: string;
  /** The agent where it was read with the row; undefined where it was not. */
  readonly read?: (row: Row) => PartialAgent | null | undefined;
};

/** Resolver of a field of a generated type that gives the agent of a wallet in the row; null if there is no such agent. */
export function agentField<Row>(
  type: object,
  walletOf: (row: Row) => string,
  { name = 'agent', description, read }: AgentFieldOptions<Row>,
) {
  @Resolver(() => type as new () => object)
  class AgentField {
    @FieldResolver(() => types.Agent, { nullable: true, description })
    [name](@Root() { row }: Node<Row>, @Ctx() context: GraphContext, @Info() info: LookAheadInfo) {
      const agent = read?.(row);
      return agent === undefined ? agentOf(context, walletOf(row), info) : agent && agentNode(agent);
    }
  }
  return AgentField;
}

export const AgentConnection = connectionType('Agent', () => types.Agent, 'the agents');
