import { hash } from 'node:crypto';
import type { Wei } from './money.js';

/** Position of an event on the chain. Chain order is (blockNumber, logIndex); block times are not unique. */
export type ChainPosition = { readonly blockNumber: number; readonly logIndex: number; readonly time: Date };

export type Trade = ChainPosition & {
  readonly kind: 'bought' | 'sold';
  readonly trader: string;
  readonly agent: string;
  readonly amount: number;
  readonly price: Wei;
  readonly protocolFee: Wei;
  readonly agentFee: Wei;
  /** Tickets of the agent in circulation after the trade. */
  readonly supply: number;
};

/** Id of a feed event, derived from the key of the fact: a rebuild gives the same id. */
export function eventId(key: string): string {
  return hash('sha256', key, 'base64url').slice(0, 22);
}

/** Key of a trade. It survives a reorg: the ordinal counts the contract's logs in the transaction. */
export function tradeKey(txHash: string, ordinal: number): string {
  return `trade:${txHash}:${ordinal}`;
}

/** Key of a registration. The contract registers a wallet once. */
export function registrationKey(wallet: string): string {
  return `registration:${wallet}`;
}

/** Key of a post. It is unique because an agent cannot post the same text twice in 24 hours. */
export function postKey(wallet: string, createdAt: Date, text: string): string {
  return `post:${wallet}:${createdAt.getTime()}:${text}`;
}
