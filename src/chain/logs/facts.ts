import type { TransactionReceipt } from 'ethers';
import type { Wei } from '../../values/money.js';
import type { ChainPosition, Trade } from '../../values/trade.js';
import { ticketMarket } from '../contract-interface.js';

export type LogLocation = ChainPosition & {
  readonly blockHash: string;
  readonly txHash: string;
  /**
   * Index among the contract's logs of the transaction. Unlike logIndex, which counts all logs of the block, it survives a reorg.
   */
  readonly ordinal: number;
};

export type Registered = LogLocation & {
  readonly kind: 'registered';
  readonly agent: string;
  readonly name: string;
  readonly agentId: string;
};
export type Traded = LogLocation & Trade;
export type Withdrawn = LogLocation & { readonly kind: 'withdrawn'; readonly agent: string; readonly amount: Wei };
/** The agent has set who receives its fees. The log has no time. */
export type Redirected = Omit<LogLocation, 'time'> & {
  readonly kind: 'redirected';
  readonly agent: string;
  readonly destination: string;
};
export type Fact = Registered | Traded | Withdrawn | Redirected;

/** A log as JSON-RPC returns it, with numbers as hexadecimal text, or as ethers returns it, with numbers. */
export type RawLog = {
  readonly blockNumber: string | number;
  readonly blockHash: string;
  readonly logIndex: string | number;
  readonly transactionHash: string;
  readonly topics: readonly string[];
  readonly data: string;
};

const topicOf = (name: string): string => ticketMarket.getEvent(name)?.topicHash ?? '';
const REGISTERED = topicOf('AgentRegistered');
const BOUGHT = topicOf('TicketsBought');
const SOLD = topicOf('TicketsSold');
const WITHDRAWN = topicOf('AgentFeesWithdrawn');
const REDIRECTED = topicOf('FeeDestinationChanged');
export const FACT_TOPICS: readonly string[] = [REGISTERED, BOUGHT, SOLD, WITHDRAWN, REDIRECTED];

/**
 * Decodes logs of the contract into facts, in chain order. The list must hold all of the contract's logs of each
 * transaction, without a topic filter, because the ordinal counts all of them.
 */
export function decodeFacts(logs: readonly RawLog[]): Fact[] {
  const sorted = logs.map((log) => ({ log, blockNumber: Number(log.blockNumber), logIndex: Number(log.logIndex) }));
  sorted.sort((a, b) => a.blockNumber - b.blockNumber || a.logIndex - b.logIndex);
  const facts: Fact[] = [];
  const cache: DecodeCache = { addresses: new Map(), time: new Date(0) };
  let txHash = '';
  let ordinal = 0;
  for (const entry of sorted) {
    ordinal = entry.log.transactionHash === txHash ? ordinal + 1 : 0;
    txHash = entry.log.transactionHash;
    const fact = decodeFact(entry, ordinal, cache);
    if (fact && !isDefault(fact, facts.at(-1))) facts.push(fact);
  }
  return facts;
}

/** A registration also says who receives the fees: usually the agent itself, which is the case without a fact, too. */
const isDefault = (fact: Fact, previous: Fact | undefined): boolean =>
  fact.kind === 'redirected' &&
  fact.destination === fact.agent &&
  previous?.kind === 'registered' &&
  previous.txHash === fact.txHash;

/** The contract's facts in the receipt of a transaction. Empty if the transaction failed or does not exist (null). */
export function factsOfReceipt(receipt: TransactionReceipt | null, contract: string): Fact[] {
  if (receipt?.status !== 1) return [];
  const logs = receipt.logs.filter(({ address }) => address.toLowerCase() === contract.toLowerCase());
  return decodeFacts(logs.map((log) => ({ ...log, logIndex: log.index })));
}

type SortedLog = { readonly log: RawLog; readonly blockNumber: number; readonly logIndex: number };

/**
 * Caches addresses and times that repeat in a list of logs. So fewer objects are created, and map lookups by address are faster.
 */
type DecodeCache = { readonly addresses: Map<string, string>; time: Date };

/** Decodes frequent logs by hand, because ethers' decoder takes 300 times as long and would dominate a backfill. */
function decodeFact({ log, blockNumber, logIndex }: SortedLog, ordinal: number, cache: DecodeCache): Fact | undefined {
  const { blockHash, transactionHash: txHash, topics, data } = log;
  const topic = topics[0];
  if (topic === BOUGHT || topic === SOLD) {
    return {
      kind: topic === BOUGHT ? 'bought' : 'sold',
      trader: cachedAddress(topics[1], cache),
      agent: cachedAddress(topics[2], cache),
      amount: numberAt(data, 0),
      price: bigintAt(data, 1),
      protocolFee: bigintAt(data, 2),
      agentFee: bigintAt(data, 3),
      supply: numberAt(data, 4),
      blockNumber,
      blockHash,
      logIndex,
      txHash,
      ordinal,
      time: cachedTime(numberAt(data, 5), cache),
    };
  }
  const place = { blockNumber, blockHash, logIndex, txHash, ordinal };
  const location = (time: number): LogLocation => ({ ...place, time: cachedTime(time, cache) });
  if (topic === REDIRECTED) {
    return { kind: 'redirected', agent: cachedAddress(topics[1], cache), destination: cachedAddress(topics[2], cache), ...place };
  }
  if (topic === WITHDRAWN) {
    return {
      kind: 'withdrawn',
      agent: cachedAddress(topics[1], cache),
      amount: bigintAt(data, 0),
      ...location(numberAt(data, 1)),
    };
  }
  if (topic === REGISTERED) {
    const [agent, name, agentId, time] = ticketMarket.decodeEventLog('AgentRegistered', data, [...topics]);
    return { kind: 'registered', agent: agent.toLowerCase(), name, agentId, ...location(Number(time)) };
  }
  return undefined;
}

const wordAt = (data: string, index: number): string => `0x${data.slice(2 + index * 64, 66 + index * 64)}`;
const bigintAt = (data: string, index: number): bigint => BigInt(wordAt(data, index));
/** A value that the contract limits to less than 2^53, so that a number is exact: an amount, a supply or a time. */
const numberAt = (data: string, index: number): number => Number(wordAt(data, index));

function cachedTime(seconds: number, cache: DecodeCache): Date {
  if (cache.time.getTime() !== seconds * 1000) cache.time = new Date(seconds * 1000);
  return cache.time;
}

function cachedAddress(topic = '', { addresses }: DecodeCache): string {
  let address = addresses.get(topic);
  if (address === undefined) {
    // A topic has 32 bytes: 12 zeros, and then the address.
    address = `0x${topic.slice(26)}`.toLowerCase();
    addresses.set(topic, address);
  }
  return address;
}
