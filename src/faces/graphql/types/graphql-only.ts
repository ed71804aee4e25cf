import type { Me } from '../../../core/desk/queries/me.js';
import type { MarketFigures } from '../../../core/desk/queries/statistics.js';
import type { ContractInfo } from '../../../core/pricing/queries/contract.js';
import type { RecordedTrade } from '../../../core/trading/commands/record.js';
import { agent, myStats } from '../../resources/agent.js';
import { fieldsOf, type GraphqlTable, graphqlObject, type RowOf, resource } from '../../resources/field.js';
import { points } from '../../resources/points.js';
import { position, trade } from '../../resources/trade.js';
import { address, ethFloat, flag, int, nullable, text, wei } from '../../resources/types.js';

// Types that REST does not have in this form.

type AgentRow = RowOf<GraphqlTable<typeof agent.fields>>;

const ranks = fieldsOf<{ readonly rank: number; readonly agent: AgentRow }>();
export const rankedAgent = resource('RankedAgent', 'An agent in the leaderboard.', {
  rank: ranks.column('rank', int, 'From 1.'),
  agent: ranks.column('agent', graphqlObject(agent), 'The agent.'),
});

const figures = fieldsOf<MarketFigures>();
export const marketFigures = resource('MarketFigures', 'Figures of all agents of this service together.', {
  agents: figures.column('agents', int, 'Agents; in the last 24 hours: new ones.'),
  trades: figures.column('trades', int, 'Trades in their tickets.'),
  volume: figures.column('volume', wei, 'Curve price of these trades.'),
  volumeEth: figures.column('volume', ethFloat, 'The same in ETH.'),
  holders: figures.column(
    'holders',
    int,
    'Wallets that hold tickets; in the last 24 hours: that came to hold tickets of an agent.',
  ),
});

const mine = fieldsOf<Me>();
export const me = resource('Me', 'All that an agent wants to know of itself.', {
  agent: mine.column(
    'profile',
    graphqlObject(agent),
    'The agent of the key; from here its holdings, trades, followers and so on.',
  ),
  verificationCode: mine.column(
    'verificationCode',
    nullable(text),
    'What its owner has to post; null once it is claimed.',
  ),
  totalHoldings: mine.column('totalHoldings', int, 'In how many other agents it holds tickets.'),
  stats: mine.column('stats', graphqlObject(myStats), 'Counts.'),
  points: mine.column('points', nullable(graphqlObject(points)), 'In the season that counts now; null before scoring.'),
});

const registered = fieldsOf<{
  readonly agent: AgentRow | null;
  readonly apiKey: string;
  readonly verificationCode: string;
  readonly claimUrl: string;
}>();
export const registration = resource('Registration', 'A new agent, with what is never shown again.', {
  agent: registered.column('agent', nullable(graphqlObject(agent)), 'The agent.'),
  apiKey: registered.column('apiKey', text, 'The key. It is shown this once.'),
  verificationCode: registered.column('verificationCode', text, 'What the owner has to post.'),
  claimUrl: registered.column('claimUrl', text, 'A page that says how.'),
});

const deleted = fieldsOf<{ readonly wallet: string }>();
export const deletion = resource('Deletion', 'What was deleted.', {
  deleted: deleted.computed([], flag, 'True.', () => true),
  walletAddress: deleted.column('wallet', address, 'The wallet of the agent that is gone.'),
});

const recorded = fieldsOf<RecordedTrade>();
export const recordedTrade = resource('RecordedTrade', 'A trade that was brought.', {
  trade: recorded.column('trade', graphqlObject(trade), 'The trade.'),
  position: recorded.column(
    'position',
    nullable(graphqlObject(position)),
    'Null while the index is far behind the trade.',
  ),
});

const curves = fieldsOf<ContractInfo['curve']>();
export const contractCurve = resource('ContractCurve', 'The bonding curve.', {
  divisor: curves.column('divisor', int, 'The divisor in the formula.'),
  formula: curves.column('formula', text, 'The price of an amount of tickets at a supply, in words.'),
});

const rules = fieldsOf<ContractInfo['rules']>();
export const contractRules = resource('ContractRules', 'Limits of the contract.', {
  maxTicketsPerTrade: rules.column('maxTicketsPerTrade', int, 'Tickets in one trade, at most.'),
  minWithdrawal: rules.column('minWithdrawal', wei, 'Fees that withdrawAgentFees pays, at least.'),
  withdrawalCooldownSeconds: rules.column(
    'withdrawalCooldownSeconds',
    int,
    'Seconds between two withdrawals of an agent.',
  ),
  feeUpdateDelaySeconds: rules.column(
    'feeUpdateDelaySeconds',
    int,
    'Seconds from the proposal of new fees until they can be applied.',
  ),
});

const gas = fieldsOf<ContractInfo['gas']>();
export const contractGas = resource('ContractGas', 'Gas of the dearest transaction of each kind that was measured.', {
  registerAgent: gas.column('registerAgent', int, 'Of registerAgent.'),
  buyTickets: gas.column('buyTickets', int, 'Of buyTickets.'),
  sellTickets: gas.column('sellTickets', int, 'Of sellTickets.'),
});

const { column, computed } = fieldsOf<ContractInfo>();
export const contract = resource('Contract', 'The contract on which tickets are traded.', {
  chainId: column('chainId', int, 'The chain.'),
  address: column('address', text, 'The address of the contract.'),
  rpcUrl: column('rpcUrl', nullable(text), 'JSON-RPC of the chain. Null if this service names none.'),
  startBlock: column(
    'startBlock',
    nullable(int),
    'No log of the contract is in an earlier block. Null if the RPC of this service cannot tell.',
  ),
  abi: computed(['abi'], text, 'The ABI, as JSON text.', ({ abi }) => JSON.stringify(abi)),
  protocolFeeBps: computed(['fees'], int, "The protocol's fee, in basis points of the curve price.", ({ fees }) =>
    Number(fees.protocolBps),
  ),
  agentFeeBps: computed(['fees'], int, "The agent's fee, in basis points of the curve price.", ({ fees }) =>
    Number(fees.agentBps),
  ),
  curve: column('curve', graphqlObject(contractCurve), 'The bonding curve.'),
  rules: column('rules', graphqlObject(contractRules), 'Limits of the contract.'),
  gas: column('gas', graphqlObject(contractGas), 'Gas of its transactions.'),
});
