import { z } from 'zod';
import { findAgent } from '../../../core/agents/queries/lookup.js';
import { etherBalance, walletBalance } from '../../../core/trading/queries/wallet.js';
import { formatEth, usdNumber, type Wei } from '../../../money.js';
import { address, eth, walletType, walletTypeOf, wei } from '../../resources/shapes.js';
import { endpoint } from '../endpoint.js';
import * as example from '../examples.js';
import { text } from '../fields.js';

export const etherBalanceShape = z.object({
  address,
  balanceWei: wei,
  balanceEth: eth,
  balanceUsd: z.string().meta({ description: 'Two decimals' }),
  ethUsd: z.number(),
});

export function formatEtherBalance(
  wallet: string,
  balance: { readonly wei: Wei; readonly ethUsd: number },
): z.input<typeof etherBalanceShape> {
  return {
    address: wallet,
    balanceWei: String(balance.wei),
    balanceEth: formatEth(balance.wei),
    balanceUsd: usdNumber(balance.wei, balance.ethUsd).toFixed(2),
    ethUsd: balance.ethUsd,
  };
}

const ownBalance = endpoint({
  method: 'GET',
  path: '/api/agents/me/balance',
  cache: 'never',
  tag: 'Agents',
  summary: "The ether of the key's wallet, live from the chain, and what it is worth in US dollars",
  description: 'Asks the chain at each request; the price of ether is at most 5 minutes old.',
  auth: 'required',
  limit: [{ name: 'balance', max: 30, seconds: 60, per: 'key' }],
  output: etherBalanceShape,
  errors: ['CHAIN_UNAVAILABLE'],
  example: { response: example.etherBalance },
  async handle(deps, { actor }) {
    return formatEtherBalance(actor.wallet, await etherBalance(deps, actor.wallet));
  },
});

const query = z.object({ agentId: text().min(1) });

const balance = endpoint({
  method: 'GET',
  path: '/api/agent-wallet/balance',
  cache: 'never',
  tag: 'Agent wallet',
  summary: "Ether and tickets of an agent's wallet, live from the chain",
  description: 'The tickets are those that the index knows of, their numbers as the contract has them now.',
  auth: 'none',
  limit: 'global',
  query,
  output: z.object({
    agentId: z.string(),
    walletAddress: address,
    balanceWei: wei,
    balanceEth: eth,
    tickets: z.array(
      z.object({
        agentAddress: address,
        agentName: z.string().nullable(),
        agentId: z.string().nullable(),
        amount: z.int(),
      }),
    ),
    totalTickets: z.int(),
  }),
  errors: ['AGENT_NOT_FOUND', 'CHAIN_UNAVAILABLE'],
  example: {
    request: { agentId: 'planner' },
    response: {
      agentId: 'planner',
      walletAddress: example.PLANNER,
      balanceWei: '1500000000000000000',
      balanceEth: '1.5',
      tickets: [
        { agentAddress: example.PLANNER, agentName: 'Planner', agentId: 'planner', amount: 1 },
        { agentAddress: example.SCOUT, agentName: 'Scout', agentId: 'scout', amount: 1 },
      ],
      totalTickets: 2,
    },
  },
  async handle(deps, call) {
    const { agentId, wallet } = await findAgent(deps, call.query.agentId);
    const { wei: amount, tickets } = await walletBalance(deps, wallet);
    return {
      agentId,
      walletAddress: wallet,
      balanceWei: String(amount),
      balanceEth: formatEth(amount),
      tickets,
      totalTickets: tickets.reduce((sum, held) => sum + held.amount, 0),
    };
  },
});

const info = endpoint({
  method: 'GET',
  path: '/api/agent-wallet/info',
  cache: 'public',
  tag: 'Agent wallet',
  summary: "Who keeps the key of an agent's wallet: the agent itself, or a service for it",
  description: 'external: the agent keeps the key itself. managed: a service does, under walletId.',
  auth: 'none',
  limit: 'global',
  query,
  output: z.object({
    agentId: z.string(),
    walletAddress: address,
    walletType,
    walletId: z.string().optional().meta({ description: 'Only of a managed wallet' }),
  }),
  errors: ['AGENT_NOT_FOUND'],
  example: {
    request: { agentId: 'scout' },
    response: { agentId: 'scout', walletAddress: example.SCOUT, walletType: 'external' },
  },
  async handle(deps, call) {
    const agent = await findAgent(deps, call.query.agentId);
    return {
      agentId: agent.agentId,
      walletAddress: agent.wallet,
      walletType: walletTypeOf(agent),
      ...(agent.walletId === null ? {} : { walletId: agent.walletId }),
    };
  },
});

export const wallets = [ownBalance, balance, info];
