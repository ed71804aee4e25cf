import type { SqlEntityManager } from '@mikro-orm/sql';
import { pino } from 'pino';
import { ethersMarket } from '../../src/chain/market.js';
import { RangeRefused } from '../../src/chain/ranges.js';
import { RpcProvider } from '../../src/chain/rpc.js';
import { readConfig } from '../../src/config.js';
import { startIndexer } from '../../src/jobs/indexer.js';
import { openDatabase } from '../../src/store/database.js';
import { leadership } from '../../src/store/leader.js';
import { openSql } from '../../src/store/sql.js';

// A replica of which only the indexer runs, in a process of its own that a test may kill.

const [url = '', rpcUrl = '', contract = '', chainId = '', blocks = ''] = process.argv.slice(2);
const orm = await openDatabase({ url });
const market = ethersMarket(new RpcProvider([rpcUrl], Number(chainId)), { chainId: Number(chainId), contract, rpcUrl });
const deps = {
  config: readConfig({}),
  log: pino({ level: 'warn' }),
  clock: { now: () => new Date() },
  em: orm.em as SqlEntityManager,
  sql: await openSql(orm),
  // Few blocks at once, so that there is time to be killed in.
  market: {
    ...market,
    range: async (from: number, to: number) => {
      if (to - from >= Number(blocks)) throw new RangeRefused('too many');
      return market.range(from, to);
    },
  },
};
startIndexer(deps, { leadership: leadership({ url }, 4711), pollMs: 50 });
process.stdout.write('ready\n');
