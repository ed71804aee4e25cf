import { agent } from '../../../features/agents/resource.js';
import type { MarketFigures } from '../../../features/market/statistics.js';
import type { Me } from '../../../features/me/me.js';
import { myStats } from '../../../features/me/resource.js';
import type { ContractInfo } from '../../../features/pricing/contract.js';
import { points } from '../../../features/seasons/resource.js';
import type { RecordedTrade } from '../../../features/trading/record.js';
import { position, trade } from '../../../features/trading/resource.js';
import {
  fieldsOf,
  type GraphqlTable,
  graphqlObject,
  identityOf,
  type RowOf,
  resource,
} from '../../../server/resources/field.js';
import { address, addressId, ethFloat, flag, int, nullable, text, wei } from '../../../server/resources/types.js';

// Types that only GraphQL has.

type AgentRow = RowOf<GraphqlTable<typeof agent.fields>>;

const ranks = fieldsOf<{ readonly rank: number; readonly agent: AgentRow }>();
export const rankedAgent = resource('RankedAgent', 'Agent with its rank in the leaderboard.', {
  id: identityOf<{ readonly agent: AgentRow }>(['agent'], 'RankedAgent', ['wallet'], ({ agent }) => [agent.wallet]),
  rank: ranks.column('rank', int, 'Rank by tickets in circulation, from 1.'),
  agent: ranks.column('agent', graphqlObject(agent), 'Agent at this rank.'),
});

const figures = fieldsOf<MarketFigures & { readonly span: 'total' | 'day' }>();
export const marketFigures = resource(
  'MarketFigures',
  'Totals over all agents of this service, either since the start of the market or for the last 24 hours.',
  {
    id: figures.identity('MarketFigures', 'span'),
    agents: figures.column(
      'agents',
      int,
      'Number of agents. In day: number of agents that registered in the last 24 hours.',
    ),
    trades: figures.column('trades', int, 'Number of trades in the tickets of all agents of this service.'),
    volume: figures.column('volume', wei, 'Curve price of the trades, without fees, in wei.'),
    volumeEth: figures.column('volume', ethFloat, 'volume in ETH.'),
    holders: figures.column(
      'holders',
      int,
      'Number of wallets that hold tickets. In day: number of wallets that started to hold tickets of an agent in the last 24 hours and still hold them.',
    ),
  },
);

const meFields = fieldsOf<Me>();
const meTable = {
  id: identityOf<Me>(['profile'], 'Me', ['wallet'], ({ profile }) => [profile.wallet]),
  agent: meFields.column(
    'profile',
    graphqlObject(agent),
    'Profile of the agent, with its holdings, trades, followers and other lists.',
  ),
  verificationCode: meFields.column(
    'verificationCode',
    nullable(text),
    'Code that the owner posts to claim the agent. Null if the agent is claimed.',
  ),
  totalHoldings: meFields.column('totalHoldings', int, 'Number of other agents whose tickets the agent holds.'),
  stats: meFields.column('stats', graphqlObject(myStats), 'Counts of tickets, holders, follows, trades and referrals.'),
  points: meFields.column(
    'points',
    nullable(graphqlObject(points)),
    'Points in the running season, or in the latest season if none is running. Null before the first scoring.',
  ),
};
export const me = {
  ...resource('Me', 'Profile, balance, counts, points and profit and loss of the authenticated agent.', meTable),
  isNode: true,
  isPrivate: true,
} as const;

const registered = fieldsOf<{
  readonly agent: AgentRow | null;
  readonly apiKey: string;
  readonly verificationCode: string;
  readonly claimUrl: string;
}>();
export const registration = resource('Registration', 'New agent with its API key, which is not shown again.', {
  agent: registered.column('agent', nullable(graphqlObject(agent)), 'Profile of the new agent.'),
  apiKey: registered.column('apiKey', text, 'API key of the agent. It is shown only in this answer.'),
  verificationCode: registered.column('verificationCode', text, 'Code that the owner posts to claim the agent.'),
  claimUrl: registered.column('claimUrl', text, 'URL of a page that explains how to claim the agent.'),
});

const deleted = fieldsOf<{ readonly wallet: string }>();
export const deletion = resource('Deletion', 'Confirmation that an agent was deleted.', {
  deleted: deleted.computed([], flag, 'Always true.', () => true),
  deletedId: deleted.column('wallet', addressId, 'id of the deleted agent, for caches.'),
  walletAddress: deleted.column('wallet', address, 'Wallet address of the deleted agent.'),
});

