import { Ctx, FieldResolver, Info, Resolver, Root } from 'type-graphql';
import { type AgentPart, ALL_AGENT_PARTS, type PartialAgent } from '../../../core/agents/queries/agent-row.js';
import { agent } from '../../resources/agent.js';
import { partsOf } from '../../resources/field.js';
import type { GraphContext } from '../engine/context.js';
import { connectionType } from './connection.js';
import type { Node } from './generate.js';
import { type Info as LookAheadInfo, lookAhead, selected, selectedInNodes } from './lookahead.js';
import { types } from './objects.js';

/**
 * Columns of the fields with hand-written resolvers. Each of these fields is a connection, and its column is the
 * totalCount.
 */
const partsOfFields = partsOf(agent.fields, {
  holders: ['holderCount'],
  followers: ['followerCount'],
  following: ['followingCount'],
});
const agentPartsOf = (fields: ReadonlySet<string>): readonly AgentPart[] => {
  const wanted = partsOfFields(fields);
  return ALL_AGENT_PARTS.filter((part) => wanted.has(part));
};

/** Columns that the query selects of the agent that a field returns, or of the nodes of a connection of agents. */
export const agentParts = lookAhead((info) => agentPartsOf(selected(info)));
export const agentNodeParts = lookAhead((info) => agentPartsOf(selectedInNodes(info)));
/** Columns of an agent that is a field of the nodes of a connection. undefined if the query does not select the field. */
export const agentPartsBelow = (info: LookAheadInfo, field: string): readonly AgentPart[] | undefined =>
  selectedInNodes(info).has(field) ? agentPartsOf(selectedInNodes(info, field)) : undefined;

/** An agent. The row has only the columns that the query needs. */
export type AgentNode = Node<PartialAgent>;
export const agentNode = (row: PartialAgent): AgentNode => new types.Agent(row as never) as AgentNode;

/** Loads the agent of a wallet. null if it is not an agent of this service. Without `info`, all columns are loaded. */
export async function agentOf(context: GraphContext, wallet: string, info?: LookAheadInfo): Promise<AgentNode | null> {
  const row = await context.loaders.agent(info && agentParts(context, info)).load(wallet);
  return row && agentNode(row);
}

type AgentFieldOptions<Row> = {
  readonly name?: string;
  readonly description: string;
  /** The agent, if it was read together with the row, otherwise undefined. */
  readonly read?: (row: Row) => PartialAgent | null | undefined;
};

/** Declares a field of a generated type that resolves to the agent of a wallet in the row, or to null. */
export function agentField<Row>(
  type: object,
  walletOf: (row: Row) => string,
  { name = 'agent', description, read }: AgentFieldOptions<Row>,
) {
  const resolve = ({ row }: Node<Row>, _args: unknown, context: GraphContext, info: LookAheadInfo) => {
    const agent = read?.(row);
    return agent === undefined ? agentOf(context, walletOf(row), info) : agent && agentNode(agent);
  };
  @Resolver(() => type as new () => object)
  class AgentField {
    static readonly direct = { type: (type as { readonly name: string }).name, name, resolve };

    @FieldResolver(() => types.Agent, { nullable: true, description })
    [name](@Root() node: Node<Row>, @Ctx() context: GraphContext, @Info() info: LookAheadInfo) {
      return resolve(node, {}, context, info);
    }
  }
  return AgentField;
}

export const AgentConnection = connectionType('Agent', () => types.Agent, 'agents');
