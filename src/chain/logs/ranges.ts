import { reasonOf } from '../../observe/outages.js';
import { type RpcCall, type RpcProvider, type RpcReply, RpcUnavailable } from '../rpc.js';
import { decodeFacts, type Fact, type RawLog } from './facts.js';
import { addMissingLogs, type BlockHeader } from './missing-logs.js';

/** A range of blocks: its facts in chain order and the block hashes that identify the fork. */
export type ChainRange = {
  readonly from: number;
  readonly to: number;
  /** Hash of the block before the range. The range can only be applied after that block. */
  readonly parentHash: string;
  readonly endHash: string;
  /** Time of the last block. */
  readonly endTime: Date;
  /** Time of the chain's newest block when the range was read. */
  readonly headTime: Date;
  readonly facts: readonly Fact[];
  /** True if the receipts of every block were read, so that `facts` is complete. */
  readonly complete?: boolean;
};

/** Joins two ranges. null if the second does not start right after the first on the same fork. */
export function joinRanges(first: ChainRange, second: ChainRange): ChainRange | null {
  if (second.from !== first.to + 1 || second.parentHash !== first.endHash) return null;
  const { from, parentHash } = first;
  return { ...second, from, parentHash, facts: [...first.facts, ...second.facts], complete: false };
}

/** The RPC is reachable but rejects this range as too large. */
export class RangeRefused extends Error {}

/** Ranges of up to this many blocks are read with all headers: their bloom filters reveal omitted logs. */
export const CHECKED_BLOCKS = 16;

const hex = (value: number): string => `0x${value.toString(16)}`;
const headerCall = (block: number | 'finalized' | 'latest'): RpcCall => ({
  method: 'eth_getBlockByNumber',
  params: [typeof block === 'number' ? hex(block) : block, false],
});

/**
 * Reads the logs of a range. The header of the last block is read before and after the logs: a lagging node then reports a missing
 * block instead of an empty list, and a reorg between the calls changes the hash. The header of the first block gives the parent
 * hash, and that of the newest block the time of the chain. Short ranges are checked for omitted logs. With `fromReceipts`,
 * receipts are read instead of trusting lists of logs.
 */
export async function readRange(
  provider: RpcProvider,
  contract: string,
  { from, to }: { readonly from: number; readonly to: number },
  fromReceipts = false,
): Promise<ChainRange> {
  const filter = { address: contract, fromBlock: hex(from), toBlock: hex(to) };
  const logsCall = { method: 'eth_getLogs', params: [filter] };
  const isShort = to - from < CHECKED_BLOCKS;
  // In a long range, the header of the last block comes first, so that a reorg before the next header changes its hash at the
  // second reading. If the first block came first, that reorg would stay unnoticed.
  const numbers = isShort ? Array.from({ length: to - from + 1 }, (_, i) => from + i) : [to, from];
  const calls = [headerCall('latest'), ...numbers.map(headerCall), logsCall, headerCall(to)];
  const answers = await provider.batch(calls, { sameNode: true }).catch((error) => refuseIfReachable(provider, to, error));
  const [head, ...headers] = answers.slice(0, numbers.length + 1).map(headerOf);
  const [end, start] = isShort ? [headers.at(-1), headers[0]] : headers;
  if (!end) throw new RpcUnavailable(`the RPC has no block ${to} yet`);
  const [logs, endAgain] = answers.slice(numbers.length + 1);
  if (logs === undefined || 'error' in logs) throw new RangeRefused(logs?.error.message ?? 'no answer');
  const headersFound = headers.filter((header) => header !== null);
  const hashes = new Map(headersFound.map(({ number, hash }) => [Number(number), hash]));
  const rangeLogs = logs.result as readonly RawLog[];
  // Logs of another fork than the headers.
  const foreign = rangeLogs.some(({ blockNumber, blockHash }) => {
    const hash = hashes.get(Number(blockNumber));
    return hash !== undefined && hash !== blockHash;
  });
  // Headers that do not follow one another.
  const broken = isShort && headersFound.some((header, i) => i > 0 && header.parentHash !== headersFound[i - 1]?.hash);
  const reorganised = foreign || broken || headerOf(endAgain)?.hash !== end.hash;
  if (!start || headersFound.length < headers.length || reorganised)
    throw new RpcUnavailable('the chain was reorganised while it was read');
  const { logs: all, complete } = isShort
    ? await addMissingLogs(provider, contract, { headers: headersFound, logs: rangeLogs, fromReceipts })
    : { logs: rangeLogs, complete: false };
  const [parentHash, endHash] = [start.parentHash, end.hash];
  const endTime = timeOf(end);
  const headTime = latestTime(head, endTime);
  return { from, to, parentHash, endHash, endTime, headTime, facts: decodeFacts(all), complete };
}

/**
 * Time of the newest block. A node behind a load balancer may answer with a block before the end of the range, so the later time
 * counts.
 */
const latestTime = (head: BlockHeader | null | undefined, endTime: Date): Date =>
  head && timeOf(head) > endTime ? timeOf(head) : endTime;

const timeOf = ({ timestamp }: BlockHeader): Date => new Date(1000 * Number(timestamp));

/** If the RPC still answers a small call, the range was too large to answer in time, so this throws RangeRefused. */
async function refuseIfReachable(provider: RpcProvider, block: number, error: unknown): Promise<never> {
  if (!(error instanceof RpcUnavailable)) throw error;
  await provider.batch([headerCall(block)]);
  throw new RangeRefused(reasonOf(error));
}

export async function readHashes(provider: RpcProvider, numbers: readonly number[]): Promise<(string | null)[]> {
  if (numbers.length === 0) return [];
  const answers = await provider.batch(numbers.map(headerCall));
  return answers.map((answer) => headerOf(answer)?.hash ?? null);
}

export async function readFinalized(provider: RpcProvider): Promise<number | null> {
  const [answer] = await provider.batch([headerCall('finalized')]);
  if (answer === undefined || 'error' in answer) return null;
  const header = headerOf(answer);
  return header && Number(header.number);
}

/**
 * First block at which the contract has code, found by bisection. This needs an archive RPC. With START_BLOCK, it is not called.
 */
export async function findDeployBlock(provider: RpcProvider, contract: string): Promise<number> {
  let before = 0;
  let deployed = await provider.getBlockNumber();
  while (deployed - before > 1) {
    const middle = Math.floor((deployed + before) / 2);
    if ((await provider.getCode(contract, middle)) === '0x') before = middle;
    else deployed = middle;
  }
  return deployed;
}

function headerOf(answer: RpcReply | undefined): BlockHeader | null {
  if (answer === undefined) return null;
  if ('error' in answer) throw new RpcUnavailable(answer.error.message);
  return answer.result as BlockHeader | null;
}
