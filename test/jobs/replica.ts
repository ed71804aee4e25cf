import { pino } from 'pino';
import { RangeRefused } from '../../src/chain/logs/ranges.js';
import { ethersMarket } from '../../src/chain/market.js';
import { RpcProvider } from '../../src/chain/rpc.js';
import { readConfig } from '../../src/config.js';
import { Histogram } from '../../src/histogram.js';
import { startIndexer } from '../../src/jobs/indexer.js';
import { processLive } from '../../src/live/process.js';
import { openDatabase } from '../../src/store/database.js';
import { leadership } from '../../src/store/leader.js';
import { storeOf } from '../support/store.js';
import { testTimes } from '../support/times.js';

// A replica that runs only the indexer, in a separate process that a test may kill.

const [url = '', rpcUrl = '', contract = '', chainId = '', blocks = ''] = process.argv.slice(2);
const orm = await openDatabase({ url });
const market = ethersMarket(new RpcProvider([rpcUrl], Number(chainId)), { chainId: Number(chainId), contract, rpcUrl });
const store = await storeOf(orm);
const deps = {
  config: readConfig({}),
  log: pino({ level: 'warn' }),
  clock: { now: () => new Date() },
  live: processLive(),
  reorgDepths: new Histogram([]),
  ...store,
  // The market returns small ranges, and a newest block close to the cursor. The index then commits often, so that a
  // test can kill the process between two commits.
  market: {
    ...market,
    blockNumber: async () => {
      const newest = await market.blockNumber();
      if (blocks !== '1') return newest;
      const [cursor] = await store.sql<{ block: number }>('select block_number as block from indexer_cursor');
      return Math.min(newest, (cursor?.block ?? 0) + 5);
    },
    range: async (from: number, to: number) => {
      if (to - from >= Number(blocks)) throw new RangeRefused('too many');
      return market.range(from, to);
    },
  },
};
startIndexer(deps, { leadership: leadership({ url }, 4711, testTimes), pollMs: 50 });
process.stdout.write('ready\n');
