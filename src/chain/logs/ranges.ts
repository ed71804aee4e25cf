import { type Call, type RpcProvider, RpcUnavailable } from '../rpc.js';
import { type Fact, factsOf, type RawLog } from './events.js';
import { type BlockHeader, withOmitted } from './omissions.js';

/** What happened in a range of blocks: facts in chain order, and the hashes that tell on which fork. */
export type ChainRange = {
  readonly from: number;
  readonly to: number;
  /** Of the block before the range: what the range may follow. */
  readonly parentHash: string;
  readonly endHash: string;
  readonly facts: readonly Fact[];
  /** The receipts of every block were given: a fact that is not among these is none. */
  readonly proven?: boolean;
};

/** Two ranges as one; null if the second does not follow on the very block where the first ends. */
export function joined(first: ChainRange, second: ChainRange): ChainRange | null {
  if (second.from !== first.to + 1 || second.parentHash !== first.endHash) return null;
  const proven = first.proven === true && second.proven === true;
  return {
    ...second,
    from: first.from,
    parentHash: first.parentHash,
    facts: [...first.facts, ...second.facts],
    proven,
  };
}

/** The RPC answers, but not this: the range holds too much for it, in whatever words it says so. */
export class RangeRefused extends Error {}

type Answer = { readonly result: unknown } | { readonly error: { readonly message?: string } };

/** Of so many blocks all headers are read with the logs: their bloom filters show which logs an RPC has left out. */
export const CHECKED_BLOCKS = 16;

const hex = (value: number): string => `0x${value.toString(16)}`;
const headerCall = (block: number | 'finalized'): Call => ({
  method: 'eth_getBlockByNumber',
  params: [typeof block === 'number' ? hex(block) : block, false],
});

/**
 * The logs of a range. The header of its end is asked for before and after them: a node that has not come so far says
 * so, rather than giving no logs, and a reorganisation in between shows. The header of its beginning names the parent.
 * Short ranges are checked for logs that were left out; `thorough` trusts no list of logs.
 */
export async function readRange(
  provider: RpcProvider,
  contract: string,
  from: number,
  to: number,
  thorough = false,
): Promise<ChainRange> {
  const filter = { address: contract, fromBlock: hex(from), toBlock: hex(to) };
  const logsCall = { method: 'eth_getLogs', params: [filter] };
  const blocks = to - from < CHECKED_BLOCKS ? to - from + 1 : 1;
  const headerCalls = Array.from({ length: blocks }, (_, i) => headerCall(from + i));
  const calls = [headerCall(to), ...headerCalls, logsCall, headerCall(to)];
  const answers = await provider.together(calls).catch((error) => tooMuch(provider, to, error));
  const end = headerOf(answers[0]);
  if (end === null) throw new RpcUnavailable(`the RPC has no block ${to} yet`);
  const logs = answers[blocks + 1];
  if (logs === undefined || 'error' in logs) throw new RangeRefused(logs?.error.message ?? 'no answer');
  const headers = answers.slice(1, blocks + 1).map(headerOf);
  const known = headers.filter((header) => header !== null);
  const hashes = new Map([...known, end].map(({ number, hash }) => [Number(number), hash]));
  const given = logs.result as readonly RawLog[];
  const foreign = given.some(({ blockNumber, blockHash }) => {
    const hash = hashes.get(Number(blockNumber));
    return hash !== undefined && hash !== blockHash;
  });
  const broken = known.some((header, i) => i > 0 && header.parentHash !== known[i - 1]?.hash);
  const [start] = known;
  const moved = foreign || broken || headerOf(answers[blocks + 2])?.hash !== end.hash || hashes.get(to) !== end.hash;
  if (start === undefined || known.length < blocks || moved)
    throw new RpcUnavailable('the chain moved while it was read');
  const { logs: all, proven } =
    blocks === to - from + 1
      ? await withOmitted(provider, contract, known, given, thorough)
      : { logs: given, proven: false };
  return { from, to, parentHash: start.parentHash, endHash: end.hash, facts: factsOf(all), proven };
}

/** An RPC that answers, but not this in time, is asked for less. */
async function tooMuch(provider: RpcProvider, block: number, error: unknown): Promise<never> {
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

/** The first block at which the contract has code. Needs an RPC that knows old states; START_BLOCK spares it. */
export async function findDeployBlock(provider: RpcProvider, contract: string): Promise<number> {
  let without = 0;
  let having = await provider.getBlockNumber();
  while (having - without > 1) {
    const middle = Math.floor((having + without) / 2);
    if ((await provider.getCode(contract, middle)) === '0x') without = middle;
    else having = middle;
  }
  return having;
}

function headerOf(answer: Answer | undefined): BlockHeader | null {
  if (answer === undefined) return null;
  if ('error' in answer) throw new RpcUnavailable(answer.error.message);
  return answer.result as BlockHeader | null;
}
