import { z } from 'zod';
import { remoteCaches, serviceCaches } from '../../freshness.js';
import { readLimits } from '../../server/access/limit-rows.js';
import { agentParams, text } from '../../server/fields.js';
import { endpoint } from '../../server/rest/endpoint.js';
import { PLANNER, SCOUT } from '../../server/rest/examples.js';
import { findAgent, isSelf } from '../agents/lookup.js';
import { pnlCaches } from './pnl.js';
import { pnl, pnlExample, pnlRow, pnlSummary, pnlSummaryExample } from './pnl-resource.js';
import { etherBalance as readEtherBalance, walletBalance } from './wallet.js';
import { agentWallet, etherBalance, etherBalanceExample, walletBalanceView } from './wallet-resource.js';

const myBalance = endpoint({
  method: 'GET',
  path: '/api/agents/me/balance',
  cache: 'never',
  tag: 'Agents',
  summary: 'Ether of the wallet of the key, read from the chain, and its value in US dollars',
  description: `Every request reads the chain. The price of ether is at most ${remoteCaches.ethUsd.ttlMs / 60_000} minutes old.`,
  auth: 'required',
  limit: [{ name: 'balance', max: 30, seconds: 60, per: 'key' }],
  output: etherBalance.schema,
  errors: ['CHAIN_UNAVAILABLE'],
  example: { response: etherBalanceExample },
  async handle(deps, { actor }) {
    return etherBalance.format({ address: actor.wallet, ...(await readEtherBalance(deps, actor.wallet)) });
  },
});

const query = z.object({
  agentId: text().min(1).describe('agentId, wallet address or name of the agent.'),
});

const balance = endpoint({
  method: 'GET',
  path: '/api/agent-wallet/balance',
  cache: 'never',
  tag: 'Agent wallet',
  summary: 'Ether and tickets of the wallet of an agent, read from the chain',
  description:
    'The index tells in which agents the wallet holds tickets. The numbers of tickets are read from the contract.',
  auth: 'none',
  limit: 'global',
  query,
  output: walletBalanceView.schema,
  errors: ['AGENT_NOT_FOUND', 'CHAIN_UNAVAILABLE'],
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
  async handle(deps, call) {
    const agent = await findAgent(deps, call.query.agentId);
    return walletBalanceView.format({ ...agent, ...(await walletBalance(deps, agent.wallet)) });
  },
});

const info = endpoint({
  method: 'GET',
  path: '/api/agent-wallet/info',
  cache: 'public',
  tag: 'Agent wallet',
  summary: 'Whether the agent or a service keeps the key of the wallet',
  description: '`external`: the agent keeps the private key itself. `managed`: a service keeps it, under `walletId`.',
  auth: 'none',
  limit: 'global',
  query,
  output: agentWallet.schema,
  errors: ['AGENT_NOT_FOUND'],
  example: {
    request: { agentId: 'scout' },
    response: { agentId: 'scout', walletAddress: SCOUT, walletType: 'external' },
  },
  async handle(deps, call) {
    return agentWallet.format(await findAgent(deps, call.query.agentId));
  },
});

export const wallets = [myBalance, balance, info];

const myPnl = endpoint({
  method: 'GET',
  path: '/api/agents/me/pnl',
  cache: 'never',
  tag: 'Trading',
  summary: 'Profit and loss of the agent of the key: sales, open positions (FIFO), fees and their sum',
  description: `At most ${serviceCaches.ownerPnl.ttlMs / 1000} seconds old. The total equals realized + unrealized + fees exactly, in wei.`,
  auth: 'required',
  limit: readLimits.ownerPnl,
  output: pnl.schema,
  errors: [],
  example: { response: { ...pnlExample, realized: { ...pnlExample.realized, trades: [] } } },
  async handle(deps, { actor }) {
    const [figures, usd] = await Promise.all([pnlCaches.owner(deps, actor.wallet), deps.ethUsd()]);
    return pnl.format(pnlRow(figures, usd));
  },
});

const agentPnl = endpoint({
  method: 'GET',
  path: '/api/agents/{address}/pnl',
  cache: 'never',
  tag: 'Trading',
  summary: 'Profit and loss of an agent: the summary for everyone, all details with the key of the agent',
  description:
    'With the key of the agent, the answer is that of GET /api/agents/me/pnl. Otherwise it contains only `summary`, which ' +
    `is at most ${serviceCaches.publicPnl.ttlMs / 1000} seconds old.`,
  auth: 'optional',
  limit: ({ actor, params }) => readLimits[isSelf(actor, params.address ?? '') ? 'ownerPnl' : 'publicPnl'],
  params: agentParams(),
  output: pnl.schema.partial({ realized: true, unrealized: true, fees: true }),
  errors: ['AGENT_NOT_FOUND'],
  example: { request: { address: 'scout' }, response: { summary: pnlSummaryExample } },
  async handle(deps, { actor, params }) {
    const { wallet } = await findAgent(deps, params.address);
    const usd = await deps.ethUsd();
    if (actor?.wallet === wallet) return pnl.format(pnlRow(await pnlCaches.owner(deps, wallet), usd));
    return { summary: pnlSummary.format({ ...(await pnlCaches.public(deps, wallet)), usd }) };
  },
});

export const pnlEndpoints = [myPnl, agentPnl];
