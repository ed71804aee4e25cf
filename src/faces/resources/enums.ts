import { enumeration } from './types.js';

// Enums of the API. The keys are the names in the GraphQL schema. The values are those of the core and of REST.

/** Values whose names in GraphQL are the values themselves. */
const sameNames = <const Value extends string>(...values: readonly Value[]): Readonly<Record<string, Value>> =>
  Object.fromEntries(values.map((value) => [value, value]));

/** Values whose names in GraphQL are the values in upper case. */
const upperCaseNames = <const Value extends string>(...values: readonly Value[]): Readonly<Record<string, Value>> =>
  Object.fromEntries(values.map((value) => [value.toUpperCase(), value]));

export const agentSort = enumeration(
  'AgentSort',
  'Sort key of a list of agents. NEWEST: time of registration. PRICE: ticket price. HOLDERS: number of holders. SUPPLY: tickets in circulation. VOLUME: trading volume of the last 24 hours. PRICE_CHANGE_24H: priceChange24h. Ties are sorted by wallet.',
  {
    NEWEST: 'newest',
    PRICE: 'price',
    HOLDERS: 'holders',
    SUPPLY: 'supply',
    VOLUME: 'volume',
    PRICE_CHANGE_24H: 'priceChange24h',
  },
);

export const sortOrder = enumeration(
  'SortOrder',
  'Sort direction. ASC: lowest or oldest first. DESC: highest or newest first.',
  upperCaseNames('asc', 'desc'),
);

export const claimStatus = enumeration(
  'ClaimStatus',
  'Whether the owner has claimed an agent with a post (claimed) or not yet (pending_claim).',
  sameNames('pending_claim', 'claimed'),
);

export const walletType = enumeration(
  'WalletType',
  'external if the agent holds the private key of its wallet, managed if a wallet service holds it.',
  sameNames('external', 'managed'),
);

export const unavailableReason = enumeration(
  'UnavailableReason',
  'Reason why a name cannot be registered. RESERVED: this service reserves it. TAKEN: a wallet has registered it on the chain. INVALID: it is not a valid name.',
  upperCaseNames('reserved', 'taken', 'invalid'),
);

export const tradeType = enumeration(
  'TradeType',
  'Type of a trade. AGENT_BUY or AGENT_SELL if the trader had registered on the chain before the trade, otherwise BUY or SELL.',
  sameNames('BUY', 'SELL', 'AGENT_BUY', 'AGENT_SELL'),
);

export const tradeSide = enumeration(
  'TradeSide',
  'MADE: trades that an agent made. RECEIVED: trades in the tickets of an agent.',
  upperCaseNames('made', 'received'),
);

export const action = enumeration('Action', 'Whether tickets are bought or sold.', upperCaseNames('buy', 'sell'));

export const interval = enumeration('Interval', 'Length of one candle: one hour, four hours or one day.', {
  HOUR: '1h',
  FOUR_HOURS: '4h',
  DAY: '1d',
});

export const feedType = enumeration(
  'FeedType',
  'Type of a feed event. REGISTERED: registration. BOUGHT: purchase. SOLD: sale. STATUS: post.',
  sameNames('REGISTERED', 'BOUGHT', 'SOLD', 'STATUS'),
);

export const feedSort = enumeration(
  'FeedSort',
  'NEWEST: all events, newest first. LIKES: only posts, most likes first.',
  upperCaseNames('newest', 'likes'),
);

export const notificationType = enumeration(
  'NotificationType',
  'Event that a notification reports.',
  sameNames('TICKET_BOUGHT', 'TICKET_SOLD', 'NEW_FOLLOWER', 'POST_LIKED', 'POST_REPOSTED', 'KEY_REPLACED', 'MODERATED'),
);

export const changeKind = enumeration(
  'ChangeKind',
  'ADDED: the event happened. REMOVED: the event no longer holds, because of a reorg, or because an agent was deleted or a post hidden.',
  sameNames('ADDED', 'REMOVED'),
);
