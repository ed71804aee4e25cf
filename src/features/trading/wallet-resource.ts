import { deprecated, fieldsOf, graphqlOnly, object, resource, sharedResource, view } from '../../server/resources/field.js';
import { address, eth, float, foreignText, int, list, nullable, optional, text, wei } from '../../server/resources/types.js';
import { usdNumber } from '../../values/money.js';
import type { AgentRecord } from '../agents/lookup.js';
import { agentProfile } from '../agents/resource.js';
import { SCOUT } from '../examples.js';
import type { EtherBalanceRow, WalletBalance, WalletTickets } from './wallet.js';

const ether = fieldsOf<EtherBalanceRow>();
const usdOf = ({ wei, ethUsd }: Pick<EtherBalanceRow, 'wei' | 'ethUsd'>): number => usdNumber(wei, ethUsd);
export const etherBalance = sharedResource('EtherBalance', 'Ether balance of a wallet, read from the chain.', {
  id: ether.globalId('EtherBalance', 'address'),
  address: ether.column('address', address, 'Wallet address, in lower case.'),
  balanceWei: ether.column('wei', wei, 'Ether balance of the wallet, in wei.'),
  balanceEth: ether.column('wei', eth, 'balanceWei in ETH.'),
  balanceUsd: deprecated('Use valueUsd, which is a number.')(
    ether.computed(['wei', 'ethUsd'], text, 'balanceWei in US dollars, as a decimal string with two decimals.', (row) =>
      usdOf(row).toFixed(2),
    ),
  ),
  valueUsd: graphqlOnly(ether.computed(['wei', 'ethUsd'], float, 'balanceWei in US dollars.', usdOf)),
  ethUsd: ether.column('ethUsd', float, 'Price of 1 ETH, in US dollars.'),
});

const tickets = fieldsOf<WalletTickets>();
export const walletTickets = sharedResource('WalletTickets', 'Tickets of one agent in a wallet.', {
  agentAddress: tickets.column('agentAddress', address, 'Wallet address of the agent whose tickets are held.'),
  agentName: tickets.column('agentName', nullable(foreignText), 'Name of the agent. Null if it is not an agent of this service.'),
  agentId: tickets.column('agentId', nullable(foreignText), 'agentId of the agent. Null if it is not an agent of this service.'),
  amount: tickets.column('amount', int, 'Number of tickets held.'),
});

const owner = fieldsOf<AgentRecord>();
const ownerTable = {
  agentId: owner.column('agentId', text, 'agentId of the agent.'),
  walletAddress: owner.column('wallet', address, 'Wallet address, in lower case.'),
};
export const agentWallet = sharedResource('AgentWallet', 'Wallet of an agent: its address and its type.', {
  id: owner.globalId('AgentWallet', 'wallet'),
  ...ownerTable,
  walletType: agentProfile.fields.walletType,
  walletId: owner.computed(
    ['walletId'],
    optional(text),
    'Id of the wallet at the wallet service. Absent or null for an external wallet.',
    ({ walletId }) => walletId ?? undefined,
  ),
});

const balance = fieldsOf<WalletBalance>();
const balanceTable = {
  id: balance.globalId('WalletBalance', 'wallet'),
  balanceWei: balance.column('wei', wei, 'Ether balance of the wallet, in wei.'),
  balanceEth: balance.column('wei', eth, 'balanceWei in ETH.'),
  tickets: balance.column('tickets', list(object(walletTickets)), 'Tickets in the wallet by agent, most tickets first.'),
  totalTickets: balance.computed(['tickets'], int, 'Number of tickets that the wallet holds in all agents together.', (row) =>
    row.tickets.reduce((sum, { amount }) => sum + amount, 0),
  ),
};
/** In GraphQL a balance is a field of `AgentWallet`, which has the agent. REST and MCP show the agent and its balance in one object. */
export const walletBalance = resource('WalletBalance', 'Ether and tickets of a wallet, read from the chain.', balanceTable);
export const walletBalanceView = view({ ...ownerTable, ...balanceTable });

export const etherBalanceExample = { address: SCOUT, wei: 1_500_000_000_000_000_000n, ethUsd: 2500 };
