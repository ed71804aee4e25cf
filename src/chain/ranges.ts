import { type Fact, factsOf, type RawLog } from './events.js';
import { type RpcProvider, RpcUnavailable } from './rpc.js';

/** What happened in a range of blocks: facts in chain order, and the hash of its last block. */
export type ChainRange = {
  readonly from: number;
  readonly to: number;
  readonly endHash: string;
  readonly facts: readonly Fact[];
};

/** The RPC answers, but not this: the range holds too much for it, in whatever words it says so. */
export class RangeRefused extends Error {}

type Answer = { readonly result: unknown } | { readonly error: { readonly message?: string } };
type Header = { readonly hash: string; readonly number: string } | null;

const hex = (value: number): string => `0x${value.toString(16)}`;

/**
 * The logs of a range. The header of its end is asked for before and after them in the same batch: a node that has not
 * come so far says so, rather than giving no logs, and a reorganisation in between shows.
 */
export async function readRange(
  provider: RpcProvider,
  contract: string,
  from: number,
  to: number,
): Promise<ChainRange> {
  const header = { method: 'eth_getBlockByNumber', params: [hex(to), false] };
  const filter = { address: contract, fromBlock: hex(from), toBlock: hex(to) };
  const [before, logs, after] = await provider.batch([header, { method: 'eth_getLogs', params: [filter] }, header]);
  if (logs === undefined || 'error' in logs) throw new RangeRefused(logs?.error.message ?? 'no answer');
  const [start, end] = [headerOf(before), headerOf(after)];
  if (start === null || start.hash !== end?.hash) throw new RpcUnavailable('the chain moved while it was read');
  return { from, to, endHash: start.hash, facts: factsOf(logs.result as RawLog[]) };
}

export async function readHashes(provider: RpcProvider, numbers: readonly number[]): Promise<(string | null)[]> {
  if (numbers.length === 0) return [];
  const answers = await provider.batch(
    numbers.map((number) => ({ method: 'eth_getBlockByNumber', params: [hex(number), false] })),
  );
  return answers.map((answer) => headerOf(answer)?.hash ?? null);
}

export async function readFinalized(provider: RpcProvider): Promise<number | null> {
  const [answer] = await provider.batch([{ method: 'eth_getBlockByNumber', params: ['finalized', false] }]);
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

function headerOf(answer: Answer | undefined): Header {
  if (answer === undefined) return null;
  if ('error' in answer) throw new RpcUnavailable(answer.error.message);
  return answer.result as Header;
}
