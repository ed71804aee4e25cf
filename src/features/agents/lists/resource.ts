import { fieldsOf, notInMcp, object, repeated, restOnly, sharedResource } from '../../../server/resources/field.js';
import {
  address,
  enumeration,
  eth,
  ethFloat,
  float,
  foreignText,
  int,
  nullable,
  time,
  wei,
} from '../../../server/resources/types.js';
import type { Ranked } from '../activity.js';
import type { AgentRow } from '../queries.js';
import { PRICE_CHANGE, priceOf, scoutExample, trendAgentView } from '../resource.js';
import type { Trend } from './agents.js';
import type { BESIDE, HolderRow, HoldingRow } from './holdings.js';

export const sortOrder = enumeration('SortOrder', 'Sort direction.', {
  ASC: ['asc', 'Lowest or oldest first.'],
  DESC: ['desc', 'Highest or newest first.'],
});

export const agentSort = enumeration('AgentSort', 'Sort key of a list of agents. Ties are sorted by wallet.', {
  NEWEST: ['newest', 'Time of registration.'],
  PRICE: ['price', 'Ticket price.'],
  HOLDERS: ['holders', 'Number of holders.'],
  SUPPLY: ['supply', 'Tickets in circulation.'],
  VOLUME: ['volume', 'Trading volume of the last 24 hours.'],
  PRICE_CHANGE_24H: ['priceChange24h', 'Change of the ticket price over the last 24 hours: priceChange24h.'],
});

type Row = Ranked & { readonly rank: number };
const { column, computed, globalId } = fieldsOf<Row>();

export const trend = sharedResource('Trend', 'Trading in the tickets of an agent over the last 24 hours.', {
  id: globalId('Trend', 'wallet'),
  rank: column('rank', int, 'Rank by trendScore, from 1.'),
  agent: restOnly(
    fieldsOf<Trend>().computed(
      ['wallet', 'name', 'agentId', 'avatarUrl', 'supply', 'holderCount', 'isClaimed'],
      object(trendAgentView),
      'Agent whose tickets were traded.',
      (row) => row,
    ),
  ),
  ticketPriceEth: computed(['supply'], eth, 'Curve price of one ticket now, without fees, in ETH.', priceOf),
  priceChange24h: column('priceChange24h', float, PRICE_CHANGE),
  volume: notInMcp(restOnly(column('volume', ethFloat, 'Same as volume24h.'))),
  volume24h: column('volume', ethFloat, 'Sum of the curve prices of all trades in the last 24 hours, without fees, in ETH.'),
  volume24hWei: column('volume', wei, 'volume24h in wei, as a decimal string.'),
  txCount: column('txCount', int, 'Number of trades in the last 24 hours.'),
  uniqueTraders: column('uniqueTraders', int, 'Number of wallets that traded in the last 24 hours.'),
  newHolders24h: column(
    'newHolders24h',
    int,
    'Number of wallets that started to hold tickets in the last 24 hours and still hold them.',
  ),
  trendScore: column(
    'trendScore',
    int,
    'Score from 0 to 100, relative to the other trending agents: volume, traders, price, time of the last trade, new holders.',
  ),
  lastTradeAt: column('lastTradeAt', time, 'Time of the last trade.'),
});

/** A REST field that shows one column of a row's agent. */
const agentColumn = (name: (typeof BESIDE)[number], description: string) =>
  restOnly(
    fieldsOf<{ readonly agentRow: AgentRow | null }>().computed(
      ['agentRow'],
      nullable(foreignText),
      `${description} Null if the wallet is not an agent of this service.`,
      ({ agentRow }) => agentRow?.[name] ?? null,
    ),
  );

const holders = fieldsOf<HolderRow>();
export const holder = sharedResource('Holder', 'Wallet that holds tickets of an agent, and the number of tickets.', {
  id: holders.globalId('Holder', 'agent', 'holder'),
  address: repeated(holders.column('holder', address, 'Wallet address, in lower case.')),
  name: agentColumn('name', 'Name of the holder.'),
  agentId: agentColumn('agentId', 'agentId of the holder.'),
  walletAddress: restOnly(holders.column('holder', address, 'Wallet address of the holder.')),
  avatarUrl: agentColumn('avatarUrl', 'URL of the picture of the holder. Null if not set.'),
  amount: holders.column('amount', int, 'Number of tickets held, at least 1.'),
  since: holders.column('since', time, 'Time when the number of tickets last rose from 0.'),
});

const holdings = fieldsOf<HoldingRow>();
export const holding = sharedResource('Holding', 'Tickets that an agent holds in another agent.', {
  id: holdings.globalId('Holding', 'holder', 'agent'),
  agentAddress: holdings.column('agent', address, 'Wallet address of the agent whose tickets are held.'),
  agentName: agentColumn('name', 'Name of the agent.'),
  agentId: agentColumn('agentId', 'agentId of the agent.'),
  agentAvatarUrl: agentColumn('avatarUrl', 'URL of the picture of the agent. Null if not set.'),
  amount: holdings.column('amount', int, 'Number of tickets held, at least 1.'),
  ticketPriceEth: holdings.computed(['supply'], eth, 'Curve price of one ticket now, without fees, in ETH.', priceOf),
  valueEth: holdings.computed(
    ['supply', 'amount'],
    eth,
    'amount * ticketPriceEth, in ETH. An estimate, because selling lowers the price.',
    (row) => priceOf(row) * BigInt(row.amount),
  ),
});

export const trendExample = trend.example({
  rank: 1,
  agent: trendAgentView.example(scoutExample),
  ticketPriceEth: '0.00018',
  priceChange24h: 800,
  volume: 0.0001,
  volume24h: 0.0001,
  volume24hWei: '100000000000000',
  txCount: 1,
  uniqueTraders: 1,
  newHolders24h: 1,
  trendScore: 99,
});
