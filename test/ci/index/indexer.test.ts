import { expect } from 'chai';
import { type Heads, headUrls, watchHeads } from '../../../src/chain/heads.js';
import { readCursor } from '../../../src/index/cursor.js';
import { markOutage } from '../../../src/observe/database-errors.js';
import { alone, expectWholeIndex, indexAll } from '../../support/chain/indexed.js';
import { useLossyIndex } from '../../support/chain/lossy-index.js';
import { type Behaviour, type Call, drops, replies, says, status } from '../../support/chain/node.js';
import { runSql } from '../../support/store.js';
import { testTimes } from '../../support/times.js';
import { useWorld } from '../../support/world.js';

describe('the indexer', () => {
  const world = useWorld();
  const suite = useLossyIndex(world);
  const { start, head, mine, said, waitFor, until } = suite;
  const hasReached = async (block: number) => (await readCursor(world.deps)).blockNumber >= block;
  const reaches = (block: number) => until(() => hasReached(block));
  /**
   * Waits for the next pause, checks its length, and ends it. Two pauses follow each round: a tenth of the poll interval (100 ms),
   * and then 1,000 ms, or 5,000 ms while blocks are announced, or 2,000 ms while this process reads none.
   */
  async function rests(milliseconds: number): Promise<void> {
    const { times } = suite;
    await waitFor(() => times.waiting.length > 0);
    expect(times.waiting).to.deep.equal([milliseconds]);
    times.advance(milliseconds);
  }

  /** Checks the index up to block `to`, and that the chain has more than 30 facts, so that the check means something. */
  async function expectWhole(to?: number): Promise<void> {
    expect((await expectWholeIndex(world.deps, to)).length).to.be.greaterThan(30);
  }

  it('reads a block as soon as the RPC announces it', async () => {
    let heads: Heads | undefined;
    const watch = (onHead: () => void) => {
      heads = watchHeads(headUrls([world.chain.rpcUrl]), onHead, testTimes);
      return heads;
    };
    start({}, { watch });
    await waitFor(() => heads?.live() === true && suite.times.waiting.length > 0);
    for (let i = 0; i < 5; i++) {
      await mine(1);
      // Only the shortest pause between two turns passes, so the index reads the block without waiting for the next poll.
      await rests(100);
      await waitFor(async () => hasReached(await head()));
    }
  });

  for (const [live, interval] of [
    [false, 1000],
    [true, 5000],
  ] as const) {
    it(`polls every ${interval} ms while the subscription to blocks is ${live ? 'silent' : 'dead'}`, async () => {
      start({}, { watch: () => ({ live: () => live, close: () => {} }) });
      await rests(100);
      await mine(1);
      await rests(interval);
      await waitFor(async () => hasReached(await head()));
    });
  }

  it('subscribes to blocks only while it leads and the index has not stopped', async () => {
    let leads = true;
    const listening: boolean[] = [];
    const watch = () => {
      listening.push(true);
      return { live: () => true, close: () => listening.push(false) };
    };
    start({}, { leadership: { lead: async () => leads, close: async () => {} }, watch });
    await rests(100);
    leads = false;
    await rests(5000);
    await rests(100);
    leads = true;
    await rests(2000);
    await rests(100);
    await runSql(world.deps, 'update indexer_cursor set fault = $1', ['a reason']);
    for (const rest of [5000, 100, 2000, 100, 2000, 100]) await rests(rest);
    expect(listening).to.deep.equal([true, false, true, false]);
    await runSql(world.deps, 'update indexer_cursor set fault = null');
    // The first round after the stop does not subscribe yet, so a pause of 1,000 ms follows it.
    for (const rest of [2000, 100, 1000, 100]) await rests(rest);
    expect(listening).to.deep.equal([true, false, true, false, true]);
  });

  it('lags the head by the configured number of confirmations', async () => {
    await suite.traffic.act(40);
    const behind = (await head()) - 3;
    start({ config: { ...world.deps.config, confirmations: 3 } });
    await rests(100);
    await rests(1000);
    await rests(100);
    expect((await readCursor(world.deps)).blockNumber).to.equal(behind);
    await expectWhole(behind);
    await mine(2);
    await reaches(behind + 2);
  });

  /** Number of blocks in the largest range that the RPC accepts below. */
  const LIMIT = 6;
  const tooWide = ({ params: [filter] }: Call): boolean => {
    const { fromBlock, toBlock } = filter as { fromBlock: string; toBlock: string };
    return Number(toBlock) - Number(fromBlock) + 1 > LIMIT;
  };
  const wide = (calls: Call[]): boolean => calls.some((call) => call.method === 'eth_getLogs' && tooWide(call));
  // An arbitrary header, as the result of the other calls.
  const header = { hash: `0x${'1'.repeat(64)}`, parentHash: `0x${'2'.repeat(64)}`, number: '0x1' };
  const errorInList = (message: string, code: number) =>
    replies(({ method }) => (method === 'eth_getLogs' ? { error: { code, message } } : { result: header }));
  const nobody = '{"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"no"}}';
  const refusals: Record<string, { wide: Behaviour; batch?: Behaviour }> = {
    'reports too many results': { wide: errorInList('query returned more than 10000 results', -32005) },
    'returns an unknown error': { wide: errorInList('Ce n’est pas possible.', 42) },
    'answers 413': { wide: status(413, 'Payload Too Large') },
    'returns an error without an id': { wide: says(nobody) },
    'drops the connection': { wide: drops },
    'refuses batches too': { wide: errorInList('exceed maximum block range', -32602), batch: says(nobody) },
  };
  for (const [what, refusal] of Object.entries(refusals)) {
    it(`finds the largest range of an RPC that ${what}`, async () => {
      await suite.traffic.act(40);
      let refused = 0;
      const { chain, node } = await suite.over(1);
      node.overrides = (calls) => {
        if (calls.length === 1 && wide(calls)) refused++;
        return (calls.length > 1 ? refusal.batch : undefined) ?? (wide(calls) ? refusal.wide : undefined);
      };
      start({ chain });
      await reaches(await head());
      await expectWhole();
      // The number of refused requests is small, because the index does not repeat them.
      expect(refused).to.be.lessThan(40);
      await indexAll({ ...world.deps, chain });
      expect(said('indexing failed')).to.deep.equal([]);
    });
  }

  it('logs an outage of the chain again after the database was unavailable meanwhile', async () => {
    // Level 40: the chain is unavailable. Level 30: it no longer causes the failures.
    const lines = () => world.logged.filter(({ part }) => part === 'chain').map(({ level }) => level);
    let isDatabaseAway = false;
    const lead = async () => {
      if (isDatabaseAway) throw markOutage(new Error('connect ECONNREFUSED'), 'DATABASE_UNAVAILABLE');
      return true;
    };
    const { chain, node } = await suite.over(1);
    node.overrides = () => drops;
    start({ chain }, { leadership: { lead, close: async () => {} } });
    await until(() => lines().length === 1);
    isDatabaseAway = true;
    await until(() => lines().length === 2);
    isDatabaseAway = false;
    await until(() => lines().length === 3);
    expect(lines()).to.deep.equal([40, 30, 40]);
  });

  it('stops immediately whatever it waits for', async () => {
    let hanging = 0;
    const hangs = () => new Promise<never>(() => hanging++);
    const { chain } = world.deps;
    for (const name of ['blockNumber', 'hashes', 'range'] as const) {
      const indexer = start({ chain: { ...chain, [name]: hangs } });
      await waitFor(() => hanging > 0);
      await indexer.stop();
      hanging = 0;
    }
    await start({}, { leadership: { ...alone, lead: hangs } }).stop();
    const indexer = start();
    await rests(100);
    await waitFor(() => suite.times.waiting.length > 0);
    await indexer.stop();
    expect(suite.times.waiting).to.deep.equal([]);
    expect(said('indexing failed')).to.deep.equal([]);
  });
});
