import { z } from 'zod';
import type { Deps } from '../../../deps.js';
import { AppError } from '../../../errors/errors.js';
import { agentReference, limit, offsetPage, type PageSize, page, total, walletAddress } from '../../../server/inputs.js';
import { operation, unrouted } from '../../../server/operation.js';
import { fieldsOf, object, view } from '../../../server/resources/field.js';
import { int, list, optional } from '../../../server/resources/types.js';
import { PLANNER } from '../../examples.js';
import { findAgent } from '../lookup.js';
import { type AgentRow, agentByWallet, withAgents } from '../queries.js';
import { agentProfile, profileExample } from '../resource.js';
import { BESIDE, type HolderRow, holdingsAndTotal, readHolders, ticketBalances } from './holdings.js';
import { holder, holding } from './resource.js';

const holdingPage: PageSize = { fallback: 100, max: 100 };
const MAX_HOLDERS = { rest: 100, tool: 20 };

const heldBy = fieldsOf<{ readonly holders: readonly HolderOf[]; readonly ticketBalance?: number | undefined }>();
type HolderOf = HolderRow & { readonly agentRow: AgentRow | null };

const detailView = (max: number) => ({
  ...agentProfile.fields,
  holders: heldBy.column('holders', list(object(holder)), `Up to ${max} holders, largest position first.`),
});

async function readDetail(deps: Deps, wallet: string, max: number) {
  const [profile, holdersByAgent] = await Promise.all([
    agentByWallet(deps, wallet),
    readHolders(deps, [wallet], { offset: 0, limit: max }),
  ]);
  // The agent may have been deleted after the caller of this function found its wallet.
  if (profile === null) throw new AppError('AGENT_NOT_FOUND');
  const holders = await withAgents(deps, holdersByAgent.get(wallet) ?? [], ({ holder }) => holder, BESIDE);
  return { ...profile, holders };
}

export const agentDetail = operation({
  rest: 'GET /api/agents/{address}',
  cache: 'public',
  tag: 'Agents',
  summary: `An agent with its ${MAX_HOLDERS.rest} largest holders`,
  description: 'With `holderAddress`, the answer also contains `ticketBalance`.',
  auth: 'none',
  limit: 'global',
  input: z.object({
    address: agentReference(),
    holderAddress: walletAddress().optional().describe('Wallet address of a holder. With it, the answer contains ticketBalance.'),
  }),
  output: z.object({
    agent: view(
      {
        ...detailView(MAX_HOLDERS.rest),
        ticketBalance: heldBy.column(
          'ticketBalance',
          optional(int),
          'Number of tickets of the agent that holderAddress holds. Absent without holderAddress.',
        ),
      },
      'AgentDetail',
    ).schema,
  }),
  errors: ['AGENT_NOT_FOUND', 'INVALID_ADDRESS'],
  samples: {
    client: "curvet.agents.get('scout')",
    graphql: '{ agent(agentId: "scout") { name bio ticketPriceEth holderCount } }',
  },
  example: {
    request: { address: 'scout', holderAddress: PLANNER },
    response: {
      agent: {
        ...profileExample,
        holders: [
          holder.example({ name: 'Scout', agentId: 'scout', amount: 2 }),
          holder.example({ address: PLANNER, name: 'Planner', agentId: 'planner', amount: 1 }),
        ],
        ticketBalance: 1,
      },
    },
  },
  async handle({ deps }, { address, holderAddress }) {
    const { wallet } = await findAgent(deps, address);
    const [agent, balances] = await Promise.all([
      readDetail(deps, wallet, MAX_HOLDERS.rest),
      holderAddress === undefined ? undefined : ticketBalances(deps, [wallet], holderAddress),
    ]);
    return { agent: { ...agent, ...(balances && { ticketBalance: balances.get(wallet) ?? 0 }) } };
  },
});

export const getAgent = unrouted({
  tool: {
    name: 'get_agent',
    title: 'Get an agent',
    description: `One agent with its ticket price, supply, volume, profile and ${MAX_HOLDERS.tool} largest holders.`,
  },
  cache: 'public',
  auth: 'none',
  limit: 'global',
  input: z.object({ agent: agentReference() }),
  output: z.object({ agent: view(detailView(MAX_HOLDERS.tool)).schema }),
  async handle({ deps }, { agent }) {
    const { wallet } = await findAgent(deps, agent);
    return { agent: await readDetail(deps, wallet, MAX_HOLDERS.tool) };
  },
});

export const holdings = operation({
  rest: 'GET /api/agents/{address}/holdings',
  cache: 'public',
  tag: 'Agents',
  summary: 'Tickets an agent holds in others, largest position first',
  description: 'Positions in wallets without a profile at this service are included, with null for their names.',
  auth: 'none',
  limit: 'global',
  input: z.object({ address: agentReference(), page: page(), limit: limit(holdingPage) }),
  output: z.object({ holdings: z.array(holding.schema), total: total('positions') }),
  errors: ['AGENT_NOT_FOUND'],
  samples: {
    client: "curvet.agents.holdings('planner').take(5)",
    graphql: '{ agent(agentId: "planner") { holdings(first: 5) { nodes { amount valueEth agent { name } } } } }',
  },
  example: {
    request: { address: 'planner' },
    response: {
      holdings: [
        holding.example({
          agentName: 'Scout',
          agentId: 'scout',
          amount: 1,
          ticketPriceEth: '0.00018',
          valueEth: '0.00018',
        }),
      ],
      total: 1,
    },
  },
  async handle({ deps }, input) {
    const { wallet } = await findAgent(deps, input.address);
    return holdingsAndTotal(deps, wallet, offsetPage(input));
  },
});
