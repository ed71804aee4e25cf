import { z } from 'zod';
import { findAgent } from '../../core/agents/queries.js';
import { etherBalance, walletBalance } from '../../core/trading/queries/wallet.js';
import { formatEth, usdNumber, type Wei } from '../../money.js';
import { address, eth, walletType, walletTypeOf, wei } from '../shapes.js';
import { endpoint } from './endpoint.js';
import { text } from './fields.js';

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
  tag: 'Agents',
  summary: "The ether of the key's wallet, live from the chain, and what it is worth in US dollars",
  auth: 'required',
  limit: [{ name: 'balance', max: 30, seconds: 60, per: 'key' }],
  output: etherBalanceShape,
  errors: ['CHAIN_UNAVAILABLE'],
  async handle(deps, { actor }) {
    return formatEtherBalance(actor.wallet, await etherBalance(deps, actor.wallet));
  },
});

const query = z.object({ agentId: text().min(1) });

const balance = endpoint({
  method: 'GET',
  path: '/api/agent-wallet/balance',
  tag: 'Agent wallet',
  summary: "Ether and tickets of an agent's wallet, live from the chain",
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
  tag: 'Agent wallet',
  summary: "Who keeps the key of an agent's wallet: the agent itself, or a service for it",
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
