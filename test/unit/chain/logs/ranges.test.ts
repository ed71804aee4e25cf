import { expect } from 'chai';
import { RangeRefused, readRange } from '../../../../src/chain/logs/ranges.js';
import { type RpcProvider, RpcUnavailable } from '../../../../src/chain/rpc.js';

const CONTRACT = `0x${'c0'.repeat(20)}`;
const HEAD = 300;
type Call = { readonly method: string; readonly params: readonly unknown[] };
type Fork = 'a' | 'b';

/** The hash of a block: the forks differ in every block. */
const hashOf = (fork: Fork, block: number): string => `0x${fork.repeat(32)}${block.toString(16).padStart(32, '0')}`;

const headerIn = (fork: Fork, block: number) => ({
  number: `0x${block.toString(16)}`,
  hash: hashOf(fork, block),
  parentHash: hashOf(fork, block - 1),
  timestamp: '0x5',
  logsBloom: `0x${'0'.repeat(512)}`,
});

/** A node that answers the first `before` calls of a batch from fork a and the others from fork b, as if a reorg came between. */
function reorganisedAfter(before: number): RpcProvider {
  const answer = ({ method, params: [block] }: Call, i: number) => {
    if (method === 'eth_getLogs') return { result: [] };
    return { result: headerIn(i < before ? 'a' : 'b', block === 'latest' ? HEAD : Number(block)) };
  };
  return { batch: async (calls: readonly Call[]) => calls.map(answer) } as unknown as RpcProvider;
}

describe('the reading of a range of blocks', () => {
  for (const [from, to] of [
    [100, 100],
    [100, 110],
    [100, 200],
  ] as const) {
    it(`never mixes two forks when a reorg happens between two calls, in blocks ${from} to ${to}`, async () => {
      const outcomes = new Set<string>();
      // At 0, fork b answers all calls. At the end, `before` exceeds the number of calls, so fork a answers all of them.
      for (let before = 0; before <= to - from + 5; before++) {
        const range = await readRange(reorganisedAfter(before), CONTRACT, { from, to }).catch((error: unknown) => error);
        if (range instanceof RpcUnavailable) {
          outcomes.add('refused');
          continue;
        }
        const { parentHash, endHash } = range as Awaited<ReturnType<typeof readRange>>;
        const fork = endHash === hashOf('a', to) ? 'a' : 'b';
        expect({ parentHash, endHash }, `after ${before} calls`).to.deep.equal({
          parentHash: hashOf(fork, from - 1),
          endHash: hashOf(fork, to),
        });
        outcomes.add(fork);
      }
      expect([...outcomes].sort()).to.deep.equal(['a', 'b', 'refused']);
    });
  }

  it('is refused with the reason when only its own calls fail', async () => {
    const batch = async (calls: readonly Call[]) => {
      if (calls.length > 1) throw new RpcUnavailable('HTTP 504');
      return [{ result: headerIn('a', HEAD) }];
    };
    const range = readRange({ batch } as unknown as RpcProvider, CONTRACT, { from: 1, to: HEAD });
    const error = await range.catch((thrown: unknown) => thrown);
    expect(error).to.be.instanceOf(RangeRefused).and.include({ message: 'HTTP 504' });
  });
});
