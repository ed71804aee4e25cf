import type { Entry } from './journal.js';
import { keccak256 } from './keccak.js';
import type { Log } from './rpc.js';

/**
 * Selectors of the contract's functions that the client calls. Most have a second overload, which also takes a deadline or tickets.
 */
export const selectors = {
  buyTickets: { plain: '0xb91ccd38', withDeadline: '0xccdcbcdf' },
  sellTickets: { plain: '0xe989e9b9', withDeadline: '0xf6b29a11' },
  registerAgent: { plain: '0x53bce15e', withTickets: '0xa9d03684' },
  withdrawAgentFees: { plain: '0x40306eab' },
} as const;
export type ContractFunction = keyof typeof selectors;

export type Side = 'buy' | 'sell';

/** A decoded purchase or sale. */
export type TradeCall = {
  readonly side: Side;
  readonly agent: string;
  readonly amount: number;
  /** Maximum cost of a purchase, minimum payout of a sale, in wei. */
  readonly bound: bigint;
  /** Last block time at which the contract accepts the call, in seconds since 1970. */
  readonly deadline?: number | undefined;
};

const word = (value: bigint | number | string): string => BigInt(value).toString(16).padStart(64, '0');

const hexOf = (bytes: Uint8Array): string => Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');

const selectorOf = (data: string): string => data.slice(0, 10).toLowerCase();

export const functionOf = (data: string): ContractFunction | undefined =>
  (Object.keys(selectors) as ContractFunction[]).find((name) =>
    (Object.values(selectors[name]) as string[]).includes(selectorOf(data)),
  );

export function encodeTrade({ side, agent, amount, bound, deadline }: TradeCall): string {
  const { plain, withDeadline } = selectors[`${side}Tickets`];
  const words = word(agent) + word(amount) + word(bound);
  return deadline === undefined ? plain + words : withDeadline + words + word(deadline);
}

/** Decodes the calldata of a trade. undefined if the calldata is not exactly a purchase or a sale. */
export function decodeTrade(data: string): TradeCall | undefined {
  const name = functionOf(data);
  if (name !== 'buyTickets' && name !== 'sellTickets') return undefined;
  const count = selectorOf(data) === selectors[name].plain ? 3 : 4;
  if (data.length !== 10 + 64 * count || !/^0x[0-9a-f]+$/i.test(data)) return undefined;
  const words = Array.from({ length: count }, (_, i) => BigInt(`0x${data.slice(10 + 64 * i, 74 + 64 * i)}`));
  const [agent = 0n, amount = 0n, bound = 0n, deadline] = words;
  // An address has 160 bits, a deadline 48, and a trade 1 to 20 tickets. Anything else is no call that the client makes.
  if (agent >> 160n !== 0n || amount < 1n || amount > 20n || (deadline ?? 0n) >> 48n !== 0n) return undefined;
  const address = `0x${agent.toString(16).padStart(40, '0')}`;
  const call = { side: name === 'buyTickets' ? 'buy' : 'sell', agent: address, amount: Number(amount), bound } as const;
  return deadline === undefined ? call : { ...call, deadline: Number(deadline) };
}

export type RegistrationCall = {
  readonly name: string;
  readonly agentId: string;
  readonly feeDestination: string;
  /**
   * Number of its own tickets that the agent buys with the registration, from 0 to 20, and their maximum cost in wei.
   * undefined for a contract that does not sell tickets with the registration.
   */
  readonly first?: { readonly tickets: number; readonly maxCost: bigint } | undefined;
};

/** Calldata of registerAgent. Names have at most 15 ASCII characters, so the bytes of each fit into one word. */
export function encodeRegistration({ name, agentId, feeDestination, first }: RegistrationCall): string {
  const text = (value: string): string => {
    const hex = hexOf(new TextEncoder().encode(value));
    return word(hex.length / 2) + hex.padEnd(64, '0');
  };
  const texts = text(name) + text(agentId);
  // The first two words are the offsets of the texts, which follow all other words: 3 of them, or 5 with tickets.
  const { plain, withTickets } = selectors.registerAgent;
  if (!first) return plain + [0x60, 0xa0, feeDestination].map(word).join('') + texts;
  return withTickets + [0xa0, 0xe0, feeDestination, first.tickets, first.maxCost].map(word).join('') + texts;
}

/**
 * Maximum cost of a purchase or of the tickets of a registration, in wei. 0 for a sale, a plain registration and a withdrawal of
 * fees. undefined for any other calldata.
 */
export function maxCostOf(data: string): bigint | undefined {
  const trade = decodeTrade(data);
  if (trade) return trade.side === 'buy' ? trade.bound : 0n;
  if (data.toLowerCase() === selectors.withdrawAgentFees.plain) return 0n;
  if (functionOf(data) !== 'registerAgent') return undefined;
  const isPlain = selectorOf(data) === selectors.registerAgent.plain;
  // As `encodeRegistration` writes it: 7 words after the selector, or 9 with tickets. The fifth word is then the maximum cost.
  if (!(isPlain ? /^0x[0-9a-f]{456}$/i : /^0x[0-9a-f]{584}$/i).test(data)) return undefined;
  return isPlain ? 0n : BigInt(`0x${data.slice(266, 330)}`);
}

/** Calldata that reads the price of a number of tickets of an agent, fees included, in wei. */
export const encodePrice = (side: Side, agent: string, amount: number): string =>
  (side === 'buy' ? PRICE.buy : PRICE.sell) + word(agent) + word(amount);
/** Selectors of `getBuyPriceAfterFee` and `getSellPriceAfterFee`. */
const PRICE = { buy: '0x0f026f6d', sell: '0x2267a89c' };

/** Calldata of ticketBalance: the tickets of an agent that a wallet holds. */
export const encodeBalance = (agent: string, holder: string): string => `0xae274af2${word(agent)}${word(holder)}`;

/** Topic of the contract's event AgentFeesWithdrawn. */
const WITHDRAWN = '0x70d9b5db10ccfd4ce1488567ccdb0c4b8247ba40d0732faacf9d15c8f53b9c76';

/** The total in wei that a log reports: paid by a buyer, received by a seller, or withdrawn. undefined if it reports none. */
export function totalOf(kind: Entry['kind'], { topics, data }: Pick<Log, 'topics' | 'data'>): bigint | undefined {
  if (kind === 'withdraw') return topics[0] === WITHDRAWN ? BigInt(data.slice(0, 66)) : undefined;
  if (!/^0x[0-9a-f]{384}$/i.test(data)) return undefined;
  // The words of the data are: amount, price, protocolFee, agentFee, supply, timestamp
  const [price = 0n, ...fees] = [1, 2, 3].map((i) => BigInt(`0x${data.slice(2 + 64 * i, 66 + 64 * i)}`));
  return fees.reduce((total, fee) => (kind === 'buy' ? total + fee : total - fee), price);
}

/** Calldata of getPrice, which returns the price of a number of tickets at a supply, without fees. */
export const encodeCurvePrice = (supply: number, amount: number): string => `0x5cf4ee91${word(supply)}${word(amount)}`;
/**
 * Calldata of agentOf, which returns the wallet that has registered a name or an agentId. The contract finds it by the hash of the
 * agentId, which is the name in lower case with underscores for spaces.
 */
export function encodeAgentOf(name: string): string {
  const agentId = new TextEncoder().encode(name.toLowerCase().replaceAll(' ', '_'));
  return `0x5e6dae26${keccak256(`0x${hexOf(agentId)}`).slice(2)}`;
}

/** Calldata of feeSplit, which returns the two fee rates in basis points. */
export const FEE_SPLIT = '0x6373ea69';
