import type { Wei } from './money.js';

/** Position of an event on the chain. Chain order is (blockNumber, logIndex); block times are not unique. */
export type ChainPosition = { readonly blockNumber: number; readonly logIndex: number; readonly time: Date };

/** A trade of tickets, as the contract logs it. */
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
