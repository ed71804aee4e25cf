import { createHash } from 'node:crypto';
import { expect } from 'chai';
import { scoreNow, updateSeasons } from '../../../../src/features/seasons/score.js';
import { serverUrl } from '../../../support/database.js';
import {
  categoryNames,
  type History,
  type OracleAct,
  type OracleAgent,
  type OracleTrade,
  oracleScores,
} from '../../../support/scoring/scoring-oracle.js';
import { storeHistory, withoutAgent } from '../../../support/scoring/scoring-rows.js';
import { addSeason, pointsRows, type SeasonWorld, seasonWorld } from '../../../support/scoring/seasons.js';
import { seeded } from '../../../support/seed.js';
import { runSql } from '../../../support/store.js';

const deep = process.env.DEEP_TESTS !== undefined;
const seed = Number(process.env.TEST_SEED ?? 20_261_121);
const WORLDS = deep || serverUrl !== undefined ? 500 : 40;
/** Number of worlds that share a database, and therefore the same seasons. */
const BATCH = 10;

/** The seasons in which each agent has had points. The oracle needs to know how many there were before a season. */
type Memory = Map<string, Set<number>>;

describe('season points of random worlds', () => {
  /** The categories in which at least one agent had points. At the end, these must be all categories. */
  const seen = new Set<string>();

  for (let batch = 0; batch < WORLDS / BATCH; batch++) {
    it(`match the oracle in worlds ${batch * BATCH + 1} to ${(batch + 1) * BATCH} of seed ${seed}`, async () => {
      const random = randomFrom(seed + batch);
      const calendar = randomCalendar(random);
      let histories = Array.from({ length: BATCH }, (_, i) => randomHistory(random, calendar, `${batch} ${i}`));
      const world = await seasonWorld({ SEASON_DAYS: '0' });
      for (const history of histories) await world.deps.write((tx) => storeHistory(tx, history));
      for (const [i, { startAt, endAt }] of calendar.spans.entries()) await addSeason(world, i + 1, startAt, endAt);
      const memory: Memory = new Map();
      const someLeave = async () => {
        histories = await Promise.all(
          histories.map(async (history) => {
            if (history.agents.length === 0 || !random.chance(0.3)) return history;
            const { wallet } = random.pick(history.agents);
            await runSql(world.deps, 'delete from agent where wallet = $1', [wallet]);
            memory.delete(wallet);
            return withoutAgent(history, wallet);
          }),
        );
      };

      world.now = calendar.early;
      await scoreNow(world.deps);
      await compare(world, histories, memory, calendar, 1);
      await someLeave();

      // The job has not run for a while, and two seasons have ended since.
      world.now = calendar.late;
      const kept = await updateSeasons(world.deps);
      expect(kept.map(({ number, isFrozen }) => [number, isFrozen])).to.deep.equal([
        [1, true],
        [2, true],
        [3, false],
      ]);
      for (const season of [1, 2, 3]) await compare(world, histories, memory, calendar, season);

      const frozen = await pointsRows(world, 1);
      await someLeave();
      await scoreNow(world.deps);
      const left = frozen.filter(({ agent }) => histories.some(({ agents }) => agents.some((a) => a.wallet === agent)));
      expect(await pointsRows(world, 1)).to.deep.equal(left);
      await compare(world, histories, memory, calendar, 3);
      for (const row of [...left, ...(await pointsRows(world, 2)), ...(await pointsRows(world, 3))]) {
        for (const name of categoryNames) if (row[name]) seen.add(name);
      }
    });
  }

  it('cover every category with points above zero', () => {
    expect([...seen].sort()).to.deep.equal([...categoryNames].sort());
  });
});

