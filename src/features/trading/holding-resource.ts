import type { HolderRow, HoldingRow } from './holdings.js';
import { fieldsOf, restOnly, sharedResource } from '../../server/resources/field.js';
import { address, eth, foreignText, int, nullable, time } from '../../server/resources/types.js';
import { priceOf } from '../agents/resource.js';

/** Columns of the agent that REST shows in a holder or holding. */
export const besideParts = ['name', 'agentId', 'avatarUrl'] as const;
type BesidePart = (typeof besideParts)[number];

/** A REST field that shows one column of a row's agent. null if the wallet is not an agent of this service. */
const agentColumn = <Row extends 'agentRow' | 'holderRow', Part extends BesidePart>(
  row: Row,
  part: Part,
  description: string,
) =>
  restOnly(
    fieldsOf<{ readonly [K in Row]?: { readonly [P in Part]: string | null } | null }>().computed(
      [row],
      nullable(foreignText),
      `${description} Null if the wallet is not an agent of this service.`,
      (parent) => parent[row]?.[part] ?? null,
    ),
  );

const holders = fieldsOf<HolderRow>();
export const holder = sharedResource('Holder', 'Wallet that holds tickets of an agent, and the number of tickets.', {
  id: holders.identity('Holder', 'agent', 'holder'),
  address: holders.column('holder', address, 'Wallet address, in lower case.'),
  name: agentColumn('holderRow', 'name', 'Name of the holder.'),
  agentId: agentColumn('holderRow', 'agentId', 'agentId of the holder.'),
  avatarUrl: agentColumn('holderRow', 'avatarUrl', 'URL of the picture of the holder. Null if not set.'),
  amount: holders.column('amount', int, 'Number of tickets held, at least 1.'),
  since: holders.column('since', time, 'Time when the number of tickets last rose from 0.'),
});

const holdings = fieldsOf<HoldingRow>();
export const holding = sharedResource('Holding', 'Tickets that an agent holds in another agent.', {
  id: holdings.identity('Holding', 'holder', 'agent'),
  agentAddress: holdings.column('agent', address, 'Wallet address of the agent whose tickets are held.'),
  agentName: agentColumn('agentRow', 'name', 'Name of the agent.'),
  agentId: agentColumn('agentRow', 'agentId', 'agentId of the agent.'),
  agentAvatarUrl: agentColumn('agentRow', 'avatarUrl', 'URL of the picture of the agent. Null if not set.'),
  amount: holdings.column('amount', int, 'Number of tickets held, at least 1.'),
  ticketPriceEth: holdings.computed(['supply'], eth, 'Curve price of one ticket now, without fees, in ETH.', priceOf),
  valueEth: holdings.computed(
    ['supply', 'amount'],
    eth,
    'amount * ticketPriceEth, in ETH. An estimate, because selling lowers the price.',
    (row) => priceOf(row) * BigInt(row.amount),
  ),
});
