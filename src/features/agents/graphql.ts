import { Arg, Args, Ctx, Info, Query, Resolver } from 'type-graphql';
import { AppError } from '../../errors/errors.js';
import { type GraphContext, type LoaderSource, requireActor } from '../../server/graphql/context.js';
import { mutationOf } from '../../server/graphql/mutations.js';
import {
  connection,
  connectionType,
  loaders,
  PageArgs,
  type PageRequest,
  pageIn,
  rowsByArguments,
  valueByArguments,
} from '../../server/graphql/types/connection.js';
import { argumentsOf, inputObject } from '../../server/graphql/types/inputs.js';
import type { NodeReader } from '../../server/graphql/types/nodes.js';
import {
  columnsInside,
  columnsOf,
  nullableField,
  objectType,
  type RelationOptions,
  type Resolve,
  type ResolveInfo,
  registerEnum,
  relation,
  Uncacheable,
} from '../../server/graphql/types/object-types.js';
import type { Node } from '../../server/resources/field.js';
import { availabilityOf } from './availability.js';
import { findAgent } from './lookup.js';
import { availability, change } from './operations.js';
import { type AgentRow, ALL_COLUMNS, agentsByWallets, referrals } from './queries.js';
import { agent, claimStatus, nameAvailability, unavailableReason, walletType } from './resource.js';

registerEnum(claimStatus);

registerEnum(walletType);

registerEnum(unavailableReason);

export const AgentType = objectType(agent);

const NameAvailability = objectType(nameAvailability);

export const AgentConnection = connectionType('Agent', () => AgentType, 'agents');

const agentLoaders = ({ deps }: LoaderSource) => ({
  /** Loads agents by wallet with the given columns. One statement reads all agents for which the same columns are requested. */
  agent: valueByArguments<readonly string[], AgentRow | null>((wallets, names) => agentsByWallets(deps, wallets, names), null),
  referrals: rowsByArguments((wallets, { names, ...page }: PageRequest & { readonly names: readonly string[] }) =>
    referrals(deps, wallets, { page, names }),
  ),
});

/**
 * Columns that fields with a resolver need, by field: a connection needs its totalCount, `referrer` needs the wallet of the
 * referrer.
 */
const relations = {
  holders: ['holderCount'],
  followers: ['followerCount'],
  following: ['followingCount'],
  referrals: ['referralCount'],
  referrer: ['referrer'],
};

/** Returns the agent columns that a query needs, for a field that returns an agent or a connection of agents. */
export const agentColumns = columnsOf(agent.fields, relations);

/** Like `agentColumns`, for a connection whose nodes have the agent in `field`. null if the query does not select this field. */
export const agentColumnsInside = (field: string) => columnsInside(agent.fields, relations, field);

/** An agent in an answer. Its row has only the columns that the query needs. */
export type AgentNode = Node<AgentRow>;

export const agentNode = (row: AgentRow): AgentNode => new AgentType(row);

/** Loads the agent of a wallet. null if the wallet is not an agent of this service. Without `info`, all columns are loaded. */
export async function agentOf(context: GraphContext, wallet: string, info?: ResolveInfo): Promise<AgentNode | null> {
  const names = info ? agentColumns(info) : ALL_COLUMNS;
  const row = await loaders(context, agentLoaders).agent.load(wallet, names);
  return row && agentNode(row);
}

const agentReader: NodeReader = {
  what: 'an agent',
  form: /^(0x[0-9a-f]{40})$/,
  async read(context, wallets, info) {
    const agents = await Promise.all(wallets.map((wallet) => agentOf(context, wallet, info)));
    return new Map(agents.flatMap((agent) => (agent ? [[agent.row.wallet, agent]] : [])));
  },
};

type AgentFieldOptions<Row> = {
  readonly name?: string;
  readonly description: string;
  /**
   * Returns the agent that was read together with the row; null says that there is none. undefined makes the field load the agent.
   */
  readonly read?: (row: Row) => AgentRow | null | undefined;
};

/** Adds a field to a GraphQL type: the agent of the wallet that `walletOf` finds in a row. Null if there is no such agent. */
export function agentField<Row>(
  type: { readonly prototype: object },
  walletOf: (row: Row) => string | null,
  { name = 'agent', description, read }: AgentFieldOptions<Row>,
): void {
  const options = { type: () => AgentType, nullable: true, description };
  relation<Row, object>(type, name, options, (row, _args, context, info) => {
    const agent = read?.(row);
    if (agent !== undefined) return agent && agentNode(agent);
    const wallet = walletOf(row);
    return wallet && agentOf(context, wallet, info);
  });
}

/** Adds a field with a resolver to the GraphQL type `Agent`. */
export const ofAgent = <Args>(name: string, options: RelationOptions<Args>, resolve: Resolve<AgentRow, Args>): void =>
  relation(AgentType, name, options, resolve);

agentField<AgentRow>(AgentType, ({ referrer }) => referrer, {
  name: 'referrer',
  description: 'Agent that referred the agent. Null if there is none.',
});

ofAgent(
  'referrals',
  {
    type: () => AgentConnection,
    args: PageArgs,
    description: 'Agents that name the agent as their referrer, latest referral first.',
  },
  async ({ wallet, referralCount }, args, context, info) => {
    const page = pageIn(info, args);
    const names = agentColumns(info);
    const rows = await loaders(context, agentLoaders).referrals.load(wallet, { ...page, names });
    return connection(rows, page, agentNode, () => referralCount);
  },
);

type Named = { readonly name: string };
const NameArgs = argumentsOf<Named>(availability.input);

@Resolver()
class AgentResolver {
  @Query(() => AgentType, {
    nullable: true,
    description:
      'Agent with the given wallet address, agentId or name. Pass either address or agentId. Null with an error if no agent matches.',
  })
  async agent(
    @Arg('address', () => String, nullableField('Wallet address, agentId or name of the agent.'))
    address: string | undefined,
    @Arg('agentId', () => String, nullableField('Wallet address, agentId or name of the agent. Same as address.'))
    agentId: string | undefined,
    @Ctx() context: GraphContext,
    @Info() info: ResolveInfo,
  ): Promise<AgentNode> {
    const reference = address ?? agentId;
    if (reference === undefined || reference === null || (address && agentId)) {
      throw new AppError('INVALID_FIELD', { field: 'address', expected: 'either address or agentId' });
    }
    const { wallet } = await findAgent(context.deps, reference);
    const agent = await agentOf(context, wallet, info);
    if (agent === null) throw new AppError('AGENT_NOT_FOUND');
    return agent;
  }

  @Uncacheable
  @Query(() => NameAvailability, nullableField('Whether a name can be registered now. Reads the contract.'))
  async nameAvailability(@Args(() => NameArgs) { name }: Named, @Ctx() { deps }: GraphContext): Promise<Node> {
    return new NameAvailability(await availabilityOf(deps, name));
  }
}

const updateMe = mutationOf(change, {
  name: 'updateMe',
  type: () => AgentType,
  description: 'Changes the profile of the authenticated agent.',
  input: inputObject(
    'UpdateMeInput',
    'Fields of a profile to change. Omitted fields stay unchanged. null or an empty string clears a field.',
    change.input,
  ),
  answer: (context) => agentOf(context, requireActor(context).wallet),
});

export const resolvers = [AgentResolver, updateMe];
export const readers = [agentReader];
