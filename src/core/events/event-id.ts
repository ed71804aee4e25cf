import { hash } from 'node:crypto';

/** The id of a feed event: made from the key of the fact, so that a rebuild gives the same. */
export function eventId(key: string): string {
  return hash('sha256', key, 'base64url').slice(0, 22);
}

/** A log keeps its transaction and its place among the contract's logs in it, whichever block includes it. */
export function tradeKey(txHash: string, ordinal: number): string {
  return `trade:${txHash}:${ordinal}`;
}

/** The contract registers a wallet once. */
export function registrationKey(wallet: string): string {
  return `registration:${wallet}`;
}

/** An agent does not post the same text twice in a day, let alone in a millisecond. */
export function postKey(wallet: string, createdAt: Date, text: string): string {
  return `post:${wallet}:${createdAt.getTime()}:${text}`;
}
