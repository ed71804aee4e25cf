import { updateLinks } from '../../src/features/seasons/links/links.js';
import { scoreNow } from '../../src/features/seasons/score.js';
import type { Sql } from '../../src/store/sql.js';
import { cloneData, dropDatabase } from '../dataset/databases.js';
import { type SizeName, sizes } from '../dataset/plan.js';
import { median } from '../support/figures.js';
import { openDeps } from '../support/inprocess.js';
import type { Line, Options, Row } from '../support/result.js';

/** Replaces all seasons by one that contains all trades, which is the worst case of scoring. */
async function oneSeason(sql: Sql): Promise<void> {
  // The triggers refuse changes of frozen seasons.
  await sql('alter table season disable trigger season_frozen');
  await sql('alter table agent_season_points disable trigger agent_season_points_frozen');
  await sql('truncate agent_season_points');
  await sql('delete from season');
  await sql('alter table season enable trigger season_frozen');
  await sql('alter table agent_season_points enable trigger agent_season_points_frozen');
  await sql(
    `insert into season (number, start_at, end_at)
     select 1, min(registered_at), date_trunc('day', now()) + interval '2 days' from market`,
  );
}

/** Gives the fees of every 50th agent to the one before it, so that the points of these agents are computed again. */
const LINKED = `insert into fee_destination (tx_hash, ordinal, agent, destination, block_number, log_index)
  select '0x' || lpad(to_hex(n), 64, '0'), 0, wallet, before, 1, n
  from (select wallet, row_number() over w as n, lag(wallet) over w as before from market window w as (order by wallet)) m
  where n % 50 = 0`;

type Seconds = { readonly points: number; readonly links: number };

async function seconds(options: Options, size: SizeName): Promise<Seconds> {
  const { url, name } = await cloneData(options.server, size, options.say);
  const { deps, stop } = await openDeps(url);
  try {
    await oneSeason(deps.sql);
    await deps.sql(LINKED);
    await deps.sql('vacuum analyze');
    const taken: number[] = [];
    const linked: number[] = [];
    for (let round = 0; round <= Math.min(options.rounds, 4); round++) {
      const began = performance.now();
      await scoreNow(deps);
      const scored = performance.now();
      await updateLinks(deps);
      if (round === 0) continue;
      taken.push((scored - began) / 1000);
      linked.push((performance.now() - scored) / 1000);
    }
    const [scored] = await deps.sql<{ agents: number }>('select count(*) as agents from agent_season_points');
    if (scored?.agents !== sizes[size].agents) throw new Error(`${scored?.agents} agents were scored`);
    const [found] = await deps.sql<{ wallets: number }>('select count(*) as wallets from linked_wallet');
    options.say(`  ${size}: ${median(taken).toFixed(2)} s, ${found?.wallets} linked wallets in ${median(linked).toFixed(2)} s`);
    return { points: median(taken), links: median(linked) };
  } finally {
    await stop();
    await dropDatabase(options.server, name);
  }
}

export const scoring: Row = {
  name: 'scoring',
  title: 'the scoring of a season that holds the whole history, 100,000 agents (10,000 with --quick)',
  async measure(options: Options): Promise<Omit<Line, 'row'>[]> {
    const size = options.quick ? 'small' : 'large';
    const { points, links } = await seconds(options, size);
    const { agents, trades } = sizes[size];
    return [
      {
        work: `Season scoring, ${agents.toLocaleString('en')} agents, ${trades.toLocaleString('en')} trades`,
        against: 'absolute',
        product: `${points.toFixed(2)} s`,
        peer: '',
        value: points,
        target: { at: 'most', value: 60, unit: 's' },
        note: 'every trade in the season; in process',
      },
      {
        work: 'Possible links, and the ranks without them, in the same season',
        against: 'absolute',
        product: `${links.toFixed(2)} s`,
        peer: '',
        value: links,
        target: { at: 'most', value: 120, unit: 's' },
        note: 'each 50th agent pays its fees to another one; after the points, in a transaction of its own',
      },
    ];
  },
};
