import type { Wei } from '../../money.js';
import { ticketMarket } from '../contract-interface.js';

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
export const FACT_TOPICS: readonly string[] = [REGISTERED, BOUGHT, SOLD, WITHDRAWN];

/**
 * The facts in a list of logs of the contract, in chain order. The list must hold every log of the contract in each
 * transaction (no topic filter), since the ordinal counts them all.
 */
export function factsOf(logs: readonly RawLog[]): Fact[] {
  const placed = logs.map((log) => ({ log, block: Number(log.blockNumber), index: Number(log.logIndex) }));
  placed.sort((a, b) => a.block - b.block || a.index - b.index);
  const facts: Fact[] = [];
  const seen: Seen = { addresses: new Map(), time: new Date(0) };
  let txHash = '';
  let ordinal = 0;
  for (const { log, block, index } of placed) {
    ordinal = log.transactionHash === txHash ? ordinal + 1 : 0;
    txHash = log.transactionHash;
    const fact = factOf(log, block, index, ordinal, seen);
    if (fact) facts.push(fact);
  }
  return facts;
}

/** What comes up again and again in a list of logs is made once: less to collect, and quicker to look up by. */
type Seen = { readonly addresses: Map<string, string>; time: Date };

/** Fixed layouts, decoded by hand: a general decoder costs three hundred times as much, which a backfill feels. */
function factOf(log: RawLog, blockNumber: number, logIndex: number, ordinal: number, seen: Seen): Fact | undefined {
  const { blockHash, transactionHash: txHash, topics, data } = log;
  const topic = topics[0];
  if (topic === BOUGHT || topic === SOLD) {
    return {
      kind: topic === BOUGHT ? 'bought' : 'sold',
      trader: addressIn(topics[1], seen),
      agent: addressIn(topics[2], seen),
      amount: smallIn(data, 0),
      price: wordIn(data, 1),
      protocolFee: wordIn(data, 2),
      agentFee: wordIn(data, 3),
      supply: smallIn(data, 4),
      blockNumber,
      blockHash,
      logIndex,
      txHash,
      ordinal,
      time: timeOf(smallIn(data, 5), seen),
    };
  }
  const place = (time: number): Place => ({
    blockNumber,
    blockHash,
    logIndex,
    txHash,
    ordinal,
    time: timeOf(time, seen),
  });
  if (topic === WITHDRAWN) {
    return {
      kind: 'withdrawn',
      agent: addressIn(topics[1], seen),
      amount: wordIn(data, 0),
      ...place(smallIn(data, 1)),
    };
  }
  if (topic === REGISTERED) {
    const [agent, name, agentId, time] = ticketMarket.decodeEventLog('AgentRegistered', data, [...topics]);
    return { kind: 'registered', agent: agent.toLowerCase(), name, agentId, ...place(Number(time)) };
  }
  return undefined;
}

const textOf = (data: string, index: number): string => `0x${data.slice(2 + index * 64, 66 + index * 64)}`;
const wordIn = (data: string, index: number): bigint => BigInt(textOf(data, index));
/** A number that the contract keeps small: of amounts, supplies and times. */
const smallIn = (data: string, index: number): number => Number(textOf(data, index));

function timeOf(seconds: number, seen: Seen): Date {
  if (seen.time.getTime() !== seconds * 1000) seen.time = new Date(seconds * 1000);
  return seen.time;
}

function addressIn(topic = '', { addresses }: Seen): string {
  let address = addresses.get(topic);
  if (address === undefined) {
    address = `0x${topic.slice(26)}`.toLowerCase();
    addresses.set(topic, address);
  }
  return address;
}
