import { hash } from 'node:crypto';
import type { Wei } from './money.js';

/** Position of an event on the chain. The order is (blockNumber, logIndex), and not the time, which two blocks can share. */
export type ChainPosition = { readonly blockNumber: number; readonly logIndex: number; readonly time: Date };

export type Trade = ChainPosition & {
  readonly kind: 'bought' | 'sold';
  readonly trader: string;
  readonly agent: string;
  readonly amount: number;
  /** Curve price of all tickets of the trade together, before fees. */
  readonly price: Wei;
  readonly protocolFee: Wei;
  readonly agentFee: Wei;
  /** Tickets of the agent in circulation after the trade. */
  readonly supply: number;
};

/** Id of a feed event. It is derived from the key of the fact, so a rebuild of the index gives the same id. */
export const eventId = (key: string): string => hash('sha256', key, 'base64url').slice(0, 22);

/** Key of a trade. It stays the same after a reorg, because the ordinal counts only the contract's logs within the transaction. */
export const tradeKey = (txHash: string, ordinal: number): string => `trade:${txHash}:${ordinal}`;

/** Key of a registration. The wallet is enough, because the contract registers each wallet only once. */
export const registrationKey = (wallet: string): string => `registration:${wallet}`;

/** Key of a post. It is unique: an agent cannot post the same text twice in 24 hours, so not twice at the same time either. */
export const postKey = (wallet: string, createdAt: Date, text: string): string => `post:${wallet}:${createdAt.getTime()}:${text}`;
