import { hash } from 'node:crypto';

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
