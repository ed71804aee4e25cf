import { scoreNow } from '../../src/core/seasons/commands/score.js';
import type { Sql } from '../../src/store/sql.js';
import { cloneData, dropDatabase } from '../dataset/databases.js';
import { type SizeName, sizes } from '../dataset/plan.js';
import { median } from '../support/figures.js';
import { openDeps } from '../support/inprocess.js';
import type { Line, Options, Row } from '../support/result.js';

/** A season over the newest trades, or over all trades, the worst case of scoring. */
async function oneSeason(sql: Sql, share: 'whole' | 'half'): Promise<void> {
  await sql('alter table season disable trigger season_frozen');
  await sql('alter table agent_season_points disable trigger agent_season_points_frozen');
  await sql('truncate agent_season_points');
  await sql('delete from season');
  await sql('alter table season enable trigger season_frozen');
  await sql('alter table agent_season_points enable trigger agent_season_points_frozen');
  const begin =
    share === 'whole'
      ? '(select min(registered_at) from market)'
      : '(select percentile_disc(0.5) within group (order by block_time) from transaction)';
  await sql(
    `insert into season (number, start_at, end_at) select 1, ${begin}, date_trunc('day', now()) + interval '2 days'`,
  );
}

type Taken = { readonly whole: number; readonly half: number };

async function seconds(options: Options, size: SizeName): Promise<Taken> {
  const { url, name } = await cloneData(options.server, size, options.say);
  const { deps, stop } = await openDeps(url);
  const measured = async (share: 'whole' | 'half') => {
    await oneSeason(deps.sql, share);
    await deps.sql('vacuum analyze');
    const taken: number[] = [];
    for (let round = 0; round <= Math.min(options.rounds, 4); round++) {
      const began = performance.now();
      await scoreNow(deps);
      if (round > 0) taken.push((performance.now() - began) / 1000);
    }
    const [scored] = await deps.sql<{ agents: number }>('select count(*) as agents from agent_season_points');
    if (scored?.agents !== sizes[size].agents) throw new Error(`${scored?.agents} agents were scored`);
    options.say(`  ${size}, the ${share} history: ${median(taken).toFixed(2)} s`);
    return median(taken);
  };
  try {
    return { whole: await measured('whole'), half: await measured('half') };
  } finally {
    await stop();
    await dropDatabase(options.server, name);
  }
}

const inWords = ({ agents, trades }: { agents: number; trades: number }) =>
  `${agents.toLocaleString('en')} agents, ${trades.toLocaleString('en')} trades`;

export const scoring: Row = {
  name: 'scoring',
  title: 'the scoring of a season that holds the whole history, of both sizes',
  async measure(options: Options): Promise<Omit<Line, 'row'>[]> {
    const [fewer, more] = options.quick ? (['quick', 'small'] as const) : (['small', 'large'] as const);
    const [small, large] = [await seconds(options, fewer), await seconds(options, more)];
    const line = (size: SizeName, taken: number, value: number): Omit<Line, 'row'> => ({
      work: `Season scoring, ${inWords(sizes[size])}`,
      against: 'absolute',
      product: `${taken.toFixed(2)} s`,
      peer: '',
      value: taken,
      target: { at: 'most', value, unit: 's' },
      note: 'every trade in the season; in process',
    });
    return [
      line(fewer, small.whole, 3),
      line(more, large.whole, 60),
      {
        work: 'Season scoring, growth with the trades of the season',
        against: 'itself with half of the trades in the season',
        product: `${large.whole.toFixed(2)} s`,
        peer: `${large.half.toFixed(2)} s`,
        value: large.whole / large.half,
        target: { at: 'most', value: 2, unit: 'times' },
        note: `${inWords(sizes[more])}, the smaller season has the newer half of them; 2 is linear growth. With ${sizes[more].agents / sizes[fewer].agents} times the agents and ${sizes[more].trades / sizes[fewer].trades} times the trades it takes ${(large.whole / small.whole).toFixed(1)} times as long`,
      },
    ];
  },
};
