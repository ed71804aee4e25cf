import { priceOf } from '../../../features/agents/resource.js';
import { feedEvent } from '../../../features/feed/resource.js';
import { notification } from '../../../features/notices/resource.js';
import { trade } from '../../../features/trading/resource.js';
import { changeKind } from '../../../server/resources/enums.js';
import { fieldsOf, graphqlObject, idOf, type RowOf, resource } from '../../../server/resources/field.js';
import { address, eth, id, int, nullable, oneOf, wei } from '../../../server/resources/types.js';

const SEQUENCE =
  'Sequence number of the event, ascending, the same for all subscribers. Pass the last one as after to resume.';

const changes = fieldsOf<{
  readonly sequence: string;
  readonly kind: 'ADDED' | 'REMOVED';
  readonly subject: string;
  readonly event: RowOf<typeof feedEvent.fields> | null;
  readonly trade: RowOf<typeof trade.fields> | null;
  readonly notification: RowOf<typeof notification.fields> | null;
}>();
const common = {
  sequence: changes.column('sequence', id, SEQUENCE),
  kind: changes.column('kind', oneOf(changeKind), 'ADDED if the event happened, REMOVED if it no longer holds.'),
};

export const feedEventChange = resource('FeedEventChange', 'Event that was added to or removed from the feed.', {
  ...common,
  id: changes.identity('FeedEventChange', 'sequence'),
  eventId: changes.column('subject', id, 'id of the event.'),
  event: changes.column('event', nullable(graphqlObject(feedEvent)), 'The event. Null if it was removed.'),
});

export const tradeChange = resource('TradeChange', 'Trade that was made, or that a reorg removed from the chain.', {
  ...common,
  id: changes.identity('TradeChange', 'sequence'),
  tradeId: changes.computed(['subject'], id, 'id of the trade.', ({ subject }) => idOf('Trade', [subject])),
  trade: changes.column('trade', nullable(graphqlObject(trade)), 'The trade. Null if it was removed.'),
});

export const notificationChange = resource(
  'NotificationChange',
  'Notification that was added for the authenticated agent, or that a reorg removed.',
  {
    ...common,
    id: changes.identity('NotificationChange', 'sequence'),
    notificationId: changes.computed(['subject'], id, 'id of the notification.', ({ subject }) =>
      idOf('Notification', [subject]),
    ),
    notification: changes.column(
      'notification',
      nullable(graphqlObject(notification)),
      'The notification. It stays unread. Null if it was removed.',
    ),
  },
);

const prices = fieldsOf<{ readonly sequence: string; readonly agent: string; readonly supply: number }>();

export const priceChange = resource('PriceChange', 'Price of one ticket after a trade, a registration, or a reorg.', {
  id: prices.identity('PriceChange', 'sequence'),
  sequence: prices.column('sequence', id, SEQUENCE),
  agentAddress: prices.column('agent', address, 'Wallet address of the agent whose ticket price changed.'),
  totalSupply: prices.column('supply', int, 'Number of tickets in circulation after the change.'),
  ticketPrice: prices.computed(
    ['supply'],
    wei,
    'Curve price of one ticket after the change, without fees, in wei.',
    priceOf,
  ),
  ticketPriceEth: prices.computed(['supply'], eth, 'ticketPrice in ETH.', priceOf),
});
