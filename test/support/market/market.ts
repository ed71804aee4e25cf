import type { Figures } from '../../../src/features/theses/statistics.js';
import { announce, type News } from '../../../src/live/announce.js';
import { HOUR_MS } from '../../../src/values/time.js';
import { runSql } from '../store.js';
import type { World } from '../world.js';
import { askAs, claim, follow, newAgent, type TestAgent, tradeOnChain, writePost } from './agents.js';
import { addSeason } from './rows.js';

export type Market = Awaited<ReturnType<typeof populate>>;

/** Creates three agents with trades, follows, a post and a like, and with points in two seasons. */
export async function populate(world: World) {
  const trade = async (side: 'buy' | 'sell', who: TestAgent, of: TestAgent, amount: number, thesis?: string) => {
    const made = await tradeOnChain(who, side, of, amount);
    await askAs(world, who, 'POST', `/api/tickets/${side}`, { ...made, thesis });
    return made.txHash;
  };
  const ada = await newAgent(world, { name: 'Ada', description: 'First' });
  await claim(world, ada);
  const bob = await newAgent(world, { name: 'Bob' });
  const eve = await newAgent(world, { name: 'Eve B' });
  const bought = await trade('buy', bob, ada, 3, 'Cheap');
  await judgeAfterHour(world, bought);
  await trade('buy', eve, ada, 2);
  await trade('buy', ada, bob, 4);
  await trade('sell', bob, ada, 2);
  await trade('buy', eve, bob, 1);
  await follow(world, bob, ada);
  await follow(world, eve, ada);
  await follow(world, ada, bob);
  await askAs(world, ada, 'POST', `/api/feed/${await writePost(world, bob, 'Hello')}/like`);
  const now = world.clock.now();
  await addSeason(world, 1, -30, -2, now);
  await addSeason(world, 2, -2, 9, now);
  await runSql(
    world.deps,
    `insert into agent_season_points (season, agent, price_points, total_points, rank, computed_at)
       values (2, $1, 1.5, 4.25, 1, $3), (2, $2, 0.5, 2, 2, $3), (1, $2, 1, 3, 1, $3)`,
    [ada.wallet, bob.wallet, now],
  );
  await linkWallets(world, [eve.wallet, bob.wallet]);
  const [thesis] = await world.deps.sql<{ id: string }>('select event_id as id from transaction where tx_hash = $1', [bought]);
  return { ada, bob, eve, bought, thesis: String(thesis?.id) };
}

/** Links two wallets that traded in the same blocks, and leaves the second one half of its points without this link. */
async function linkWallets({ deps, clock }: World, [one, two]: readonly [string, string]): Promise<void> {
  await runSql(deps, 'insert into linked_wallet (wallet, cluster, leads, links) values ($1, 1, false, 1), ($2, 1, false, 1)', [
    one,
    two,
  ]);
  await runSql(
    deps,
    `insert into link_sign (cluster, wallet, kind, about, figure)
     values (1, $1, 'sameBlocks', $2, 7), (1, $2, 'sameBlocks', $1, 7), (1, $1, 'sameTrades', $2, 90), (1, $2, 'sameTrades', $1, 90)`,
    [one, two],
  );
  await runSql(
    deps,
    `insert into unlinked_standing (season, agent, total_points, rank, linked_wallets, volume, round_trips, computed_at)
     select season, agent, case when agent = $1 then total_points / 2 else total_points end, rank, (agent = $1)::int, 30000, 20000, $2
     from agent_season_points`,
    [two, clock.now()],
  );
}

/** Makes the thesis of a trade a call that was judged after an hour. */
async function judgeAfterHour({ deps, clock }: World, txHash: string): Promise<void> {
  const now = clock.now();
  const until = [1, 24, 168].map((hours) => new Date(now.getTime() + hours * HOUR_MS));
  await runSql(deps, `update reason set eligibility = 'counts', traded_at = $2 where tx_hash = $1`, [txHash, now]);
  await runSql(
    deps,
    `insert into call_outcome (tx_hash, ordinal, horizon, author, agent, weight, called_at, until, judged_block, move, benchmark, paid,
       value, sold_half)
     select t.tx_hash, 0, horizon, trader, agent, 14, $2, ends, block, move, benchmark, paid, value, sold
     from transaction t, (values ('1h', $3::timestamptz, 1, 134722, 21500, false, 320000000000000, false),
       ('1d', $4, null, null, null, null, null, null), ('7d', $5, null, null, null, null, null, null))
       as given (horizon, ends, block, move, benchmark, paid, value, sold)
     where t.tx_hash = $1`,
    [txHash, now, ...until],
  );
  await runSql(
    deps,
    `insert into thesis_record (author, is_stale, figures, lower_bound, luck, rank, beyond_luck)
     select trader, false, $2, 12481, 0.004, 1, true from transaction where tx_hash = $1`,
    [txHash, JSON.stringify(figures)],
  );
  // An outcome of another day, with a confidence.
  await runSql(
    deps,
    `insert into call_outcome (tx_hash, ordinal, horizon, author, agent, weight, confidence, called_at, until, judged_block, move,
       benchmark, paid, value, sold_half)
     select '0x' || repeat('7', 64), 0, '1d', trader, agent, 500, 80, $2, $2, 1, 200000, 50000, true, 1, false
     from transaction where tx_hash = $1`,
    [txHash, new Date(now.getTime() - 48 * HOUR_MS)],
  );
}

/** Announces that the thesis of the trade `subject` by `agent` was judged. */
export async function announceOutcome({ deps, clock }: World, outcome: Pick<News, 'subject' | 'agent'>): Promise<void> {
  await deps.write((tx) => announce(tx, [{ topic: 'outcome', ...outcome }], clock.now()));
  deps.live.wake();
}

/** The figures of a record. */
export const figures: Figures = {
  calls: 46,
  judged: 44,
  verdicts: 40,
  effective: 37.5,
  markets: 17,
  days: 12,
  followed: { percent: 67.5, atLeast: 54.09 },
  paid: { percent: 30, atLeast: 19.6 },
  score: 0.068125,
  lowerBound: 0.012481,
  fakeCost: '53000000000000000',
  soldHalf: 2,
  reversals: 5,
};
