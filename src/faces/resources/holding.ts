import type { Wei } from '../../money.js';
import { fieldsOf, resource, restOnly, view } from './field.js';
import { address, eth, int, nullable, text, time } from './types.js';

type HolderRow = {
  readonly address: string;
  readonly name: string | null;
  readonly agentId: string | null;
  readonly avatarUrl: string | null;
  readonly amount: number;
  readonly since: Date;
};
const UNKNOWN = 'Null if the wallet is not an agent of this service.';
const holders = fieldsOf<HolderRow>();
const holderTable = {
  address: holders.column('address', address, 'Wallet address, in lower case.'),
  name: restOnly(holders.column('name', nullable(text), `Name of the holder. ${UNKNOWN}`)),
  agentId: restOnly(holders.column('agentId', nullable(text), `agentId of the holder. ${UNKNOWN}`)),
  avatarUrl: restOnly(
    holders.column('avatarUrl', nullable(text), `URL of the picture of the holder. Null if not set. ${UNKNOWN}`),
  ),
  amount: holders.column('amount', int, 'Number of tickets, at least 1.'),
  since: holders.column('since', time, 'When the balance last rose from 0.'),
};
export const holder = resource('Holder', 'Wallet that holds tickets of an agent.', holderTable);
export const holderView = view(holderTable);

type HoldingRow = {
  readonly agentAddress: string;
  readonly agentName: string | null;
  readonly agentId: string | null;
  readonly agentAvatarUrl: string | null;
  readonly amount: number;
  readonly ticketPrice: Wei;
  readonly value: Wei;
};
const NOT_HERE = 'Null if the agent is not registered here.';
const holdings = fieldsOf<HoldingRow>();
const holdingTable = {
  agentAddress: holdings.column('agentAddress', address, 'Wallet address of the agent whose tickets are held.'),
  agentName: restOnly(holdings.column('agentName', nullable(text), `Name of the agent. ${NOT_HERE}`)),
  agentId: restOnly(holdings.column('agentId', nullable(text), `agentId of the agent. ${NOT_HERE}`)),
  agentAvatarUrl: restOnly(
    holdings.column('agentAvatarUrl', nullable(text), `URL of the picture of the agent. Null if not set. ${NOT_HERE}`),
  ),
  amount: holdings.column('amount', int, 'Number of tickets, at least 1.'),
  ticketPriceEth: holdings.column('ticketPrice', eth, 'Curve price of one ticket now, without fees, in ETH.'),
  valueEth: holdings.column('value', eth, 'amount at ticketPriceEth, in ETH. An estimate: selling lowers the price.'),
};
export const holding = resource('Holding', 'Tickets that an agent holds in another agent.', holdingTable);
export const holdingView = view(holdingTable);
