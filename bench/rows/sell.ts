import type { ChainRange } from '../../src/chain/logs/ranges.js';
import { TIMES } from '../../src/config/timeouts.js';
import type { Deps } from '../../src/deps.js';
import { applyRange } from '../../src/index/ingest.js';
import { openDatabase } from '../../src/service/orm.js';
import { migrate } from '../../src/store/database.js';
import { createDatabase, dropDatabase, onServer } from '../dataset/databases.js';
import { median } from '../support/figures.js';
import { openDeps } from '../support/inprocess.js';
import type { Line, Options, Row } from '../support/result.js';
import { stopAll } from '../support/stops.js';

const AGENT = `0x${'a'.repeat(40)}`;
const TRADER = `0x${'b'.repeat(40)}`;
/** Number of lots that the trader has at the end of its history, with one ticket each. */
const OPEN_LOTS = 500;
const SALES = 100;
const hashOf = (block: number): string => `0x${block.toString(16).padStart(64, '0')}`;

/**
 * SQL for the history of one trader that alternately buys and sells tickets of one agent, one trade per block, and for its totals.
 * The amounts are no real prices, because applying a sale does not check them.
 */
const history = (trades: number): string[] => [
  `insert into market (wallet, name, agent_id, supply, holder_count, fees_earned, trade_count, volume, tx_hash, ordinal,
     block_number, log_index, registered_at, event_id)
   values ('${AGENT}', 'Ada', 'ada', ${1 + OPEN_LOTS}, 2, ${trades}, ${trades}, ${trades}, '${hashOf(0)}', 0, 0, 0,
     now() - interval '40 days', 'registration')`,
  `insert into transaction (tx_hash, ordinal, type, trader, agent, amount, price, protocol_fee, agent_fee, supply_after,
     cost_basis, realized_pnl, block_number, log_index, block_time, event_id)
   select '0x' || lpad(to_hex(i), 64, '0'), 0, case when buys then 'BUY' else 'SELL' end, '${TRADER}', '${AGENT}', 1,
     20000000000000, 1000000000000, 1000000000000, case when buys then 2 else 1 end,
     case when not buys then 22000000000000 end, case when not buys then -4000000000000 end, i, 0,
     date_trunc('second', now() - interval '30 days' * (1 - i / ${trades + 1}.0)), lpad(i::text, 22, '0')
   from (select i, i % 2 = 1 or i > ${trades - OPEN_LOTS} as buys from generate_series(1, ${trades}) i) made`,
  `insert into ticket_holding (agent, holder, amount, cost, since)
   values ('${AGENT}', '${AGENT}', 1, 0, now() - interval '40 days'),
     ('${AGENT}', '${TRADER}', ${OPEN_LOTS}, ${OPEN_LOTS} * 22000000000000, now() - interval '1 day')`,
  `insert into ticket_lot (agent, holder, block_number, log_index, remaining, cost)
   select '${AGENT}', '${TRADER}', i, 0, 1, 22000000000000 from generate_series(${trades - OPEN_LOTS + 1}, ${trades}) i`,
  `insert into wallet_ledger (wallet, trade_count, sell_count, bought, realized)
   values ('${TRADER}', ${trades}, ${(trades - OPEN_LOTS) / 2}, ${trades}, 0)`,
  `insert into candle (agent, hour, open, high, low, close, volume, trades)
   select agent, date_trunc('hour', block_time), 0, 1, 0, 1, 1, count(*) from transaction group by 1, 2`,
  `insert into chain_block (number, hash) values (${trades}, '${hashOf(trades)}')`,
  `insert into indexer_cursor (contract, chain_id, block_number, updated_at) values ('0x', 84532, ${trades}, now())`,
];

/** What the indexer reads of a block with one sale. */
function sale(block: number, supply: number, time: Date): ChainRange {
  const wei = 20_000_000_000_000n * BigInt(supply) ** 2n;
  return {
    from: block,
    to: block,
    parentHash: hashOf(block - 1),
    endHash: hashOf(block),
    endTime: time,
    headTime: time,
    facts: [
      {
        kind: 'sold',
        trader: TRADER,
        agent: AGENT,
        amount: 1,
        price: wei,
        protocolFee: wei / 20n,
        agentFee: wei / 20n,
        supply,
        blockNumber: block,
        blockHash: hashOf(block),
        logIndex: 0,
        txHash: hashOf(block),
        ordinal: 0,
        time,
      },
    ],
  };
}

export const sell: Row = {
  name: 'sell',
  title: 'one sale in an agent with 1,000,000 stored trades, and in one with 1,000',
  async measure(options: Options): Promise<Omit<Line, 'row'>[]> {
    const sizes = [1000, options.quick ? 100_000 : 1_000_000] as const;
    return stopAll(async (started) => {
      const applying = [];
      for (const trades of sizes) {
        const name = `curvet_bench_sell_${process.pid}_${trades}`;
        const url = await createDatabase(options.server, name);
        started({ stop: () => dropDatabase(options.server, name) });
        const orm = await openDatabase({ url }, { times: TIMES });
        await migrate(orm, { url }).finally(() => orm.close(true));
        // This connection does not have the timeouts of the service: inserting a million rows takes longer than a
        // request may.
        await onServer(url, async (client) => {
          for (const statement of history(trades)) await client.query(statement);
          await client.query('vacuum analyze');
        });
        const opened = started(await openDeps(url));
        // Nobody subscribes, so there is nobody to wake.
        const deps: Deps = { ...opened.deps, live: { ...opened.deps.live, wake: () => {} } };
        let block = trades;
        let supply = 1 + OPEN_LOTS;
        applying.push(async () => {
          const began = performance.now();
          const applied = await applyRange(deps, sale(++block, --supply, new Date()));
          if (!applied) throw new Error('the sale was refused');
          return performance.now() - began;
        });
      }
      const taken: number[][] = [[], []];
      // The first 20 sales are a warm-up.
      for (let sales = -20; sales < SALES; sales++) {
        for (const [i, apply] of applying.entries()) {
          const milliseconds = await apply();
          if (sales >= 0) taken[i]?.push(milliseconds);
        }
      }
      const [few, many] = taken.map(median) as [number, number];
      return [
        {
          work: `One sale in an agent with ${sizes[1].toLocaleString('en')} stored trades, applied`,
          against: `itself with ${sizes[0].toLocaleString('en')}`,
          product: `${many.toFixed(2)} ms`,
          peer: `${few.toFixed(2)} ms`,
          value: many / few,
          target: { at: 'most', value: 1.2, unit: 'times' },
          note: `all trades are by the seller, who holds ${OPEN_LOTS} tickets in as many lots; committed, in process`,
        },
      ];
    });
  },
};
