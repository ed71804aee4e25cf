import { z } from 'zod';
import { findAgent } from '../../../core/agents/queries/lookup.js';
import { etherBalance, walletBalance } from '../../../core/trading/queries/wallet.js';
import { agentWalletView, etherBalanceView, walletBalanceView } from '../../resources/wallet.js';
import { endpoint } from '../endpoint.js';
import * as example from '../examples.js';
import { text } from '../fields.js';

const ownBalance = endpoint({
  method: 'GET',
  path: '/api/agents/me/balance',
  cache: 'never',
  tag: 'Agents',
  summary: "The ether of the key's wallet, live from the chain, and what it is worth in US dollars",
  description: 'Asks the chain at each request; the price of ether is at most 5 minutes old.',
  auth: 'required',
  limit: [{ name: 'balance', max: 30, seconds: 60, per: 'key' }],
  output: etherBalanceView.schema,
  errors: ['CHAIN_UNAVAILABLE'],
  example: { response: example.etherBalance },
  async handle(deps, { actor }) {
    return etherBalanceView.format({ address: actor.wallet, ...(await etherBalance(deps, actor.wallet)) });
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
  output: walletBalanceView.schema,
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
    const agent = await findAgent(deps, call.query.agentId);
    return walletBalanceView.format({ ...agent, ...(await walletBalance(deps, agent.wallet)) });
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
  output: agentWalletView.schema,
  errors: ['AGENT_NOT_FOUND'],
  example: {
    request: { agentId: 'scout' },
    response: { agentId: 'scout', walletAddress: example.SCOUT, walletType: 'external' },
  },
  async handle(deps, call) {
    return agentWalletView.format(await findAgent(deps, call.query.agentId));
  },
});

export const wallets = [ownBalance, balance, info];
