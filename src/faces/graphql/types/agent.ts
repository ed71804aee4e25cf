import { Field, Args as TakesArgs } from 'type-graphql';
import { type AgentPart, ALL_AGENT_PARTS, type PartialAgent } from '../../../features/agents/agent-row.js';
import { agent } from '../../../features/agents/resource.js';
import { findMarket } from '../../../features/prices/markets.js';
import { partsOf } from '../../../server/resources/field.js';
import type { GraphContext } from '../engine/context.js';
import { connectionType } from './connection.js';
import type { Node } from './generate.js';
import { type Info as LookAheadInfo, lookAhead, selected, selectedInNodes } from './lookahead.js';
import { types } from './objects.js';

/**
 * Columns of the fields with hand-written resolvers: the totalCount of a connection, the wallet of an agent.
 */
const partsOfFields = partsOf(agent.fields, {
  holders: ['holderCount'],
  followers: ['followerCount'],
  following: ['followingCount'],
  referrer: ['referrer'],
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

/**
 * The wallet that a reference names. A wallet address needs no lookup, because the chain has markets of wallets that are not
 * agents of this service.
 */
export const walletOf = async ({ deps }: GraphContext, reference: string): Promise<string> =>
  /^0x[0-9a-fA-F]{40}$/.test(reference) ? reference.toLowerCase() : findMarket(deps, reference);

export type RelationOptions<Args> = {
  readonly type: () => object | [object];
  readonly args?: new () => Args;
  readonly description: string;
  readonly nullable?: boolean;
};

export type Resolve<Row, Args> = (row: Row, args: Args, context: GraphContext, info: LookAheadInfo) => unknown;

/**
 * Adds a field to a generated type. The field is a method of the nodes, which graphql-js calls itself: lists have hundreds of
 * them, and type-graphql would sort and convert the parameters at each call.
 */
export function relation<Row, Args>(
  { prototype }: { readonly prototype: object },
  name: string,
  { type, args, ...options }: RelationOptions<Args>,
  resolve: Resolve<Row, Args>,
): void {
  Field(type as never, { ...options, simple: true })(prototype, name);
  if (args) TakesArgs(() => args as never)(prototype, name, 0);
  Object.defineProperty(prototype, name, {
    value(this: Node<Row>, given: Args, context: GraphContext, info: LookAheadInfo) {
      return resolve(this.row, given, context, info);
    },
  });
}

type AgentFieldOptions<Row> = {
  readonly name?: string;
  readonly description: string;
  /** The agent, if it was read together with the row, otherwise undefined. */
  readonly read?: (row: Row) => PartialAgent | null | undefined;
};

/** Adds a field to a generated type, for the agent of a wallet in the row, or null. */
export function agentField<Row>(
  type: { readonly prototype: object },
  walletOf: (row: Row) => string | null,
  { name = 'agent', description, read }: AgentFieldOptions<Row>,
): void {
  const options = { type: () => types.Agent, nullable: true, description };
  relation<Row, object>(type, name, options, (row, _args, context, info) => {
    const agent = read?.(row);
    if (agent !== undefined) return agent && agentNode(agent);
    const wallet = walletOf(row);
    return wallet && agentOf(context, wallet, info);
  });
}

agentField<PartialAgent>(types.Agent, ({ referrer }) => referrer ?? null, {
  name: 'referrer',
  description: 'Agent that referred the agent. Null if there is none.',
});

export const AgentConnection = connectionType('Agent', () => types.Agent, 'agents');
