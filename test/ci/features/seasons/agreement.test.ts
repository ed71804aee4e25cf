import { expect } from 'chai';
import { updateLinks } from '../../../../src/features/seasons/links/links.js';
import { scoreNow, updateSeasons } from '../../../../src/features/seasons/score.js';
import { serverUrl } from '../../../support/database.js';
import { oracleLinks } from '../../../support/scoring/link-oracle.js';
import { type Calendar, randomCalendar, randomFrom, randomHistory } from '../../../support/scoring/random-worlds.js';
import { categoryNames, type History, oracleScores, type Period } from '../../../support/scoring/scoring-oracle.js';
import { storeHistory, withoutAgent } from '../../../support/scoring/scoring-rows.js';
import { addSeason, pointsRows, type SeasonWorld, seasonWorld, unlinkedRows } from '../../../support/scoring/seasons.js';
import { runSql } from '../../../support/store.js';

const deep = process.env.DEEP_TESTS !== undefined;
const seed = Number(process.env.TEST_SEED ?? 20_261_121);
const WORLDS = deep || serverUrl !== undefined ? 500 : 40;
/** What the links of the worlds must have had. Agents that trade only with each other are too rare by chance. */
const LINKS_SEEN = ['feeDestination', 'registeredTogether', 'hardlyTraded', 'sameBlocks', 'sameTrades', 'points by links'];
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
      await updateLinks(world.deps);
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
      await updateLinks(world.deps);
      for (const season of [1, 2, 3]) await compare(world, histories, memory, calendar, season);

      const frozen = await pointsRows(world, 1);
      await someLeave();
      // Points of the same millisecond count as those before.
      world.now = new Date(world.now.getTime() + 1);
      await scoreNow(world.deps);
      await updateLinks(world.deps);
      const left = frozen.filter(({ agent }) => histories.some(({ agents }) => agents.some((a) => a.wallet === agent)));
      expect(await pointsRows(world, 1)).to.deep.equal(left);
      await compare(world, histories, memory, calendar, 3);
      for (const row of [...left, ...(await pointsRows(world, 2)), ...(await pointsRows(world, 3))]) {
        for (const name of categoryNames) if (row[name]) seen.add(name);
      }
      for (const { kind } of await world.deps.sql<{ kind: string }>('select distinct kind from link_sign')) seen.add(kind);
      for (const { totalPoints, agent } of await unlinkedRows(world, 3)) {
        const official = (await pointsRows(world, 3)).find((row) => row.agent === agent)?.totalPoints ?? 0;
        if (totalPoints < official - 0.1) seen.add('points by links');
      }
    });
  }

  it('cover every category with points above zero, and links', () => {
    expect([...seen].sort()).to.deep.equal([...categoryNames, ...LINKS_SEEN].sort());
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
  await compareWithoutLinks(world, histories, period, season);
}

/** Compares links, points without them and round trips with the oracle. */
async function compareWithoutLinks(world: SeasonWorld, histories: readonly History[], period: Period, season: number) {
  const history = joined(histories);
  const { linked, count, ownerOf } = oracleLinks(history, period);
  const expected = new Map(histories.flatMap((one) => [...oracleScores(one, { ...period, linked })]));
  const trips = tripsOf(history, period, ownerOf);
  const official = new Map((await pointsRows(world, season)).map((row) => [row.agent, row.totalPoints ?? 0]));
  const rows = await unlinkedRows(world, season);
  expect(rows.map(({ agent }) => agent).sort()).to.deep.equal([...expected.keys()].sort());
  for (const { agent, totalPoints, ...row } of rows) {
    const total = Math.min(official.get(agent) ?? 0, expected.get(agent)?.totalPoints ?? 0);
    expect(totalPoints, `points of ${agent} without links in season ${season}`).to.be.closeTo(total, 1e-9);
    expect(row, agent).to.deep.include({ linkedWallets: count(agent), ...(trips.get(agent) ?? { volume: 0n, roundTrips: 0n }) });
  }
  expect(rows.map(({ rank }) => rank)).to.deep.equal(rows.map((_, i) => i + 1));
  const totals = rows.map(({ totalPoints }) => totalPoints);
  expect(totals).to.deep.equal(totals.toSorted((a, b) => b - a));
}

const joined = (histories: readonly History[]): History => ({
  agents: histories.flatMap(({ agents }) => agents),
  markets: new Map(histories.flatMap(({ markets }) => [...markets])),
  trades: histories.flatMap(({ trades }) => trades),
  destinations: histories.flatMap(({ destinations = [] }) => destinations),
  posts: [],
  follows: [],
  reactions: [],
});

/** Volume and round trips in the tickets of each agent: twice the smaller of what an owner bought and sold on a day. */
function tripsOf(history: History, { from, moment }: Period, ownerOf: (wallet: string) => string) {
  const within = history.trades.filter(({ at }) => at < moment && (from === null || at >= from));
  const days = Map.groupBy(within, ({ agent, trader, at }) => `${agent} ${ownerOf(trader)} ${at.toISOString().slice(0, 10)}`);
  const trips = new Map<string, { volume: bigint; roundTrips: bigint }>();
  for (const day of days.values()) {
    const sumOf = (side: string) => day.reduce((sum, trade) => (trade.side === side ? sum + trade.price : sum), 0n);
    const [bought, sold] = [sumOf('buy'), sumOf('sell')];
    const agent = day[0]?.agent ?? '';
    const { volume, roundTrips } = trips.get(agent) ?? { volume: 0n, roundTrips: 0n };
    trips.set(agent, { volume: volume + bought + sold, roundTrips: roundTrips + 2n * (bought < sold ? bought : sold) });
  }
  return trips;
}
