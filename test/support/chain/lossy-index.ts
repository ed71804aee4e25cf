import { isDeepStrictEqual } from 'node:util';
import { expect } from 'chai';
import { type Chain, ethersChain } from '../../../src/chain/chain.js';
import { ticketMarket } from '../../../src/chain/contract-interface.js';
import { RpcProvider } from '../../../src/chain/rpc.js';
import type { Deps } from '../../../src/deps.js';
import { readCursor } from '../../../src/index/cursor.js';
import { Indexer, type IndexerOptions } from '../../../src/index/indexer.js';
import { oracle } from '../market/oracle.js';
import { startTraffic, type Traffic } from '../market/traffic.js';
import { eventually } from '../service/process.js';
import { type ManualTimes, manualTimes, testTimes } from '../times.js';
import type { World } from '../world.js';
import { CHAIN_ID } from './chain.js';
import { storedFacts } from './facts.js';
import { alone, emptyIndex, together } from './indexed.js';
import { type Log, Relay } from './relay.js';

const MINED_AT_ONCE = 100;
export const topicOf = (name: string): string => ticketMarket.getEvent(name)?.topicHash ?? '';

/**
 * Sets up an empty index and new traffic for each test of a suite. Its functions open RPC URLs that may omit logs, and indexers.
 */
export function useLossyIndex(world: World) {
  const opened: { stop(): unknown }[] = [];
  const suite = {} as { traffic: Traffic; times: ManualTimes };
  // Each test trades at random with the next seed.
  let seed = 40;

  beforeEach(async () => {
    await world.chain.reset();
    await emptyIndex(world.deps);
    suite.traffic = await startTraffic(world.chain, ++seed);
    suite.times = manualTimes();
    world.logged.length = 0;
  });
  afterEach(async () => {
    // In reverse order, so that an indexer stops before the RPC URLs that it reads.
    for (const one of opened.splice(0).reverse()) await one.stop();
  });

  const head = (): Promise<number> => world.deps.chain.blockNumber();
  /** The log lines whose message contains the text. */
  const said = (text: string) => world.logged.filter(({ msg }) => String(msg).includes(text));
  /** Whether the index equals what `oracle` computes from the chain. */
  const isWhole = async (): Promise<boolean> => {
    const { facts } = await world.deps.chain.range(1, await head());
    return isDeepStrictEqual(await storedFacts(world.deps), oracle(facts));
  };
  const waitFor = (what: () => Promise<boolean> | boolean): Promise<void> =>
    eventually(what, async () => `the cursor is ${JSON.stringify(await readCursor(world.deps))}`);
  /**
   * Waits until the condition holds. Before each check, it turns the timer of the indexer by a second, which is its poll interval.
   */
  const until = (what: () => Promise<boolean> | boolean): Promise<void> =>
    waitFor(() => {
      suite.times.advance(1000);
      return what();
    });
  return Object.assign(suite, {
    head,
    waitFor,
    until,
    said,
    isWhole,
    /** Mines in small steps, because a call that mines many blocks would time out. */
    async mine(blocks: number): Promise<void> {
      for (let left = blocks; left > 0; left -= MINED_AT_ONCE) {
        await world.chain.provider.send('anvil_mine', [`0x${Math.min(left, MINED_AT_ONCE).toString(16)}`]);
      }
    },

    /** Returns the chain as read over this number of new relays. `node` is the first relay. */
    async over(count: number): Promise<{ chain: Chain; nodes: Relay[]; node: Relay }> {
      const nodes: Relay[] = [];
      for (let i = 0; i < count; i++) nodes.push(await Relay.start(world.chain.rpcUrl));
      const urls = nodes.map(({ url }) => url);
      const provider = new RpcProvider(urls, CHAIN_ID, testTimes);
      opened.push(...nodes, { stop: () => provider.destroy() });
      const chain = ethersChain(provider, { ...world.chain, chainId: CHAIN_ID });
      return { chain, nodes, node: nodes[0] as Relay };
    },

    /** Starts an indexer for the world's database, which runs until the end of the test. Its timer moves only in `until`. */
    start(parts: Partial<Deps> = {}, options: Partial<IndexerOptions> = {}): Indexer {
      const deps = { ...world.deps, times: suite.times, ...parts };
      const indexer = new Indexer(deps, { leadership: alone, pollMs: 1000, ...options });
      opened.push(indexer);
      return indexer;
    },

    together: () => together(world.chain, suite.traffic),

    /** Waits until the index equals what `oracle` computes from the chain. */
    async becomesWhole(): Promise<void> {
      await until(isWhole);
      expect((await readCursor(world.deps)).fault).to.equal(null);
      expect(said('npm run reindex')).to.deep.equal([]);
    },
  });
}

/**
 * Returns a function that selects all logs of the first transaction with a log after the given block. `found` remembers its hash.
 */
export function firstAfter(block: number) {
  const found: { hash?: string } = {};
  const omits = (log: Log): boolean => {
    if (Number(log.blockNumber) > block) found.hash ??= String(log.transactionHash);
    return log.transactionHash === found.hash;
  };
  return { found, omits };
}

/** Returns a log with another supply if it is the log of a purchase. Other logs stay the same. */
export function withSupply(log: Log, supply: number): Log {
  const data = String(log.data);
  if ((log.topics as string[])[0] !== topicOf('TicketsBought')) return log;
  // The data are 0x and words of 64 digits. The supply is the fifth word.
  return { ...log, data: data.slice(0, 2 + 4 * 64) + supply.toString(16).padStart(64, '0') + data.slice(2 + 5 * 64) };
}
