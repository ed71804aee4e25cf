import { type Fact, factsOf, type RawLog } from './events.js';
import { type Call, type RpcProvider, RpcUnavailable } from './rpc.js';

/** What happened in a range of blocks: facts in chain order, and the hashes that tell on which fork. */
export type ChainRange = {
  readonly from: number;
  readonly to: number;
  /** Of the block before the range: what the range may follow. */
  readonly parentHash: string;
  readonly endHash: string;
  readonly facts: readonly Fact[];
};

/** Two ranges as one; null if the second does not follow on the very block where the first ends. */
export function joined(first: ChainRange, second: ChainRange): ChainRange | null {
  if (second.from !== first.to + 1 || second.parentHash !== first.endHash) return null;
  return { ...second, from: first.from, parentHash: first.parentHash, facts: [...first.facts, ...second.facts] };
}

/** The RPC answers, but not this: the range holds too much for it, in whatever words it says so. */
export class RangeRefused extends Error {}

type Answer = { readonly result: unknown } | { readonly error: { readonly message?: string } };
type Header = { readonly hash: string; readonly parentHash: string; readonly number: string };

const hex = (value: number): string => `0x${value.toString(16)}`;
const headerCall = (block: number | 'finalized'): Call => ({
  method: 'eth_getBlockByNumber',
  params: [typeof block === 'number' ? hex(block) : block, false],
});

/**
 * The logs of a range. The header of its end is asked for before and after them: a node that has not come so far says
 * so, rather than giving no logs, and a reorganisation in between shows. The header of its beginning names the parent.
 */
export async function readRange(
  provider: RpcProvider,
  contract: string,
  from: number,
  to: number,
): Promise<ChainRange> {
  const filter = { address: contract, fromBlock: hex(from), toBlock: hex(to) };
  const logsCall = { method: 'eth_getLogs', params: [filter] };
  const calls = [headerCall(to), headerCall(from), logsCall, headerCall(to)];
  const [before, first, logs, after] = await provider.together(calls).catch((error) => tooMuch(provider, to, error));
  const end = headerOf(before);
  if (end === null) throw new RpcUnavailable(`the RPC has no block ${to} yet`);
  if (logs === undefined || 'error' in logs) throw new RangeRefused(logs?.error.message ?? 'no answer');
  const start = headerOf(first);
  const facts = factsOf(logs.result as RawLog[]);
  const foreign = facts.some(({ blockNumber, blockHash }) => blockNumber === to && blockHash !== end.hash);
  if (start === null || foreign || headerOf(after)?.hash !== end.hash) {
    throw new RpcUnavailable('the chain moved while it was read');
  }
  return { from, to, parentHash: start.parentHash, endHash: end.hash, facts };
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

function headerOf(answer: Answer | undefined): Header | null {
  if (answer === undefined) return null;
  if ('error' in answer) throw new RpcUnavailable(answer.error.message);
  return answer.result as Header | null;
}
