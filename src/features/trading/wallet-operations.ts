import { z } from 'zod';
import { remoteCaches, serviceCaches } from '../../cache/caches.js';
import type { Deps } from '../../deps.js';
import { AppError } from '../../errors/errors.js';
import type { Actor } from '../../keys.js';
import { agentReference, anyText } from '../../server/inputs.js';
import { operation, unrouted } from '../../server/operation.js';
import type { LimitRow } from '../../server/rate-limits.js';
import { findAgent, isSelf } from '../agents/lookup.js';
import { PLANNER, SCOUT } from '../examples.js';
import { pnlCaches } from './pnl.js';
import { type PnlRow, pnl, pnlExample, pnlRow, pnlSummary, visiblePnl } from './pnl-resource.js';
import { readEtherBalance, readWalletBalance } from './wallet.js';
import { agentWallet, etherBalance, etherBalanceExample, walletBalanceView } from './wallet-resource.js';

export const myBalance = operation({
  rest: 'GET /api/agents/me/balance',
  tag: 'Agents',
  summary: 'Ether of your wallet, read from the chain, also in US dollars',
  description: `Every request reads the chain. The price of ether is at most ${remoteCaches.ethUsd.ttlMs / 60_000} minutes old.`,
  auth: 'required',
  limit: [{ name: 'balance', max: 30, seconds: 60, per: 'key' }],
  input: z.object({}),
  output: etherBalance.schema,
  errors: ['CHAIN_UNAVAILABLE'],
  samples: {
    client: 'curvet.me.balance()',
    graphql: '{ me { balance { balanceEth valueUsd } } }',
  },
  example: { response: etherBalance.format(etherBalanceExample) },
  handle: ({ deps, actor }) => readEtherBalance(deps, actor.wallet),
});

const input = z.object({
  agentId: anyText().min(1).describe('agentId, wallet address or name of the agent.'),
});

export const agentBalance = operation({
  rest: 'GET /api/agent-wallet/balance',
  tag: 'Agent wallet',
  summary: 'Ether and tickets of an agent, read from the chain',
  description: 'The index tells in which agents the wallet holds tickets. The numbers of tickets are read from the contract.',
  auth: 'none',
  limit: 'global',
  input,
  output: walletBalanceView.schema,
  errors: ['AGENT_NOT_FOUND', 'CHAIN_UNAVAILABLE'],
  samples: {
    graphql: '{ agentWallet(agentId: "planner") { walletAddress balance { balanceEth totalTickets } } }',
  },
  example: {
    request: { agentId: 'planner' },
    response: {
      agentId: 'planner',
      walletAddress: PLANNER,
      balanceWei: '1500000000000000000',
      balanceEth: '1.5',
      tickets: [
        { agentAddress: PLANNER, agentName: 'Planner', agentId: 'planner', amount: 1 },
        { agentAddress: SCOUT, agentName: 'Scout', agentId: 'scout', amount: 1 },
      ],
      totalTickets: 2,
    },
  },
  async handle({ deps }, { agentId }) {
    const agent = await findAgent(deps, agentId);
    return { ...agent, ...(await readWalletBalance(deps, agent.wallet)) };
  },
});

export const walletInfo = operation({
  rest: 'GET /api/agent-wallet/info',
  cache: 'public',
  tag: 'Agent wallet',
  summary: 'Whether an agent keeps the key of its wallet itself',
  description: '`external`: the agent keeps the private key itself. `managed`: a service keeps it, under `walletId`.',
  auth: 'none',
  limit: 'global',
  input,
  output: agentWallet.schema,
  errors: ['AGENT_NOT_FOUND'],
  samples: {
    graphql: '{ agentWallet(agentId: "scout") { walletAddress walletType } }',
  },
  example: {
    request: { agentId: 'scout' },
    response: { agentId: 'scout', walletAddress: SCOUT, walletType: 'external' },
  },
  handle: ({ deps }, { agentId }) => findAgent(deps, agentId),
});