/** Compares every category of every agent with the oracle, within 1e-9, and the ranks with the order of the totals. */
async function compare(
  world: SeasonWorld,
  histories: readonly History[],
  memory: Memory,
  { spans }: Calendar,
  season: number,
): Promise<void> {
  const end = spans[season - 1]?.endAt as Date;
  const period = {
    from: spans[season - 2]?.endAt ?? null,
    moment: new Date(Math.min(end.getTime(), world.now.getTime())),
    age: (wallet: string) => [...(memory.get(wallet) ?? [])].filter((earlier) => earlier < season).length,
  };
  const expected = new Map(histories.flatMap((history) => [...oracleScores(history, period)]));
  const rows = await pointsRows(world, season);
  expect(rows.map(({ agent }) => agent).sort()).to.deep.equal([...expected.keys()].sort());
  for (const row of rows) {
    const scores = expected.get(row.agent) ?? {};
    for (const name of categoryNames) {
      expect(row[name], `${name} of ${row.agent} in season ${season}`).to.be.closeTo(scores[name] as number, 1e-9);
    }
    memory.set(row.agent, (memory.get(row.agent) ?? new Set()).add(season));
  }
  expect(rows.map(({ rank }) => rank)).to.deep.equal(rows.map((_, i) => i + 1));
  const totals = rows.map(({ totalPoints }) => totalPoints);
  expect(totals).to.deep.equal([...totals].sort((a, b) => (b ?? 0) - (a ?? 0)));
}

// Random histories of small, independent groups of agents, so that many groups can share one database. Many events
// happen exactly when a season starts or ends.

const DAY = 86_400_000;
const HOUR = 3_600_000;
const BASE = Date.UTC(2026, 0, 1);

/** A source of random values. The same seed gives the same histories everywhere. */
function randomFrom(seed: number) {
  const real = seeded(seed);
  const integer = (max: number) => Math.floor(real() * (max + 1));
  const pick = <T>(list: readonly T[]): T => list[integer(list.length - 1)] as T;
  return { real, integer, chance: (probability: number) => real() < probability, pick };
}
type Random = ReturnType<typeof randomFrom>;

/** Three seasons and two times of scoring. The first season is active at `early`, the last one at `late`. */
function randomCalendar(random: Random) {
  const at = (days: number, hours = 0) => new Date(BASE + days * DAY + hours * HOUR);
  const first = random.integer(2);
  const firstEnd = first + 6 + random.integer(8);
  const second = firstEnd + random.pick([0, 0, 1, 3]);
  // The second season may end at 13:30 instead of at midnight, as if an operator had ended it.
  const secondEnd = second + 5 + random.integer(7);
  const hour = random.pick([0, 0, 13.5]);
  const third = secondEnd + random.pick([0, 2]);
  return {
    spans: [
      { startAt: at(first), endAt: at(firstEnd) },
      { startAt: at(second), endAt: at(secondEnd, hour) },
      { startAt: at(third, hour), endAt: at(third + 14) },
    ],
    early: at(first + 1 + random.integer(4), random.integer(23)),
    late: at(third + 2 + random.integer(8), random.integer(23)),
  };
}
type Calendar = ReturnType<typeof randomCalendar>;

