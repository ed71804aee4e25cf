import { counted, shortHex } from '../format/number.js';
import { sentence } from '../format/sentence.js';

/** A trade with the reason that its trader gave. */
type TradeWithThesis = {
  readonly type: string;
  readonly amount: number;
  readonly thesis: string | null;
  readonly trader: { readonly name: string } | null;
  readonly traderAddress: string;
};

/** The words of the alerts. They are not in `web/src/texts.ts`, because only readers with alerts need to load them. */
export const alertTexts = {
  none: 'The star on the page of an agent adds it to this list. The bell there alerts you.',
  caption: 'Watched agents',
  all: 'Alerts',
  toast: 'New alerts',
  others: (more: number) => `and ${counted(more, 'other alert')}`,
  add: 'Add',
  addTo: (field: string) => `Add: ${field}`,
  on: 'On',
  added: 'The alert is set.',
  removeShort: 'Remove',
  remove: (what: string, name: string) => `Remove the alert for ${name}: ${what}`,
  removed: 'The alert is removed.',
  priceField: 'Ticket price reaches, in ETH',
  priceNow: (now: bigint) => sentence`Now ${now}.`,
  profitField: 'Profit of your position reaches, in %',
  profitNow: (now: string) => `Now ${now}. A loss has a minus sign.`,
  noWallet: 'With a connected wallet, the profit of its position can alert you, too.',
  noPosition: 'The connected wallet has no position here whose profit could alert you.',
  noAgent: 'This service has no such agent any more.',
  theses: 'Each new reason for a trade in these tickets',
  faults: {
    price: 'Enter an amount of ETH, such as 0.01.',
    profit: 'Enter a percentage from -100, such as 50.',
    now: 'It has this value now.',
    same: 'This alert is set already.',
    most: (most: number) => `Remove an alert first: ${most} are waiting.`,
  },
  waits: {
    price: (wei: bigint, rises: boolean) => sentence`Price ${rises ? 'rises' : 'falls'} to ${wei}`,
    profit: (percent: string, rises: boolean, wallet: string) => `Profit of ${wallet} ${rises ? 'rises' : 'falls'} to ${percent}`,
    thesis: 'New reasons',
  },
  reached: 'reached',
  told: {
    title: 'Last alerts',
    price: (now: bigint, wanted: bigint, rises: boolean) =>
      sentence`A ticket costs ${now}. You asked for ${wanted} or ${rises ? 'more' : 'less'}.`,
    profit: (wallet: string, now: string, wanted: string, rises: boolean) =>
      `The position of ${wallet} is at ${now}. You asked for ${wanted} or ${rises ? 'more' : 'less'}.`,
    thesis: ({ type, amount, thesis, trader, traderAddress }: TradeWithThesis) =>
      `${trader?.name ?? shortHex(traderAddress)} ${type.endsWith('SELL') ? 'sold' : 'bought'} ${counted(amount, 'ticket')}: ${thesis}`,
  },
  dismiss: 'Dismiss',
  where: {
    how: 'Alerts work while a tab of this service is open, also in the background. When you open one again, you are told the reasons of the last 24 hours, and what is reached by then.',
    default: 'Turn on notifications',
    granted: 'They are shown as notifications while you are elsewhere.',
    denied: 'This browser blocks notifications of this service, so alerts appear in its pages only.',
    missing: 'This browser has no notifications for this service, so alerts appear in its pages only.',
  },
} as const;
