import { unitPrice } from '../../../core/pricing/rules.js';
import type { Wei } from '../../../money.js';
import { changeKind } from '../../resources/enums.js';
import { feedEvent } from '../../resources/feed-event.js';
import { fieldsOf, graphqlObject, type RowOf, resource } from '../../resources/field.js';
import { notification } from '../../resources/notification.js';
import { trade } from '../../resources/trade.js';
import { address, eth, id, int, nullable, oneOf, wei } from '../../resources/types.js';

const SEQUENCE = 'Ascending, the same for all subscribers: pass the last one as after to go on from there.';

const changes = fieldsOf<{
  readonly sequence: string;
  readonly kind: 'ADDED' | 'REMOVED';
  readonly id: string;
  readonly event: RowOf<typeof feedEvent.fields> | null;
  readonly trade: RowOf<typeof trade.fields> | null;
  readonly notification: RowOf<typeof notification.fields> | null;
}>();
const sequence = changes.column('sequence', id, SEQUENCE);
const common = {
  sequence,
  kind: changes.column('kind', oneOf(changeKind), 'Whether it happened, or is no longer so.'),
};

export const feedEventChange = resource('FeedEventChange', 'Something new in the feed, or no longer in it.', {
  ...common,
  id: changes.column('id', id, 'The id of the event, as in the feed.'),
  event: changes.column('event', nullable(graphqlObject(feedEvent)), 'The event; null if it was removed.'),
});

export const tradeChange = resource('TradeChange', 'A trade that was made, or that the chain has no more.', {
  ...common,
  id: changes.column('id', id, 'The id of the trade.'),
  trade: changes.column('trade', nullable(graphqlObject(trade)), 'The trade; null if it was removed.'),
});

export const notificationChange = resource(
  'NotificationChange',
  'A notification of the own agent, or one that a reorganisation took back.',
  {
    ...common,
    id: changes.column('id', id, 'The id of the notification.'),
    notification: changes.column(
      'notification',
      nullable(graphqlObject(notification)),
      'The notification, which this does not count as read; null if it was removed.',
    ),
  },
);

const prices = fieldsOf<{ readonly agent: string; readonly supply: number }>();
const priceOf = ({ supply }: { readonly supply: number }): Wei => unitPrice(BigInt(supply));

export const priceChange = resource(
  'PriceChange',
  'The price of a ticket after a trade, a registration, or a reorganisation of the chain.',
  {
    sequence,
    agentAddress: prices.column('agent', address, 'In whose tickets.'),
    totalSupply: prices.column('supply', int, 'Tickets in circulation from now on.'),
    ticketPrice: prices.computed(['supply'], wei, 'Curve price of one ticket at that supply, without fees.', priceOf),
    ticketPriceEth: prices.computed(['supply'], eth, 'The same in ETH.', priceOf),
  },
);