function randomHistory(random: Random, calendar: Calendar, name: string): History {
  const hex = (text: string, length: number) => createHash('sha256').update(`${name} ${text}`).digest('hex').slice(0, length);
  const wallets = Array.from({ length: 3 + random.integer(5) }, (_, i) => `0x${hex(`wallet ${i}`, 40)}`);
  const end = calendar.late.getTime() + 2 * DAY;
  const edges = [...calendar.spans.flatMap(({ startAt, endAt }) => [startAt, endAt]), calendar.early, calendar.late];
  const moment = (after = BASE): Date => {
    const edge = random.pick(edges).getTime() + random.pick([0, 0, -1000, 1000]);
    if (random.chance(0.15) && edge >= after) return new Date(edge);
    const any = after + random.real() * Math.max(0, end - after);
    return new Date(random.chance(0.1) ? Math.max(after, Math.floor(any / DAY) * DAY) : Math.floor(any / 1000) * 1000);
  };
  const undone = (at: Date): Date | null => (random.chance(0.4) ? moment(at.getTime()) : null);

  const markets = new Map(wallets.filter(() => random.chance(0.9)).map((wallet) => [wallet, moment(BASE - 5 * DAY)]));
  const here = wallets.filter(() => random.chance(0.8));
  const agents = here.map((wallet, i): OracleAgent => {
    const createdAt = random.chance(0.6) ? new Date(BASE - HOUR) : moment();
    const referrer = i > 0 && random.chance(0.5) ? random.pick(here.slice(0, i)) : null;
    return {
      wallet,
      createdAt,
      claimedAt: random.chance(0.6) ? moment(createdAt.getTime()) : null,
      referredBy: referrer,
      referredAt: referrer === null ? null : random.chance(0.7) ? createdAt : moment(createdAt.getTime()),
    };
  });

  const posts = agents.flatMap(({ wallet, createdAt }, i) =>
    Array.from({ length: random.integer(6) }, (_, k) => ({
      id: hex(`post ${i} ${k}`, 22),
      agent: wallet,
      at: moment(createdAt.getTime()),
    })),
  );
  const acts = (count: number, after: number): OracleAct[] => {
    // The acts do not overlap: the next one starts after the previous one was undone.
    const list: OracleAct[] = [];
    for (let i = 0; i < count && list.at(-1)?.removedAt !== null; i++) {
      const at = moment(list.at(-1)?.removedAt?.getTime() ?? after);
      list.push({ at, removedAt: undone(at) });
    }
    return list;
  };
  const follows = here.flatMap((follower) =>
    here
      .filter((followed) => followed !== follower && random.chance(0.4))
      .flatMap((followed) => acts(1 + random.integer(2), BASE).map((act) => ({ follower, followed, ...act }))),
  );
  const reactions = posts.flatMap((post) =>
    here
      .filter((actor) => actor !== post.agent && random.chance(0.3))
      .flatMap((actor) => {
        const kind = random.pick(['like', 'repost'] as const);
        return acts(1 + random.integer(1), post.at.getTime()).map((act) => ({ post: post.id, actor, kind, ...act }));
      }),
  );
  const times = Array.from({ length: random.integer(60) }, () => moment());
  return { agents, markets, trades: trade(random, wallets, markets, times), posts, follows, reactions };
}

/** Random trades that the contract would accept, in chain order, often several in one second. */
function trade(
  random: Random,
  wallets: readonly string[],
  markets: ReadonlyMap<string, Date>,
  times: readonly Date[],
): OracleTrade[] {
  const supply = new Map<string, number>();
  const held = new Map<string, number>();
  const trades: OracleTrade[] = [];
  for (const at of [...times].sort((a, b) => a.getTime() - b.getTime())) {
    const open = [...markets].filter(([, registered]) => registered <= at).map(([wallet]) => wallet);
    if (open.length === 0) continue;
    const agent = random.pick(open);
    const trader = random.pick(wallets);
    const key = `${agent} ${trader}`;
    const tickets = supply.get(agent) ?? 1;
    const balance = held.get(key) ?? (agent === trader ? 1 : 0);
    const most = Math.min(balance, tickets - 1, 20);
    const sells = most > 0 && random.chance(0.6);
    const amount = sells ? (random.chance(0.6) ? most : 1 + random.integer(most - 1)) : 1 + random.integer(5);
    const from = sells ? tickets - amount : tickets;
    let squares = 0n;
    for (let i = from; i < from + amount; i++) squares += BigInt(i) ** 2n;
    supply.set(agent, sells ? from : from + amount);
    held.set(key, balance + (sells ? -amount : amount));
    // 1 / 50000 ETH are 20000000000000 wei.
    trades.push({ side: sells ? 'sell' : 'buy', trader, agent, amount, price: squares * 20_000_000_000_000n, at });
  }
  return trades;
}
