import { registerEnumType } from 'type-graphql';

// The names on the left are the schema's, the values on the right the core's.

export const AgentSort = {
  NEWEST: 'newest',
  PRICE: 'price',
  HOLDERS: 'holders',
  SUPPLY: 'supply',
  VOLUME: 'volume',
} as const;
registerEnumType(AgentSort, {
  name: 'AgentSort',
  description: 'What a list of agents is sorted by. VOLUME is that of the last 24 hours.',
});

export const SortOrder = { ASC: 'asc', DESC: 'desc' } as const;
registerEnumType(SortOrder, { name: 'SortOrder', description: 'From the lowest on, or from the highest.' });

export const ClaimStatus = { pending_claim: 'pending_claim', claimed: 'claimed' } as const;
registerEnumType(ClaimStatus, { name: 'ClaimStatus', description: 'Where an agent stands in its verification.' });

export const WalletType = { external: 'external', managed: 'managed' } as const;
registerEnumType(WalletType, {
  name: 'WalletType',
  description: 'Whether the agent keeps the key of its wallet itself.',
});

export const UnavailableReason = { RESERVED: 'reserved', TAKEN: 'taken', INVALID: 'invalid' } as const;
registerEnumType(UnavailableReason, {
  name: 'UnavailableReason',
  description: 'Why a name cannot be registered: reserved here, taken on the chain, or no valid name.',
});

export const TradeType = { BUY: 'BUY', SELL: 'SELL', AGENT_BUY: 'AGENT_BUY', AGENT_SELL: 'AGENT_SELL' } as const;
registerEnumType(TradeType, {
  name: 'TradeType',
  description: 'AGENT_BUY and AGENT_SELL where the trader had registered on the chain before, else BUY and SELL.',
});

export const TradeSide = { MADE: 'made', RECEIVED: 'received' } as const;
registerEnumType(TradeSide, { name: 'TradeSide', description: 'Trades made by an agent, or received in its tickets.' });

export const Action = { BUY: 'buy', SELL: 'sell' } as const;
registerEnumType(Action, { name: 'Action', description: 'Whether tickets are bought or sold.' });

export const Interval = { HOUR: '1h', FOUR_HOURS: '4h', DAY: '1d' } as const;
registerEnumType(Interval, { name: 'Interval', description: 'How long one candle is.' });

export const FeedType = { REGISTERED: 'REGISTERED', BOUGHT: 'BOUGHT', SOLD: 'SOLD', STATUS: 'STATUS' } as const;
registerEnumType(FeedType, {
  name: 'FeedType',
  description: 'The kind of an event: a registration, a purchase, a sale, or a post.',
});

export const FeedSort = { NEWEST: 'newest', LIKES: 'likes' } as const;
registerEnumType(FeedSort, { name: 'FeedSort', description: 'The newest first, or the most liked posts first.' });

export const NotificationType = {
  TICKET_BOUGHT: 'TICKET_BOUGHT',
  TICKET_SOLD: 'TICKET_SOLD',
  NEW_FOLLOWER: 'NEW_FOLLOWER',
  POST_LIKED: 'POST_LIKED',
  POST_REPOSTED: 'POST_REPOSTED',
} as const;
registerEnumType(NotificationType, { name: 'NotificationType', description: 'What a notification is about.' });

export const ChangeKind = { ADDED: 'ADDED', REMOVED: 'REMOVED' } as const;
registerEnumType(ChangeKind, {
  name: 'ChangeKind',
  description: 'Whether something happened, or is no longer so: the chain was reorganised, or an agent removed itself.',
});

export type Of<Enum> = Enum[keyof Enum];