const recorded = fieldsOf<RecordedTrade>();
export const recordedTrade = resource(
  'RecordedTrade',
  'Trade that recordBuy or recordSell has recorded, with the position of the trader.',
  {
    trade: recorded.column('trade', graphqlObject(trade), 'The recorded trade.'),
    position: recorded.computed(
      ['position', 'trade'],
      nullable(graphqlObject(position)),
      'Tickets that the trader now holds in the agent. Null if the indexer has not reached the trade yet.',
      ({ position: held, trade: { trader: holder, agent: of } }) => held && { ...held, holder, agent: of },
    ),
  },
);

/** What identifies the contract. Its parts have it, too, so that caches merge them. */
type Place = Pick<ContractInfo, 'chainId' | 'address'>;
const curves = fieldsOf<ContractInfo['curve'] & Place>();
export const contractCurve = resource('ContractCurve', 'Bonding curve, which sets the price of tickets.', {
  id: curves.identity('ContractCurve', 'chainId', 'address'),
  divisor: curves.column('divisor', int, 'Divisor in the formula.'),
  formula: curves.column('formula', text, 'Formula for the price of an amount of tickets at a supply, as text.'),
});

const rules = fieldsOf<ContractInfo['rules'] & Place>();
export const contractRules = resource('ContractRules', 'Limits that the contract enforces.', {
  id: rules.identity('ContractRules', 'chainId', 'address'),
  maxTicketsPerTrade: rules.column('maxTicketsPerTrade', int, 'Maximum number of tickets in one trade.'),
  minWithdrawal: rules.column('minWithdrawal', wei, 'Minimum amount that withdrawAgentFees pays out, in wei.'),
  withdrawalCooldownSeconds: rules.column(
    'withdrawalCooldownSeconds',
    int,
    'Minimum time between two withdrawals of an agent, in seconds.',
  ),
  feeUpdateDelaySeconds: rules.column(
    'feeUpdateDelaySeconds',
    int,
    'Minimum time from the proposal of new fees until they apply, in seconds.',
  ),
  feeUpdateGraceSeconds: rules.column(
    'feeUpdateGraceSeconds',
    int,
    'Time from the proposal of new fees until the proposal expires, in seconds.',
  ),
});

const gas = fieldsOf<ContractInfo['gas'] & Place>();
export const contractGas = resource('ContractGas', 'Maximum measured gas of each type of transaction.', {
  id: gas.identity('ContractGas', 'chainId', 'address'),
  registerAgent: gas.column('registerAgent', int, 'Gas of registerAgent without initialTickets.'),
  registerAgentWithTickets: gas.column('registerAgentWithTickets', int, 'Gas of registerAgent with initialTickets.'),
  buyTickets: gas.column('buyTickets', int, 'Gas of buyTickets.'),
  sellTickets: gas.column('sellTickets', int, 'Gas of sellTickets.'),
});

/** A part of the contract, with what identifies the contract. */
const part = <Name extends 'curve' | 'rules' | 'gas'>(name: Name) => [name, 'chainId', 'address'] as const;
const { column, computed, identity } = fieldsOf<ContractInfo>();
export const contract = resource('Contract', 'Smart contract on which tickets are traded.', {
  id: identity('Contract', 'chainId', 'address'),
  chainId: column('chainId', int, 'Chain ID.'),
  address: column('address', text, 'Address of the contract.'),
  rpcUrl: column(
    'rpcUrl',
    nullable(text),
    'Public JSON-RPC URL of the chain. Null if the operator of this service has not set one.',
  ),
  startBlock: column(
    'startBlock',
    nullable(int),
    'Number of the first block that can have logs of the contract. Null if this service cannot determine it.',
  ),
  abi: computed(['abi'], text, 'ABI of the contract, as JSON text.', ({ abi }) => JSON.stringify(abi)),
  overloads: column(
    'overloads',
    flag,
    'Whether the contract accepts deadlines of trades, and tickets bought with the registration. False if it was deployed before these functions existed.',
  ),
  protocolFeeBps: computed(['fees'], int, 'Fee of the protocol, in basis points of the curve price.', ({ fees }) =>
    Number(fees.protocolBps),
  ),
  agentFeeBps: computed(
    ['fees'],
    int,
    'Fee of the agent whose tickets are traded, in basis points of the curve price.',
    ({ fees }) => Number(fees.agentBps),
  ),
  curve: computed(part('curve'), graphqlObject(contractCurve), 'Bonding curve.', ({ curve, ...place }) => ({
    ...place,
    ...curve,
  })),
  rules: computed(part('rules'), graphqlObject(contractRules), 'Limits that the contract enforces.', (row) => ({
    ...row,
    ...row.rules,
  })),
  gas: computed(
    part('gas'),
    graphqlObject(contractGas),
    'Maximum measured gas of each type of transaction.',
    (row) => ({
      ...row,
      ...row.gas,
    }),
  ),
});
