import type { Wei } from '../../../src/values/money.js';
import { hex, type Provider } from '../wallet/provider.js';

export type Side = 'buy' | 'sell';

/** A function of the contract with its selector: the first four bytes of the hash of its signature. */
type Fn = { readonly name: string; readonly selector: string; readonly types: readonly string[] };

const uint = 'uint256';
export const FUNCTIONS = {
  buy: { name: 'buyTickets', selector: '0xccdcbcdf', types: ['address', uint, uint, uint] },
  sell: { name: 'sellTickets', selector: '0xf6b29a11', types: ['address', uint, uint, uint] },
  buyQuote: { name: 'getBuyPriceAfterFee', selector: '0x0f026f6d', types: ['address', uint] },
  sellQuote: { name: 'getSellPriceAfterFee', selector: '0x2267a89c', types: ['address', uint] },
  balance: { name: 'ticketBalance', selector: '0xae274af2', types: ['address', 'address'] },
} as const satisfies Record<string, Fn>;

/** A number as the ABI encodes it: 32 bytes in hexadecimal. */
const word = (value: bigint): string => value.toString(16).padStart(64, '0');

const callData = ({ selector }: Fn, args: readonly bigint[]): string => selector + args.map(word).join('');

/**
 * A purchase for at most `bound` wei, or a sale for at least `bound` wei. The contract refuses it in a block whose time, in
 * seconds, is later than `deadline`.
 */
export type TradeCall = {
  readonly side: Side;
  readonly agent: string;
  readonly tickets: number;
  readonly bound: Wei;
  readonly deadline: number;
};

export type Transaction = {
  readonly from: string;
  readonly to: string;
  readonly data: string;
  readonly value: string;
};

/** The transaction of a trade. A purchase sends `bound` as its value, and the contract returns what the tickets do not cost. */
export function tradeTransaction(from: string, contract: string, call: TradeCall): Transaction {
  const { side, agent, tickets, bound, deadline } = call;
  const data = callData(FUNCTIONS[side], [BigInt(agent), BigInt(tickets), bound, BigInt(deadline)]);
  return { from, to: contract, data, value: hex(side === 'buy' ? bound : 0n) };
}

/** Whether the ABI has the function, with these parameters and this mutability. */
function hasFunction(abi: readonly unknown[], { name, types }: Fn, mutability: string): boolean {
  return abi.some((entry) => {
    const {
      type,
      name: called,
      inputs = [],
      stateMutability,
    } = entry as {
      readonly type?: string;
      readonly name?: string;
      readonly inputs?: readonly { readonly type: string }[];
      readonly stateMutability?: string;
    };
    return (
      type === 'function' &&
      called === name &&
      stateMutability === mutability &&
      inputs.map((input) => input.type).join() === types.join()
    );
  });
}

/**
 * Checks a transaction before a wallet gets it, and says which part of it is wrong. undefined if address, selector, arguments and
 * value are those of the trade, and the contract's ABI has the function.
 */
export function faultOf(
  transaction: Transaction,
  contract: { readonly address: string; readonly abi: string },
  { side, agent, tickets, bound, deadline }: TradeCall,
): 'abi' | 'address' | 'selector' | 'arguments' | 'value' | undefined {
  let abi: unknown;
  try {
    abi = JSON.parse(contract.abi);
  } catch {
    return 'abi';
  }
  const mutability = side === 'buy' ? 'payable' : 'nonpayable';
  if (!Array.isArray(abi) || !hasFunction(abi, FUNCTIONS[side], mutability)) return 'abi';
  const { to, data, value } = transaction;
  if (!/^0x[0-9a-f]{40}$/i.test(to) || BigInt(to) === 0n || to !== contract.address) return 'address';
  // The agent in the call is an address, too. If both are equal, the two were confused.
  if (to.toLowerCase() === agent.toLowerCase()) return 'address';
  if (data.slice(0, 10) !== FUNCTIONS[side].selector) return 'selector';
  const words = data.slice(10).match(/.{64}/g) ?? [];
  const expected = [BigInt(agent), BigInt(tickets), bound, BigInt(deadline)].map(word);
  if (data.length !== 10 + 4 * 64 || words.join() !== expected.join()) return 'arguments';
  return BigInt(value) === (side === 'buy' ? bound : 0n) ? undefined : 'value';
}

/** Calls a function of the contract that returns one number. A node answers 0x if there is no contract at the address. */
const read = async (provider: Provider, to: string, fn: Fn, args: readonly bigint[]): Promise<bigint> => {
  const answer = await provider.request({ method: 'eth_call', params: [{ to, data: callData(fn, args) }, 'latest'] });
  if (typeof answer !== 'string' || !/^0x[0-9a-f]{64}$/i.test(answer)) throw new Error('no answer of the contract');
  return BigInt(answer);
};

/**
 * What a trade costs or pays now, fees included. The wallet's own node reads it from the contract, so it does not depend on the
 * service.
 */
export const readQuote = (provider: Provider, contract: string, side: Side, agent: string, tickets: number) =>
  read(provider, contract, side === 'buy' ? FUNCTIONS.buyQuote : FUNCTIONS.sellQuote, [BigInt(agent), BigInt(tickets)]);

/** Number of tickets of the agent that a wallet holds, read through the wallet's node. */
export const readBalance = async (provider: Provider, contract: string, agent: string, holder: string) =>
  Number(await read(provider, contract, FUNCTIONS.balance, [BigInt(agent), BigInt(holder)]));
