import { type Call, type RpcProvider, RpcUnavailable } from '../rpc.js';
import { decodeFacts, type Fact, type RawLog } from './facts.js';
import { addMissingLogs, type BlockHeader } from './missing-logs.js';

/** A range of blocks: its facts in chain order and the block hashes that identify the fork. */
export type ChainRange = {
  readonly from: number;
  readonly to: number;
  /** Hash of the block before the range. The range can only be applied after that block. */
  readonly parentHash: string;
  readonly endHash: string;
  readonly facts: readonly Fact[];
  /** True if the receipts of every block were read, so that `facts` is complete. */
  readonly complete?: boolean;
};

/** Joins two ranges. null if the second does not start right after the first on the same fork. */
export function joinRanges(first: ChainRange, second: ChainRange): ChainRange | null {
  if (second.from !== first.to + 1 || second.parentHash !== first.endHash) return null;
  const complete = first.complete === true && second.complete === true;
  return {
    ...second,
    from: first.from,
    parentHash: first.parentHash,
    facts: [...first.facts, ...second.facts],
    complete,
  };
}

/** The RPC is reachable but rejects this range as too large. */
export class RangeRefused extends Error {}

type Answer = { readonly result: unknown } | { readonly error: { readonly message?: string } };

/** Ranges of up to this many blocks are read with all headers: their bloom filters reveal omitted logs. */
export const CHECKED_BLOCKS = 16;

const hex = (value: number): string => `0x${value.toString(16)}`;
const headerCall = (block: number | 'finalized'): Call => ({
  method: 'eth_getBlockByNumber',
  params: [typeof block === 'number' ? hex(block) : block, false],
});

/**
 * Reads the logs of a range. The header of the last block is read before and after the logs: a lagging node then reports
 * a missing block instead of an empty list, and a reorg between the calls changes the hash. The header of the first
 * block gives the parent hash. Short ranges are checked for omitted logs; `thorough` trusts no list of logs.
 */
export async function readRange(
  provider: RpcProvider,
  contract: string,
  { from, to }: { readonly from: number; readonly to: number },
  thorough = false,
): Promise<ChainRange> {
  const filter = { address: contract, fromBlock: hex(from), toBlock: hex(to) };
  const logsCall = { method: 'eth_getLogs', params: [filter] };
  const blocks = to - from < CHECKED_BLOCKS ? to - from + 1 : 1;
  const headerCalls = Array.from({ length: blocks }, (_, i) => headerCall(from + i));
  const calls = [headerCall(to), ...headerCalls, logsCall, headerCall(to)];
  const answers = await provider.batchFromOneNode(calls).catch((error) => refuseIfReachable(provider, to, error));
  const end = headerOf(answers[0]);
  if (end === null) throw new RpcUnavailable(`the RPC has no block ${to} yet`);
  const logs = answers[blocks + 1];
  if (logs === undefined || 'error' in logs) throw new RangeRefused(logs?.error.message ?? 'no answer');
  const headers = answers.slice(1, blocks + 1).map(headerOf);
  const headersFound = headers.filter((header) => header !== null);
  const hashes = new Map([...headersFound, end].map(({ number, hash }) => [Number(number), hash]));
  const rangeLogs = logs.result as readonly RawLog[];
  const foreign = rangeLogs.some(({ blockNumber, blockHash }) => {
    const hash = hashes.get(Number(blockNumber));
    return hash !== undefined && hash !== blockHash;
  });
  const broken = headersFound.some((header, i) => i > 0 && header.parentHash !== headersFound[i - 1]?.hash);
  const [start] = headersFound;
  const reorganised =
    foreign || broken || headerOf(answers[blocks + 2])?.hash !== end.hash || hashes.get(to) !== end.hash;
  if (start === undefined || headersFound.length < blocks || reorganised)
    throw new RpcUnavailable('the chain was reorganised while it was read');
  const { logs: all, complete } =
    blocks === to - from + 1
      ? await addMissingLogs(provider, contract, { headers: headersFound, logs: rangeLogs, thorough })
      : { logs: rangeLogs, complete: false };
  return { from, to, parentHash: start.parentHash, endHash: end.hash, facts: decodeFacts(all), complete };
}

/** Throws RangeRefused if the RPC still answers a small call: then the range was too large to answer in time. */
async function refuseIfReachable(provider: RpcProvider, block: number, error: unknown): Promise<never> {
  if (!(error instanceof RpcUnavailable)) throw error;
  await provider.batch([headerCall(block)]);
  throw new RangeRefused(error.message);
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

/** First block at which the contract has code. Needs an archive RPC, unless START_BLOCK is set. */
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

function headerOf(answer: Answer | undefined): BlockHeader | null {
  if (answer === undefined) return null;
  if ('error' in answer) throw new RpcUnavailable(answer.error.message);
  return answer.result as BlockHeader | null;
}
