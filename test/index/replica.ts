import { pino } from 'pino';
import { ethersMarket } from '../../src/chain/market.js';
import { RpcProvider } from '../../src/chain/rpc.js';
import { readConfig } from '../../src/config.js';
import { type IndexDeps, readCursor } from '../../src/index/cursor.js';
import { startIndexer } from '../../src/index/indexer.js';
import { processLive } from '../../src/live/process.js';
import { openMetrics } from '../../src/observe/metrics.js';
import { openOutages } from '../../src/observe/outage.js';
import { openDatabase } from '../../src/store/database.js';
import { leadership } from '../../src/store/leader.js';
import { storeOf } from '../support/store.js';
import { testTimes } from '../support/times.js';

// A replica that runs only the indexer, in a separate process that a test may kill. With `dies` it kills itself: at the
// end of the work of a transaction, before its commit (1, 3, …), or after the commit (2, 4, …).

const [url = '', rpcUrl = '', contract = '', chainId = '', dies = ''] = process.argv.slice(2);
const orm = await openDatabase({ url }, { times: testTimes });
const provider = new RpcProvider([rpcUrl], Number(chainId), testTimes);
const market = ethersMarket(provider, { chainId: Number(chainId), contract, rpcUrl });
const store = await storeOf(orm);
/** The end of the work of a transaction, or the end of the transaction. */
const moment = (): void => {
  if (++moments === Number(dies)) process.kill(process.pid, 'SIGKILL');
};
let moments = 0;
const log = pino({ level: 'warn' });
const deps: IndexDeps = {
  config: readConfig({}),
  log,
  outages: openOutages(log, testTimes.now),
  clock: { now: () => new Date() },
  times: testTimes,
  live: processLive(),
  metrics: openMetrics(),
  ...store,
  write: async (work, options) => {
    const result = await store.write(async (tx) => {
      const result = await work(tx);
      moment();
      return result;
    }, options);
    moment();
    return result;
  },
  // The newest block is close to the cursor. The index then commits often.
  market: {
    ...market,
    blockNumber: async () => Math.min(await market.blockNumber(), (await readCursor(deps)).blockNumber + 5),
  },
};
startIndexer(deps, { leadership: leadership({ url }, 4711, testTimes), pollMs: 50 });
process.stdout.write('ready\n');
