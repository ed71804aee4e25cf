import { TIMES } from '../../src/config/timeouts.js';
import { openDatabase } from '../../src/service/orm.js';
import { migrate } from '../../src/store/database.js';
import { openSql } from '../../src/store/sql.js';
import { eventId, tradeKey } from '../../src/values/trade.js';
import { createDatabase, dropDatabase } from '../dataset/databases.js';
import { CHAIN_ID } from '../dataset/fill.js';
import { nameOf, walletOf } from '../dataset/people.js';
import { storeProfiles } from '../dataset/profiles.js';
import { calendar } from '../dataset/time.js';
import { type LiveChain, startLiveChain } from '../support/chain.js';
import { quantile } from '../support/figures.js';
import { root } from '../support/product.js';
import type { Line, Options, Row } from '../support/result.js';
import { node, startServer } from '../support/servers.js';
import { stopAll } from '../support/stops.js';
import { type Subscriber, subscribe } from '../support/subscribers.js';

const AGENTS = 50;
/** Number of subscribers to the events of each agent. */
const EACH = 18;
/** Number of subscribers to the events of all agents. */
const OF_ALL = 100;
/** Number of trades per second. */
const PER_SECOND = 50;

const query = `subscription Live($agent: AgentRef) { feedEvent(agent: $agent) {
  sequence event { id type agentAddress createdAt ... on TradeEvent { amount price trader { name } } } } }`;

/** Creates a database with the profiles of agents that are then registered on the chain. */
async function prepare(options: Options, name: string, chain: LiveChain): Promise<string> {
  const url = await createDatabase(options.server, name);
  const orm = await openDatabase({ url }, { times: TIMES });
  try {
    await migrate(orm, { url });
    const size = { agents: AGENTS, trades: 0, holdings: 0, heavyTrades: 0 };
    await storeProfiles(await openSql(orm), size, calendar(size, new Date()));
  } finally {
    await orm.close(true);
  }
  for (let agent = 0; agent < AGENTS; agent++) {
    const wallet = walletOf(agent);
    await chain.open(wallet);
    const id = nameOf(agent).toLowerCase().replaceAll(' ', '_');
    await chain.call(wallet, 'registerAgent', [nameOf(agent), id, wallet]);
  }
  return url;
}

export const live: Row = {
  name: 'live',
  title: '1,000 live subscribers (900 spread over 50 agents, 100 on everything), 50 events a second',
  async measure(options: Options): Promise<Omit<Line, 'row'>[]> {
    const name = `curvet_bench_live_${process.pid}`;
    return stopAll(async (started) => {
      const chain = started(await startLiveChain());
      started({ stop: () => dropDatabase(options.server, name) });
      const database = await prepare(options, name, chain);
      const server = started(
        await startServer([node, `${root}/dist/src/main.js`], {
          env: {
            PORT: '0',
            DATABASE_URL: database,
            RPC_URL: chain.url,
            CONTRACT_ADDRESS: chain.contract,
            CHAIN_ID: String(CHAIN_ID),
            CONFIRMATIONS: '0',
            START_BLOCK: '1',
            // Nothing listens at this address, because no benchmark reads posts.
            SOCIAL_TEXT_PROXY: 'http://127.0.0.1:9/{url}',
            RATE_LIMITS: 'off',
            LOG_LEVEL: 'error',
          },
        }),
      );
      /**
       * Time at which the chain answered each trade, by the id of its event. The chain mines a trade immediately, so this is about
       * the time of the block.
       */
      const minedAt = new Map<string, number>();
      const early = new Map<string, number[]>();
      const delays: number[] = [];
      const heard = (data: unknown) => {
        const { id } = (data as { feedEvent: { event: { id: string } } }).feedEvent.event;
        const now = performance.now();
        const at = minedAt.get(id);
        // The subscriber may receive the event before this process gets the answer of the chain. The time is then stored until the
        // answer arrives.
        if (at === undefined) early.set(id, [...(early.get(id) ?? []), now]);
        else delays.push(now - at);
      };
      const subscribers: Subscriber[] = [];
      started({ stop: () => subscribers.map((subscriber) => subscriber.close()) });
      for (let i = 0; i < AGENTS * EACH + OF_ALL; i++) {
        const agent = i < AGENTS * EACH ? walletOf(i % AGENTS) : null;
        subscribers.push(await subscribe(server.url, query, { agent }, heard));
      }
      await new Promise((resolve) => setTimeout(resolve, 1000));
      options.say(`  ${subscribers.length} subscribers`);
      const seconds = options.quick ? 10 : 60;
      const before = server.cpu();
      const began = performance.now();
      const trades: Promise<void>[] = [];
      for (let i = 0; i < seconds * PER_SECOND; i++) {
        const wait = began + (i / PER_SECOND) * 1000 - performance.now();
        if (wait > 0) await new Promise((resolve) => setTimeout(resolve, wait));
        const [agent, trader] = [walletOf(i % AGENTS), walletOf((i + 1 + Math.floor(i / AGENTS)) % AGENTS)];
        trades.push(
          // The maximum cost and the payment are 10,000 ETH. The contract returns the surplus.
          chain.call(trader, 'buyTickets', [agent, 1, 10n ** 22n], 10n ** 22n).then((txHash) => {
            const now = performance.now();
            const id = eventId(tradeKey(txHash, 0));
            minedAt.set(id, now);
            for (const at of early.get(id) ?? []) delays.push(Math.max(0, at - now));
            early.delete(id);
          }),
        );
      }
      await Promise.all(trades);
      const expected = trades.length * (EACH + OF_ALL);
      // Waits up to 10 s for the last events.
      for (let waited = 0; delays.length < expected && waited < 100; waited++) {
        await new Promise((resolve) => setTimeout(resolve, 100));
      }
      if (delays.length !== expected) throw new Error(`${delays.length} of ${expected} events were delivered`);
      const [p50, p99] = [quantile(delays, 0.5), quantile(delays, 0.99)];
      const cpu = (server.cpu() - before) / trades.length;
      const work = `${subscribers.length.toLocaleString('en')} live subscribers, ${PER_SECOND} events a second`;
      const note = `${seconds} s, ${delays.length.toLocaleString('en')} deliveries, p50 ${p50.toFixed(0)} ms after the block, ${cpu.toFixed(2)} ms CPU of the server per event; trades on a local chain, read by the index`;
      return [
        {
          work: `${work}: delay, p99`,
          against: 'absolute',
          product: `${p99.toFixed(0)} ms`,
          peer: '',
          value: p99,
          target: { at: 'most', value: 250, unit: 'ms' },
          note,
        },
      ];
    });
  },
};
