import { type Fact, factsOf, type RawLog } from './events.js';
import { type RpcProvider, RpcUnavailable } from './rpc.js';

/** What happened in a range of blocks: facts in chain order, and the hashes that tell on which fork. */
export type ChainRange = {
  readonly from: number;
  readonly to: number;
  /** Of the block before the range: what the range may follow. */
  readonly parentHash: string;
  readonly endHash: string;
  readonly facts: readonly Fact[];
};

/** The RPC answers, but not this: the range holds too much for it, in whatever words it says so. */
export class RangeRefused extends Error {}

type Call = { readonly method: string; readonly params: unknown[] };
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
  const answers = await ask(provider, [headerCall(to), headerCall(from), logsCall, headerCall(to)]);
  const [before, first, logs, after] = answers;
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

export async function readHashes(provider: RpcProvider, numbers: readonly number[]): Promise<(string | null)[]> {
  if (numbers.length === 0) return [];
  const answers = await ask(provider, numbers.map(headerCall));
  return answers.map((answer) => headerOf(answer)?.hash ?? null);
}

export async function readFinalized(provider: RpcProvider): Promise<number | null> {
  const [answer] = await ask(provider, [headerCall('finalized')]);
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

/**
 * Several calls in one request, so that one node answers them all. An RPC may refuse the request as a whole: for what
 * one of its calls asks, or because it takes no lists. Then it is asked one by one: what it still does not answer
 * counts as refused, unless that is the very first.
 */
async function ask(provider: RpcProvider, calls: readonly Call[]): Promise<Answer[]> {
  if (calls.length > 1) {
    try {
      return await provider.batch(calls);
    } catch (error) {
      if (!(error instanceof RpcUnavailable)) throw error;
    }
  }
  const answers: Answer[] = [];
  for (const call of calls) {
    try {
      answers.push(...(await provider._send({ ...call, id: 0, jsonrpc: '2.0' })));
    } catch (error) {
      if (!(error instanceof RpcUnavailable) || answers.length === 0) throw error;
      answers.push({ error: { message: error.message } });
    }
  }
  return answers;
}

function headerOf(answer: Answer | undefined): Header | null {
  if (answer === undefined) return null;
  if ('error' in answer) throw new RpcUnavailable(answer.error.message);
  return answer.result as Header | null;
}
