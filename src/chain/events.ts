import type { Wei } from '../money.js';
import { ticketMarket } from './interface.js';

/** Where on the chain something happened. Chain order is (blockNumber, logIndex), never the time. */
export type Place = {
  readonly blockNumber: number;
  readonly blockHash: string;
  readonly logIndex: number;
  readonly txHash: string;
  /** Position among the contract's logs of the transaction: it survives a re-inclusion in another block. */
  readonly ordinal: number;
  readonly time: Date;
};

export type Registered = Place & {
  readonly kind: 'registered';
  readonly agent: string;
  readonly name: string;
  readonly agentId: string;
};
export type Traded = Place & {
  readonly kind: 'bought' | 'sold';
  readonly trader: string;
  readonly agent: string;
  readonly amount: number;
  readonly price: Wei;
  readonly protocolFee: Wei;
  readonly agentFee: Wei;
  readonly supply: number;
};
export type Withdrawn = Place & { readonly kind: 'withdrawn'; readonly agent: string; readonly amount: Wei };
export type Fact = Registered | Traded | Withdrawn;

/** A log as the RPC gives it. */
export type RawLog = {
  readonly blockNumber: string;
  readonly blockHash: string;
  readonly logIndex: string;
  readonly transactionHash: string;
  readonly topics: readonly string[];
  readonly data: string;
};

const topicOf = (name: string): string => ticketMarket.getEvent(name)?.topicHash ?? '';
const REGISTERED = topicOf('AgentRegistered');
const BOUGHT = topicOf('TicketsBought');
const SOLD = topicOf('TicketsSold');
const WITHDRAWN = topicOf('AgentFeesWithdrawn');

/**
 * The facts in a list of logs of the contract, in chain order. The list must hold every log of the contract in each
 * transaction (no topic filter), since the ordinal counts them all.
 */
export function factsOf(logs: readonly RawLog[]): Fact[] {
  const ordered = [...logs].sort((a, b) => at(a.blockNumber, b.blockNumber) || at(a.logIndex, b.logIndex));
  const facts: Fact[] = [];
  let txHash = '';
  let ordinal = 0;
  for (const log of ordered) {
    ordinal = log.transactionHash === txHash ? ordinal + 1 : 0;
    txHash = log.transactionHash;
    const fact = factOf(log, ordinal);
    if (fact) facts.push(fact);
  }
  return facts;
}

const at = (a: string, b: string): number => Number(a) - Number(b);

/** Fixed layouts, decoded by hand: a general decoder costs three hundred times as much, which a backfill feels. */
function factOf(log: RawLog, ordinal: number): Fact | undefined {
  const topic = log.topics[0];
  const place = (time: bigint): Place => ({
    blockNumber: Number(log.blockNumber),
    blockHash: log.blockHash,
    logIndex: Number(log.logIndex),
    txHash: log.transactionHash,
    ordinal,
    time: new Date(Number(time) * 1000),
  });
  if (topic === BOUGHT || topic === SOLD) {
    const word = words(log.data);
    return {
      kind: topic === BOUGHT ? 'bought' : 'sold',
      trader: addressIn(log.topics[1]),
      agent: addressIn(log.topics[2]),
      amount: Number(word(0)),
      price: word(1),
      protocolFee: word(2),
      agentFee: word(3),
      supply: Number(word(4)),
      ...place(word(5)),
    };
  }
  if (topic === WITHDRAWN) {
    const word = words(log.data);
    return { kind: 'withdrawn', agent: addressIn(log.topics[1]), amount: word(0), ...place(word(1)) };
  }
  if (topic === REGISTERED) {
    const [agent, name, agentId, time] = ticketMarket.decodeEventLog('AgentRegistered', log.data, [...log.topics]);
    return { kind: 'registered', agent: agent.toLowerCase(), name, agentId, ...place(time) };
  }
  return undefined;
}

const words = (data: string) => (index: number) => BigInt(`0x${data.slice(2 + index * 64, 66 + index * 64)}`);
const addressIn = (topic = ''): string => `0x${topic.slice(26)}`.toLowerCase();
