import { CurvetError, type ErrorCode } from '../errors.js';

/** Exit codes of the command line, with their meaning, which never changes: scripts depend on it. */
export const exitCodes = {
  ok: [0, 'done'],
  unexpected: [1, 'an unexpected error'],
  usage: [2, 'wrong arguments'],
  setup: [3, 'no wallet, no key, a wrong key or a wrong password'],
  refused: [4, 'the service refuses the request'],
  limits: [5, 'a spending limit, or an answer that is not to be trusted; nothing was signed'],
  rateLimited: [6, 'too many requests'],
  unavailable: [7, 'the service or the RPC does not answer'],
  pending: [8, 'the transaction is not mined yet; run the same command again'],
  failed: [9, 'the chain refuses or has reverted the transaction, or the wallet has too little ether'],
  problem: [10, 'doctor has found a problem'],
  unrecorded: [11, 'the trade is made, and its thesis is not recorded; run the same command again with the --id it names'],
  gone: [12, 'a reorg has removed the trade from the chain; nothing was traded now'],
} as const;
export type Exit = keyof typeof exitCodes;

/** The command line was called with wrong arguments (exit code 2). */
export class UsageError extends Error {}

const ofCode: Readonly<Partial<Record<ErrorCode, Exit>>> = {
  NOT_CONFIGURED: 'setup',
  MISSING_KEY: 'setup',
  INVALID_KEY: 'setup',
  LIMIT_EXCEEDED: 'limits',
  UNTRUSTED_ANSWER: 'limits',
  TRADE_ID_REUSED: 'usage',
  TRADE_PENDING: 'pending',
  JOURNAL_BUSY: 'pending',
  TRADE_REVERTED: 'failed',
  TRADE_REPLACED: 'failed',
  GONE: 'gone',
  INSUFFICIENT_FUNDS: 'failed',
  RPC: 'unavailable',
  CONNECTION: 'unavailable',
  INVALID_ANSWER: 'unavailable',
};

export function exitOf(error: unknown): Exit {
  if (error instanceof UsageError) return 'usage';
  if (!(error instanceof CurvetError)) return 'unexpected';
  const { code, status } = error;
  if (ofCode[code]) return ofCode[code];
  if (status === 429) return 'rateLimited';
  return status >= 500 ? 'unavailable' : 'refused';
}
