// Nightly: it depends on real time.

import { expect } from 'chai';
import { headUrls, watchHeads } from '../../src/chain/heads.js';
import { ethersMarket } from '../../src/chain/market.js';
import { RpcProvider } from '../../src/chain/rpc.js';
import { ensureCursor, readCursor } from '../../src/core/trading/commands/cursor.js';
import { applyRange, catchUp } from '../../src/core/trading/commands/ingest.js';
import type { Deps } from '../../src/deps.js';
import { type Indexer, type IndexerOptions, startIndexer } from '../../src/jobs/indexer.js';
import { type Behaviour, type Call, drops, FakeNode, json, says, status } from '../chain/node.js';
import { CHAIN_ID } from '../support/chain/chain.js';
import { storedFacts } from '../support/chain/facts.js';
import { emptyTables, testDatabase } from '../support/database.js';
import { oracle } from '../support/market/oracle.js';
import { startTraffic, type Traffic } from '../support/market/traffic.js';
import { eventually } from '../support/service/process.js';
import { runSql } from '../support/store.js';
import { testTimes } from '../support/times.js';
import { useWorld } from '../support/world.js';

const alone = { lead: async () => true, close: async () => {} };

describe('the indexer', () => {
  const world = useWorld();
  const running: Indexer[] = [];
  const nodes: FakeNode[] = [];
  const providers: RpcProvider[] = [];
  let traffic: Traffic;

  before(async () => {
    traffic = await startTraffic(world.chain, 7);
    await traffic.act(40);
  });
  beforeEach(async () => {
    const { orm } = await testDatabase();
    await emptyTables(orm);
    await ensureCursor(world.deps, async () => 1);
    world.logged.length = 0;
  });
  afterEach(async () => {
    for (const indexer of running.splice(0)) await indexer.stop();
    for (const provider of providers.splice(0)) provider.destroy();
    for (const node of nodes.splice(0)) await node.stop();
  });

  const start = (deps: Partial<Deps> = {}, options: Partial<IndexerOptions> = {}): Indexer => {
    const indexer = startIndexer({ ...world.deps, ...deps }, { leadership: alone, pollMs: 20, ...options });
    running.push(indexer);
    return indexer;
  };
  const head = (): Promise<number> => world.deps.market.blockNumber();
  const mine = (blocks: number) => world.chain.provider.send('anvil_mine', [`0x${blocks.toString(16)}`]);
  const said = (text: string) => world.logged.filter(({ msg }) => String(msg).includes(text));

  const until = (what: () => Promise<boolean> | boolean): Promise<void> =>
    eventually(what, async () => `the cursor is ${JSON.stringify(await readCursor(world.deps))}`);
  const reaches = (block: number) => until(async () => (await readCursor(world.deps)).blockNumber >= block);

  async function expectWhole(to?: number): Promise<void> {
    const { facts } = await world.deps.market.range(1, to ?? (await head()));
    expect(facts.length).to.be.greaterThan(30);
    expect(await storedFacts(world.deps)).to.deep.equal(oracle(facts));
  }

  /** The chain behind a fake node that may change its answers. */
  async function through(does: (calls: Call[], list: boolean) => Behaviour | undefined) {
    const node = await FakeNode.start((response, calls, request) => {
      const override = does(calls, calls.length > 1);
      if (override) return override(response, calls, request);
      const body = JSON.stringify(calls.map((call) => ({ jsonrpc: '2.0', ...call })));
      fetch(world.chain.rpcUrl, { method: 'POST', headers: { 'content-type': 'application/json' }, body })
        .then(async (answer) => json(response, (await answer.json()) as unknown[]))
        .catch(() => response.destroy());
    });
    nodes.push(node);
    const provider = new RpcProvider([node.url], CHAIN_ID);
    providers.push(provider);
    return { node, market: ethersMarket(provider, { ...world.chain, chainId: CHAIN_ID }) };
  }

  it('reads a block as soon as the RPC announces it, and polls when the RPC announces none', async () => {
    const announced = {
      pollMs: 1000,
      watch: (onHead: () => void) => watchHeads(headUrls([world.chain.rpcUrl]), onHead, testTimes),
    };
    start({}, announced);
    await reaches(await head());
    const times: number[] = [];
    for (let i = 0; i < 5; i++) {
      // The pause is longer than the minimum interval between two polls.
      await new Promise((resolve) => setTimeout(resolve, 300));
      const since = performance.now();
      await mine(1);
      await reaches(await head());
      times.push(performance.now() - since);
    }
    expect(times.sort((a, b) => a - b)[2]).to.be.below(500);
    const dead = { live: () => false, close: () => {} };
    await running.pop()?.stop();
    start({}, { pollMs: 100, watch: () => dead });
    await mine(1);
    await reaches(await head());
  });

  it('subscribes to blocks only while it leads and the index has not stopped', async () => {
    let leads = true;
    const listening: boolean[] = [];
    const watch = () => {
      listening.push(true);
      return { live: () => true, close: () => listening.push(false) };
    };
    start({}, { pollMs: 1, leadership: { lead: async () => leads, close: async () => {} }, watch });
    await until(() => listening.length === 1);
    leads = false;
    await until(() => listening.length === 2);
    leads = true;
    await until(() => listening.length === 3);
    await runSql(world.deps, 'update indexer_cursor set fault = $1', ['a reason']);
    await until(() => listening.length === 4);
    expect(listening).to.deep.equal([true, false, true, false]);
  });

  it('backfills old blocks and then follows the head', async () => {
    start();
    await reaches(await head());
    await expectWhole();
    await traffic.act(5);
    await reaches(await head());
    await expectWhole();
  });

  it('lags the head by the configured number of confirmations', async () => {
    const behind = (await head()) - 3;
    start({ config: { ...world.deps.config, confirmations: 3 } });
    await reaches(behind);
    await new Promise((resolve) => setTimeout(resolve, 100));
    expect((await readCursor(world.deps)).blockNumber).to.equal(behind);
    await expectWhole(behind);
    await mine(2);
    await reaches(behind + 2);
  });

  const LIMIT = 6;
  const tooWide = ({ params: [filter] }: Call): boolean => {
    const { fromBlock, toBlock } = filter as { fromBlock: string; toBlock: string };
    return Number(toBlock) - Number(fromBlock) + 1 > LIMIT;
  };
  const wide = (calls: Call[]): boolean => calls.some((call) => call.method === 'eth_getLogs' && tooWide(call));
  const errorInList =
    (message: string, code: number): Behaviour =>
    (response, calls) => {
      const header = { hash: `0x${'1'.repeat(64)}`, parentHash: `0x${'2'.repeat(64)}`, number: '0x1' };
      const reply = ({ id, method }: Call) =>
        method === 'eth_getLogs'
          ? { id, jsonrpc: '2.0', error: { code, message } }
          : { id, jsonrpc: '2.0', result: header };
      json(response, calls.map(reply));
    };
  const nobody = '{"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"no"}}';
  const refusals: Record<string, (calls: Call[], list: boolean) => Behaviour | undefined> = {
    'reports too many results': (calls) =>
      wide(calls) ? errorInList('query returned more than 10000 results', -32005) : undefined,
    'returns an unknown error': (calls) => (wide(calls) ? errorInList('Ce n’est pas possible.', 42) : undefined),
    'answers 413': (calls) => (wide(calls) ? status(413, 'Payload Too Large') : undefined),
    'returns an error without an id': (calls) => (wide(calls) ? says(nobody) : undefined),
    'drops the connection': (calls) => (wide(calls) ? drops : undefined),
    'refuses batches too': (calls, list) =>
      list ? says(nobody) : wide(calls) ? errorInList('exceed maximum block range', -32602) : undefined,
  };
  for (const [what, does] of Object.entries(refusals)) {
    it(`finds the largest range of an RPC that ${what}`, async () => {
      let refused = 0;
      const { market } = await through((calls, list) => {
        const override = does(calls, list);
        if (override && wide(calls) && !list) refused++;
        return override;
      });
      start({ market });
      await reaches(await head());
      await expectWhole();
      // The index does not repeat refused requests.
      expect(refused).to.be.lessThan(40);
      expect(await catchUp({ ...world.deps, market }, await head())).to.equal(true);
      expect(said('indexing failed')).to.deep.equal([]);
    });
  }

  it('waits while the chain is unreachable, logs it once, and continues', async () => {
    let away = true;
    const { market } = await through(() => (away ? drops : undefined));
    start({ market });
    await until(() => said('unreachable').length > 0);
    await new Promise((resolve) => setTimeout(resolve, 2500));
    away = false;
    await reaches(await head());
    await until(() => said('reachable again').length > 0);
    expect(said('unreachable')).to.have.length(1);
    expect(said('indexing failed')).to.deep.equal([]);
    await expectWhole();
  });

  it('stops immediately whatever it waits for', async () => {
    const hangs = () => new Promise<never>(() => {});
    const { market } = world.deps;
    const waiting = [
      ...(['blockNumber', 'hashes', 'range'] as const).map((name) => ({ market: { ...market, [name]: hangs } })),
      {},
    ];
    for (const deps of waiting) {
      const indexer = start(deps);
      await new Promise((resolve) => setTimeout(resolve, 60));
      const before = Date.now();
      await indexer.stop();
      expect(Date.now() - before).to.be.lessThan(500);
    }
    const indexer = startIndexer(world.deps, { leadership: { lead: hangs, close: async () => {} }, pollMs: 20 });
    const before = Date.now();
    await indexer.stop();
    expect(Date.now() - before).to.be.lessThan(500);
    expect(said('indexing failed')).to.deep.equal([]);
  });

  it('stops the index after repeated contradictions with the chain', async () => {
    expect(await catchUp(world.deps, await head())).to.equal(true);
    await runSql(world.deps, 'delete from ticket_holding');
    await runSql(world.deps, 'update market set supply = supply + 1');
    await traffic.act(3);
    start({ config: { ...world.deps.config, START_BLOCK: 7 } });
    await until(async () => (await readCursor(world.deps)).fault !== null);
    expect((await readCursor(world.deps)).fault).to.match(
      /contradicts the index .*npm run reindex from a START_BLOCK \(now 7\) before the contract's block/,
    );
    expect(said('indexing failed')).to.have.length(5);
    const { blockNumber } = await readCursor(world.deps);
    const next = await world.deps.market.range(blockNumber + 1, await head());
    expect(await applyRange(world.deps, next)).to.equal(false);
  });
});