const pnlLimit = (isOwn: boolean): LimitRow => ({ name: 'pnl', max: 2, seconds: 60, per: isOwn ? 'key' : 'ip' });

export const myPnl = operation({
  rest: 'GET /api/agents/me/pnl',
  tag: 'Trading',
  summary: 'Profit and loss of your agent: sales, open positions (FIFO), fees and their sum',
  description: `At most ${serviceCaches.ownerPnl.ttlMs / 1000} seconds old. The total equals realized + unrealized + fees exactly, in wei.`,
  auth: 'required',
  limit: [pnlLimit(true)],
  input: z.object({}),
  output: pnl.schema,
  samples: {
    client: 'curvet.me.pnl()',
    graphql: '{ me { pnl { summary { totalPnlWei } fees { pendingWei } } } }',
  },
  example: { response: pnl.format(pnlExample) },
  handle: ({ deps, actor }) => ownPnl(deps, actor.wallet),
});

export const agentPnl = operation({
  rest: 'GET /api/agents/{address}/pnl',
  tag: 'Trading',
  summary: 'Profit and loss of an agent: a summary, or with its key all details',
  description:
    'With the key of the agent, the answer is that of GET /api/agents/me/pnl. Otherwise it contains only `summary`, which ' +
    `is at most ${serviceCaches.publicPnl.ttlMs / 1000} seconds old.`,
  auth: 'optional',
  limit: (actor, { address }) => [pnlLimit(isSelf(actor, String(address)))],
  input: z.object({ address: agentReference() }),
  output: visiblePnl,
  errors: ['AGENT_NOT_FOUND'],
  samples: {
    client: "curvet.agents.pnl('scout')",
    graphql: '{ agent(agentId: "scout") { pnl { totalPnlWei totalPnlPercent } } }',
  },
  example: { request: { address: 'scout' }, response: { summary: pnlSummary.format(pnlExample.summary) } },
  async handle({ deps, actor }, { address }) {
    const { wallet } = await findAgent(deps, address);
    return readPnl(deps, wallet, actor?.wallet === wallet);
  },
});

/** Complete profit and loss, for the agent itself. */
export async function ownPnl(deps: Deps, wallet: string): Promise<PnlRow> {
  const [figures, usd] = await Promise.all([pnlCaches.owner(deps, wallet), deps.ethUsd()]);
  return pnlRow(figures, usd);
}

/** Complete profit and loss for the agent itself, only the summary for others. */
async function readPnl(deps: Deps, wallet: string, isOwn: boolean): Promise<Pick<PnlRow, 'summary'> & Partial<PnlRow>> {
  if (isOwn) return ownPnl(deps, wallet);
  const [summary, usd] = await Promise.all([pnlCaches.public(deps, wallet), deps.ethUsd()]);
  return { summary: { ...summary, usd } };
}

export const getPnl = unrouted({
  tool: {
    name: 'get_pnl',
    title: 'Get profit and loss',
    description:
      'Profit and loss of an agent. For your own agent, with its key: all sales, open positions (FIFO), fees and their sum. For ' +
      `another agent: only the summary. The figures are at most ${serviceCaches.publicPnl.ttlMs / 1000} seconds old. The limit is two calls per minute.`,
  },
  auth: 'optional',
  limit: (actor, { agent }) => [pnlLimit(isOwn(actor, agent))],
  input: z.object({
    agent: anyText().optional().describe('Wallet address, agentId or name of the agent. Default: the agent of the key.'),
  }),
  output: visiblePnl,
  async handle({ deps, actor }, { agent }) {
    const wallet = agent === undefined ? actor?.wallet : (await findAgent(deps, agent)).wallet;
    if (wallet === undefined) throw new AppError('MISSING_KEY');
    return readPnl(deps, wallet, actor?.wallet === wallet);
  },
});

const isOwn = (actor: Actor | null, agent: unknown): boolean =>
  agent === undefined ? actor !== null : isSelf(actor, String(agent));
