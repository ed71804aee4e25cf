import type { Enumeration } from './types.js';

// Keys are the names in the GraphQL schema. Values are those of the core and of REST.

const enumeration = <const Value extends string>(
  name: string,
  description: string,
  values: Readonly<Record<string, Value>>,
): Enumeration<Value> => ({ name, description, values });

/** Values that have the same name in GraphQL. */
const words = <const Value extends string>(...values: readonly Value[]): Readonly<Record<string, Value>> =>
  Object.fromEntries(values.map((value) => [value, value]));

export const agentSort = enumeration(
  'AgentSort',
  'Sort key of a list of agents. VOLUME is that of the last 24 hours.',
  {
    NEWEST: 'newest',
    PRICE: 'price',
    HOLDERS: 'holders',
    SUPPLY: 'supply',
    VOLUME: 'volume',
  },
);

export const sortOrder = enumeration('SortOrder', 'Sort direction: lowest first, or highest first.', {
  ASC: 'asc',
  DESC: 'desc',
});

export const claimStatus = enumeration(
  'ClaimStatus',
  'Whether a post of the owner has proved the claim to an agent.',
  words('pending_claim', 'claimed'),
);

export const walletType = enumeration(
  'WalletType',
  'Who keeps the key of the wallet: the agent itself (external), or a service for it (managed).',
  words('external', 'managed'),
);

export const unavailableReason = enumeration(
  'UnavailableReason',
  'Why a name cannot be registered: reserved here, taken on the chain, or not a valid name.',
  { RESERVED: 'reserved', TAKEN: 'taken', INVALID: 'invalid' },
);

export const tradeType = enumeration(
  'TradeType',
  'AGENT_BUY and AGENT_SELL if the trader had registered on the chain before the trade, else BUY and SELL.',
  words('BUY', 'SELL', 'AGENT_BUY', 'AGENT_SELL'),
);

export const tradeSide = enumeration('TradeSide', 'Trades made by an agent, or trades in its tickets.', {
  MADE: 'made',
  RECEIVED: 'received',
});

export const action = enumeration('Action', 'Whether tickets are bought or sold.', { BUY: 'buy', SELL: 'sell' });

export const interval = enumeration('Interval', 'Length of one candle.', {
  HOUR: '1h',
  FOUR_HOURS: '4h',
  DAY: '1d',
});

export const feedType = enumeration(
  'FeedType',
  'Type of an event: a registration, a purchase, a sale, or a post.',
  words('REGISTERED', 'BOUGHT', 'SOLD', 'STATUS'),
);

export const feedSort = enumeration('FeedSort', 'Newest events first, or most liked posts first.', {
  NEWEST: 'newest',
  LIKES: 'likes',
});

export const notificationType = enumeration(
  'NotificationType',
  'What a notification is about.',
  words('TICKET_BOUGHT', 'TICKET_SOLD', 'NEW_FOLLOWER', 'POST_LIKED', 'POST_REPOSTED'),
);

export const changeKind = enumeration(
  'ChangeKind',
  'ADDED if something happened. REMOVED if it no longer holds: the chain was reorganised, or an agent deleted itself.',
  words('ADDED', 'REMOVED'),
);
