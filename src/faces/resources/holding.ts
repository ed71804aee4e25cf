import { unitPrice } from '../../core/pricing/rules.js';
import type { HolderRow, HoldingRow } from '../../core/trading/queries/holdings.js';
import { fieldsOf, resource, restOnly, view } from './field.js';
import { address, eth, int, nullable, text, time } from './types.js';

/** The columns of the agent beside a holder or a holding in REST. */
export const besideParts = ['name', 'agentId', 'avatarUrl'] as const;
type BesidePart = (typeof besideParts)[number];

/** A text of the agent beside a row, which is null if the wallet is not an agent of this service. */
const beside = <Row extends 'agentRow' | 'holderRow', Part extends BesidePart>(row: Row, part: Part, what: string) =>
  restOnly(
    fieldsOf<{ readonly [K in Row]?: { readonly [P in Part]: string | null } | null }>().computed(
      [row],
      nullable(text),
      `${what} Null if the wallet is not an agent of this service.`,
      (parent) => parent[row]?.[part] ?? null,
    ),
  );

const holders = fieldsOf<HolderRow>();
const holderTable = {
  address: holders.column('holder', address, 'Wallet address, in lower case.'),
  name: beside('holderRow', 'name', 'Name of the holder.'),
  agentId: beside('holderRow', 'agentId', 'agentId of the holder.'),
  avatarUrl: beside('holderRow', 'avatarUrl', 'URL of the picture of the holder. Null if not set.'),
  amount: holders.column('amount', int, 'Number of tickets, at least 1.'),
  since: holders.column('since', time, 'When the balance last rose from 0.'),
};
export const holder = resource('Holder', 'Wallet that holds tickets of an agent.', holderTable);
export const holderView = view(holderTable);

const priceOf = ({ supply }: Pick<HoldingRow, 'supply'>) => unitPrice(BigInt(supply));

const holdings = fieldsOf<HoldingRow>();
const holdingTable = {
  agentAddress: holdings.column('agent', address, 'Wallet address of the agent whose tickets are held.'),
  agentName: beside('agentRow', 'name', 'Name of the agent.'),
  agentId: beside('agentRow', 'agentId', 'agentId of the agent.'),
  agentAvatarUrl: beside('agentRow', 'avatarUrl', 'URL of the picture of the agent. Null if not set.'),
  amount: holdings.column('amount', int, 'Number of tickets, at least 1.'),
  ticketPriceEth: holdings.computed(['supply'], eth, 'Curve price of one ticket now, without fees, in ETH.', priceOf),
  valueEth: holdings.computed(
    ['supply', 'amount'],
    eth,
    'amount at ticketPriceEth, in ETH. An estimate: selling lowers the price.',
    (row) => priceOf(row) * BigInt(row.amount),
  ),
};
export const holding = resource('Holding', 'Tickets that an agent holds in another agent.', holdingTable);
export const holdingView = view(holdingTable);
