import type { Deps } from '../../src/deps.js';
import { judge } from '../../src/features/theses/judge.js';
import { rankedRecords } from '../../src/features/theses/records.js';
import { cloneData, dropDatabase } from '../dataset/databases.js';
import { sizes } from '../dataset/plan.js';
import { median } from '../support/figures.js';
import { openDeps } from '../support/inprocess.js';
import type { Line, Options, Row } from '../support/result.js';

/** Every so many trades has a reason, given in time. The traders of the data are too many to have 10 calls each. */
const REASONED = 50;

/** Replaces the theses of the data, and lets the index stand at its newest trade. Returns the number of trades with a reason. */
async function giveReasons({ sql }: Deps): Promise<number> {
  await sql('delete from reason');
  await sql(
    `insert into reason (tx_hash, ordinal, author, given_at)
     select tx_hash, ordinal, trader, block_time from transaction where block_number % ${REASONED} = 0`,
  );
  await sql('update indexer_cursor set block_time = (select max(block_time) from transaction)');
  await sql('vacuum analyze');
  const [given] = await sql<{ total: number }>('select count(*) as total from reason');
  return given?.total ?? 0;
}

export const theses: Row = {
  name: 'theses',
  title: 'the judgement of all theses of a history, and the first page of their leaderboard',
  explanation: 'an outcome reads the supplies of up to 21 markets in the last tenth of its horizon, and draws 20 of them',
  async measure(options: Options): Promise<Omit<Line, 'row'>[]> {
    const size = options.quick ? 'quick' : 'small';
    const { url, name } = await cloneData(options.server, size, options.say);
    const { deps, stop } = await openDeps(url);
    try {
      const given = await giveReasons(deps);
      const began = performance.now();
      await judge(deps);
      const taken = performance.now() - began;
      const [judged] = await deps.sql<{ total: number }>('select count(judged_block) as total from call_outcome');
      const outcomes = judged?.total ?? 0;
      if (outcomes === 0) throw new Error('no call was judged');
      // 100,000 judged calls of 2,000 authors, as if all had enough.
      await deps.sql(
        `insert into thesis_record (author, is_stale, figures, lower_bound, luck, rank)
         select '0x' || lpad(to_hex(i), 40, '0'), false, '{"calls": 50}', -i, 0.5, i from generate_series(1, 2000) i
         on conflict do nothing`,
      );
      const pages: number[] = [];
      for (let round = 0; round < 50; round++) {
        const start = performance.now();
        await rankedRecords(deps, { offset: 980, limit: 20 });
        pages.push(performance.now() - start);
      }
      const trades = sizes[size].trades.toLocaleString('en');
      options.say(`  ${given} reasons, ${outcomes} outcomes: ${(taken / 1000).toFixed(1)} s`);
      return [
        {
          work: `Judging the theses of ${trades} trades, of each ${REASONED}th`,
          against: 'absolute, per outcome',
          product: `${(taken / outcomes).toFixed(2)} ms`,
          peer: '',
          value: taken / outcomes,
          target: { at: 'most', value: 3, unit: 'ms' },
          note: `${outcomes} outcomes in ${(taken / 1000).toFixed(1)} s: ${((taken * 1000) / sizes[size].trades).toFixed(1)} µs per trade; in process`,
        },
        {
          work: 'Page 50 of the leaderboard of theses, 2,000 authors',
          against: 'absolute',
          product: `${median(pages).toFixed(2)} ms`,
          peer: '',
          value: median(pages),
          target: { at: 'most', value: 50, unit: 'ms' },
          note: 'in process, without cache',
        },
      ];
    } finally {
      await stop();
      await dropDatabase(options.server, name);
    }
  },
};
