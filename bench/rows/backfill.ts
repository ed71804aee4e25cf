import { isDeepStrictEqual } from 'node:util';
import pg from 'pg';
import type { FilledChain } from '../chainfill.js';
import { createDatabase, dropDatabase } from '../dataset/databases.js';
import { median } from '../support/figures.js';
import { startFilledChain, startReading } from '../support/filled.js';
import { startPonder } from '../support/ponder.js';
import { pinDatabase } from '../support/product.js';
import type { Line, Options, Row } from '../support/result.js';
import { stopAll } from '../support/stops.js';

type Sums = Record<string, string | null>;
type Reading = { readonly seconds: number; readonly cpu: number; readonly sums: Sums };

/** Query for the number of rows and the sums of each table. After a backfill, the service and its peer must have the same. */
const sums = (names: Record<'trade' | 'holding' | 'lot' | 'ledger', string>, schema: string) => `select
  (select count(*) || ' ' || sum(price) || ' ' || sum(realized_pnl) || ' ' || sum(cost_basis) || ' ' || sum(supply_after)
    from ${schema}.${names.trade}) as trades,
  (select count(*) || ' ' || sum(supply) || ' ' || sum(holder_count) || ' ' || sum(fees_earned) || ' ' || sum(volume)
    from ${schema}.market) as markets,
  (select count(*) || ' ' || sum(amount) || ' ' || sum(cost) from ${schema}.${names.holding}) as holdings,
  (select count(*) || ' ' || sum(remaining) || ' ' || sum(cost) from ${schema}.${names.lot}) as lots,
  (select count(*) || ' ' || sum(trade_count) || ' ' || sum(sell_count) || ' ' || sum(bought) || ' ' || sum(realized)
    from ${schema}.${names.ledger}) as ledgers,
  (select count(*) || ' ' || sum(high) || ' ' || sum(low) || ' ' || sum(close) || ' ' || sum(volume)
    from ${schema}.candle) as candles`;

const OURS = sums({ trade: 'transaction', holding: 'ticket_holding', lot: 'ticket_lot', ledger: 'wallet_ledger' }, 'public');
const THEIRS = sums({ trade: 'trade', holding: 'holding', lot: 'lot', ledger: 'ledger' }, 'bench');

const NAME = `curvet_bench_backfill_${process.pid}`;

async function until(database: string, text: string, done: (row: Record<string, unknown>) => boolean): Promise<void> {
  const client = new pg.Client({ connectionString: database });
  await client.connect();
  try {
    for (let waited = 0; ; waited++) {
      // The tables may not exist yet, so an error counts as no row.
      const rows = await client.query(text).then(
        (result) => result.rows,
        () => [],
      );
      if (rows[0] && done(rows[0])) return;
      // 60,000 waits of 25 ms are 25 minutes.
      if (waited > 60_000) throw new Error('the backfill does not end');
      await new Promise((resolve) => setTimeout(resolve, 25));
    }
  } finally {
    await client.end();
  }
}

async function sumsOf(database: string, text: string): Promise<Sums> {
  const client = new pg.Client({ connectionString: database });
  await client.connect();
  const { rows } = await client.query<Sums>(text);
  await client.end();
  return rows[0] ?? {};
}

/** Measures a backfill by the service: from its first read to its last stored event, without the start of the process. */
async function byCurvet(options: Options, chain: FilledChain): Promise<Reading> {
  const database = await createDatabase(options.server, NAME);
  return stopAll(async (started) => {
    started({ stop: () => dropDatabase(options.server, NAME) });
    const server = started(await startReading(database, chain));
    const [began, used] = [performance.now(), server.cpu()];
    await pinDatabase(database);
    await until(database, 'select block_number from indexer_cursor', (row) => Number(row.block_number) >= chain.head);
    const seconds = (performance.now() - began) / 1000;
    return { seconds, cpu: (server.cpu() - used) / 1000, sums: await sumsOf(database, OURS) };
  });
}

/** Measures a backfill by Ponder, from its first read to its last stored trade. */
async function byPonder(options: Options, chain: FilledChain, trades: number): Promise<Reading> {
  const database = await createDatabase(options.server, NAME);
  return stopAll(async (started) => {
    started({ stop: () => dropDatabase(options.server, NAME) });
    const server = started(await startPonder(database, chain));
    const [began, used] = [performance.now(), server.cpu()];
    await pinDatabase(database);
    await until(database, 'select count(*) as trades from bench.trade', (row) => Number(row.trades) >= trades);
    const seconds = (performance.now() - began) / 1000;
    return { seconds, cpu: (server.cpu() - used) / 1000, sums: await sumsOf(database, THEIRS) };
  });
}

export const backfill: Row = {
  name: 'backfill',
  title: '200,000 events of a local chain into PostgreSQL, beside Ponder (20,000 with --quick)',
  async measure(options: Options): Promise<Omit<Line, 'row'>[]> {
    const events = options.quick ? 20_000 : 200_000;
    return stopAll(async (started) => {
      const chain = started(await startFilledChain(events));
      const [serviceReadings, ponderReadings]: Reading[][] = [[], []];
      // At most four rounds, because each takes far longer than `options.seconds`.
      for (let round = 0; round < (options.quick ? 1 : Math.min(options.rounds, 4)); round++) {
        const service = await byCurvet(options, chain);
        options.say(`  Curvet: ${service.seconds.toFixed(1)} s, ${service.cpu.toFixed(1)} s CPU`);
        const trades = Number(service.sums.trades?.split(' ')[0]);
        const ponder = await byPonder(options, chain, trades);
        options.say(`  Ponder: ${ponder.seconds.toFixed(1)} s, ${ponder.cpu.toFixed(1)} s CPU`);
        if (!isDeepStrictEqual(service.sums, ponder.sums)) {
          throw new Error(`the rows differ: ${JSON.stringify(service.sums)} and ${JSON.stringify(ponder.sums)}`);
        }
        serviceReadings?.push(service);
        ponderReadings?.push(ponder);
      }
      const of = (list: Reading[] | undefined, key: 'seconds' | 'cpu') => median((list ?? []).map((entry) => entry[key]));
      const words = (list: Reading[] | undefined) =>
        `${of(list, 'seconds').toFixed(1)} s, ${Math.round(events / of(list, 'seconds'))} events/s`;
      return [
        {
          work: `Backfill of ${events.toLocaleString('en')} events, with reorg detection`,
          against: 'Ponder, cold',
          product: words(serviceReadings),
          peer: words(ponderReadings),
          value: of(ponderReadings, 'seconds') / of(serviceReadings, 'seconds'),
          target: { at: 'least', value: 4, unit: 'times' },
          cpuRatio: of(ponderReadings, 'cpu') / of(serviceReadings, 'cpu'),
          note: 'without the start of the processes; both produce the same rows in six tables',
        },
      ];
    });
  },
};
