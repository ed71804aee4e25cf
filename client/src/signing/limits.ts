import { TradeError } from '../errors.js';
import { type ContractFunction, functionOf, maxCostOf, selectors } from './calldata.js';
import { type Ether, toEth, toWei } from './ether.js';
import type { Transaction } from './signer.js';

/**
 * What the signer may sign. The limits come from the program that creates the client, never from an answer of the service.
 */
export type SpendingLimits = {
  /** Id of the only chain for which transactions are signed. */
  readonly chainId: number;
  /** Address of the only contract that transactions may call. */
  readonly contract: string;
  /** Maximum that one transaction may send, without gas. */
  readonly perTrade: Ether;
  /** Maximum that the transactions signed within 24 hours can take together, gas included. */
  readonly perDay: Ether;
  /** Maximum gas fee of one transaction. */
  readonly gas: Ether;
  /** Functions of the contract that transactions may call. @default all of ContractFunction */
  readonly functions?: readonly ContractFunction[];
};

/** Maximum that a transaction can take, in wei. It counts the fields that are signed, because an RPC could report a lower cost. */
export const mostOf = ({ value, gasLimit, maxFeePerGas }: Transaction): bigint => value + gasLimit * maxFeePerGas;

const DAY_MS = 86_400_000;

/** Sum of what the transactions signed within 24 hours can take, in wei. */
export const spentToday = (signed: readonly { readonly signedAt: number; readonly atMost: string }[], now: number) =>
  signed.filter(({ signedAt }) => signedAt > now - DAY_MS).reduce((sum, { atMost }) => sum + BigInt(atMost), 0n);

/**
 * Throws unless the limits allow the transaction and its decoded calldata. `spent` is what earlier transactions of the last 24
 * hours can take together.
 */
export function checkLimits(limits: SpendingLimits, transaction: Transaction, spent: bigint): void {
  const { chainId, to, data, value, gasLimit, maxFeePerGas } = transaction;
  const name = functionOf(data);
  // The value that the calldata demands: a purchase and a registration send their maximum cost, a sale sends nothing.
  const due = maxCostOf(data);
  demand(chainId === limits.chainId, 'chainId', chainId, limits.chainId);
  demand(to.toLowerCase() === limits.contract.toLowerCase(), 'contract', to, limits.contract);
  const allowed = limits.functions ?? Object.keys(selectors);
  demand(name !== undefined && allowed.includes(name), 'functions', name ?? data.slice(0, 10), allowed.join(', '));
  demand(due !== undefined, 'functions', 'malformed calldata', allowed.join(', '));
  demand(value === due, 'perTrade', `${toEth(value)} ETH`, `${toEth(due ?? 0n)} ETH, as the calldata says`);
  atMost('perTrade', value, limits.perTrade);
  // With a negative number, a hostile service could lower the sum of the day, and give other transactions more room.
  demand(gasLimit > 0n && maxFeePerGas >= 0n, 'gas', `${gasLimit} gas at ${maxFeePerGas} wei`, 'positive numbers');
  atMost('gas', gasLimit * maxFeePerGas, limits.gas);
  atMost('perDay', spent + mostOf(transaction), limits.perDay);
}

const atMost = (limit: string, wei: bigint, allowed: Ether): void =>
  demand(wei <= toWei(allowed), limit, `${toEth(wei)} ETH`, `${toEth(toWei(allowed))} ETH`);

function demand(holds: boolean, limit: string, asked: unknown, allowed: unknown): void {
  if (holds) return;
  throw new TradeError('LIMIT_EXCEEDED', `the spending limit ${limit} refuses the transaction`, {
    hint: `Asked: ${asked}. Allowed: ${allowed}.`,
    details: { limit, asked: String(asked), allowed: String(allowed) },
  });
}
