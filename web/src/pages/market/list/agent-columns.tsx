import type { ComponentChildren } from 'preact';
import { count } from '../../../format/number.js';
import { texts } from '../../../texts.js';
import { Amount } from '../../../ui/figure/amount.js';
import { Change } from '../../../ui/figure/change.js';
import { Time } from '../../../ui/figure/time.js';
import type { ListedAgent } from '../queries.js';
import { marketTexts } from '../texts.js';
import type { Order, Sort } from './agent-list.js';

/** A column of figures, by which the list can be sorted. */
export type Column = {
  readonly sort: Sort;
  readonly head: string;
  /** Whether narrow windows hide the column. */
  readonly isWide: boolean;
  /** Width of the placeholder while the rows load, in characters. */
  readonly width: number;
  readonly cell: (agent: ListedAgent) => ComponentChildren;
};

const { price, change, supply, holders } = texts.common;

export const columns: readonly Column[] = [
  {
    sort: 'price',
    head: price,
    isWide: false,
    width: 10,
    cell: ({ ticketPrice }) => <Amount wei={ticketPrice} usd="below" />,
  },
  {
    sort: 'change',
    head: change,
    isWide: false,
    width: 7,
    cell: ({ priceChange24h }) => <Change percent={priceChange24h} />,
  },
  { sort: 'supply', head: supply, isWide: true, width: 5, cell: ({ totalSupply }) => count(totalSupply) },
  { sort: 'holders', head: holders, isWide: true, width: 5, cell: ({ holderCount }) => count(holderCount) },
  {
    sort: 'volume',
    head: texts.agent.figures.volume,
    isWide: true,
    width: 10,
    cell: ({ volume24hWei }) => <Amount wei={volume24hWei} usd="below" />,
  },
  {
    sort: 'newest',
    head: texts.agent.joined,
    isWide: true,
    width: 8,
    cell: ({ createdAt }) => <Time at={createdAt} />,
  },
];

/** The order in words, such as "Price, highest first". */
export function orderText({ sort, isAscending }: Order): string {
  const { sorted, ends, times } = marketTexts.list;
  const head = columns.find((column) => column.sort === sort)?.head ?? '';
  return sorted(head, sort === 'newest' ? times : ends, isAscending);
}

/** The caption of the table: the name of the list, and its order. */
export const captionOf = (order: Order): string => `${marketTexts.tabs.all}: ${orderText(order)}`;
