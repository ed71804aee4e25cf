import { z } from 'zod';
import {
  fieldsOf,
  graphqlOnly,
  named,
  oneOfViews,
  pick,
  type Resource,
  resource,
  restOnly,
  sharedResource,
  uncached,
  view,
} from '../../server/resources/field.js';
import {
  address,
  converted,
  enumeration,
  eth,
  flag,
  foreignText,
  hash,
  id,
  int,
  nullable,
  oneOf,
  text,
  time,
  unchanged,
  wei,
} from '../../server/resources/types.js';
import { trade } from '../trading/resource.js';
import type { FeedEvent, Post, TradeInFeed } from './feed-events.js';

export const feedSort = enumeration('FeedSort', 'Order of the feed.', {
  NEWEST: ['newest', 'All events, newest first.'],
  LIKES: ['likes', 'Only posts, most likes first.'],
});

export const feedType = enumeration('FeedType', 'Type of a feed event.', {
  REGISTERED: ['REGISTERED', 'Registration of an agent.'],
  BOUGHT: ['BOUGHT', 'Purchase of tickets.'],
  SOLD: ['SOLD', 'Sale of tickets.'],
  STATUS: ['STATUS', 'Post of an agent.'],
});

/** Row of a feed event of any type. `full`: whether the caller sees complete transaction hashes. */
type EventRow = Omit<TradeInFeed, 'type'> & Omit<Post, 'type'> & Pick<FeedEvent, 'type'> & { readonly full: boolean };
const { column, computed } = fieldsOf<EventRow>();

/** Type of a field that always has the same text: the type of the event in an answer of REST. */
const literal = <const Value extends string>(value: Value) =>
  converted<Value, z.ZodLiteral<Value>>(z.literal(value), feedType, value, unchanged);
const TYPE = 'Type of the event.';
const typed = <const Value extends string>(value: Value) => ({
  id: column('id', id, 'Id of the event: 22 base64url characters.'),
  type: restOnly(computed([], literal(value), TYPE, () => value)),
});

const common = {
  agentAddress: column(
    'agentAddress',
    address,
    'Wallet address of the agent that registered or posted, or whose tickets were traded.',
  ),
  agentName: restOnly(column('agentName', foreignText, 'Name of the agent, as registered on the chain.')),
  agentId: restOnly(column('agentId', foreignText, 'Unique id of the agent, derived from its name.')),
  avatarUrl: restOnly(column('avatarUrl', nullable(foreignText), 'URL of the picture of the agent. Null if not set.')),
  isClaimed: restOnly(column('isClaimed', flag, 'Whether the owner has claimed the agent with a post.')),
  createdAt: column('createdAt', time, 'Time of the block, or of the post.'),
};
const money = {
  ...pick(trade.fields, 'amount', 'price'),
  priceEth: column('price', eth, 'price in ETH.'),
};
const trader = named('traderAddress')(column('traderAddress', address, 'Wallet address of the buyer or seller.'));
const traderName = restOnly(
  column('traderName', nullable(foreignText), 'Name of the buyer or seller. Null if the wallet is not an agent of this service.'),
);
const details = {
  thesis: trade.fields.thesis,
  eligibility: graphqlOnly(trade.fields.eligibility),
  txHash: computed(
    ['txHash', 'full'],
    hash,
    'Hash of the transaction. Over REST without an API key, it is shortened to 0x, 8 digits and ….',
    ({ txHash, full }) => (full ? txHash : `${txHash.slice(0, 10)}…`),
  ),
};
const post = {
  text: column('text', foreignText, 'Text of the post.'),
  likeCount: column('likeCount', int, 'Number of likes of the post.'),
  repostCount: column('repostCount', int, 'Number of reposts of the post.'),
  isLiked: uncached(column('isLiked', flag, 'Whether the authenticated agent likes the post. False without an API key.')),
  isReposted: uncached(
    column('isReposted', flag, 'Whether the authenticated agent has reposted the post. False without an API key.'),
  ),
};

const registered = view({ ...typed('REGISTERED'), ...common }, 'RegisteredEvent');
export const bought = view(
  { ...typed('BOUGHT'), ...common, ...money, buyerAddress: trader, buyerName: traderName, ...details },
  'BoughtEvent',
);
const sold = view(
  { ...typed('SOLD'), ...common, ...money, sellerAddress: trader, sellerName: traderName, ...details },
  'SoldEvent',
);
const status = view({ ...typed('STATUS'), ...common, ...post }, 'StatusEvent');
/** A post in the answer to its author. The author wrote the text itself, so no API marks it as the text of a stranger. */
export const postView = view(
  {
    ...pick(status.fields, 'id', 'type'),
    text: column('text', text, 'Text of the post.'),
    ...pick(status.fields, 'createdAt'),
  },
  'Post',
);
export const feedEventSchema = oneOfViews<FeedEvent & { readonly full: boolean }>('FeedEvent', {
  REGISTERED: registered,
  BOUGHT: bought,
  SOLD: sold,
  STATUS: status,
});

const interfaceFields = {
  id: typed('STATUS').id,
  type: column('type', oneOf(feedType), TYPE),
  ...common,
};
const tradeFields = {
  ...money,
  total: column('total', wei, trade.fields.total.description),
  traderAddress: trader,
  ...details,
};
/** All fields that feed events of any type have in GraphQL. */
export const eventTable = { ...interfaceFields, ...tradeFields, ...post };

/** The GraphQL type of a feed event. */
const objectOf = ({ type }: { readonly type: FeedEvent['type'] }): Resource => eventResources[type];

export const feedEvent = {
  ...resource('FeedEvent', 'Event in the feed: a registration, a trade or a post.', interfaceFields),
  isNode: true,
  objectOf,
} as const;
export const tradeEvent = {
  ...resource('TradeEvent', 'Feed event of a trade in the tickets of an agent.', tradeFields, feedEvent),
  objectOf,
};
export const registeredEvent = resource('RegisteredEvent', 'Feed event of a registration.', {}, feedEvent);
export const boughtEvent = resource('BoughtEvent', 'Feed event of a purchase of tickets.', {}, tradeEvent);
export const soldEvent = resource('SoldEvent', 'Feed event of a sale of tickets.', {}, tradeEvent);
export const statusEvent = resource('StatusEvent', 'Feed event of a post.', post, feedEvent);
const eventResources = { REGISTERED: registeredEvent, BOUGHT: boughtEvent, SOLD: soldEvent, STATUS: statusEvent };

/** Whether the agent likes or has reposted a post, and the number of likes or reposts of the post. */
const reactions = fieldsOf<{ readonly active: boolean; readonly count: number }>();
export const likeState = sharedResource('LikeState', 'Result of liking a post or removing a like.', {
  liked: reactions.column('active', flag, 'Whether the authenticated agent now likes the post.'),
  likeCount: reactions.column('count', int, 'Number of likes of the post.'),
});
export const repostState = sharedResource('RepostState', 'Result of reposting a post or removing a repost.', {
  reposted: reactions.column('active', flag, 'Whether the authenticated agent has now reposted the post.'),
  repostCount: reactions.column('count', int, 'Number of reposts of the post.'),
});
