// CI: it scores 40 random worlds.
import { expect } from 'chai';
import { scoreNow, updateSeasons } from '../../../src/features/seasons/score.js';
import { sqlIn } from '../../../src/store/sql.js';
import { serverUrl } from '../../support/database.js';
import { categoryNames, type History, oracleScores } from '../../support/scoring/scoring-oracle.js';
import { storeHistory, withoutAgent } from '../../support/scoring/scoring-rows.js';
import { type Calendar, randomCalendar, randomFrom, randomHistory } from '../../support/scoring/scoring-worlds.js';
import { addSeason, pointsRows, type SeasonWorld, seasonWorld } from '../../support/scoring/seasons.js';
import { runSql } from '../../support/store.js';

const deep = process.env.DEEP_TESTS !== undefined;
const seed = Number(process.env.TEST_SEED ?? 20_261_121);
const WORLDS = deep || serverUrl !== undefined ? 500 : 40;
/** The number of worlds that share a database, and therefore a calendar. */
const BATCH = 10;

/** The seasons in which each agent has points, according to the oracle. */
type Memory = Map<string, Set<number>>;

describe('season points of random worlds', () => {
  /** The categories in which at least one agent had points. */
  const seen = new Set<string>();

  for (let batch = 0; batch < WORLDS / BATCH; batch++) {
    it(`match the oracle in worlds ${batch * BATCH + 1} to ${(batch + 1) * BATCH} of seed ${seed}`, async () => {
      const random = randomFrom(seed + batch);
      const calendar = randomCalendar(random);
      let histories = Array.from({ length: BATCH }, (_, i) => randomHistory(random, calendar, `${batch} ${i}`));
      const world = await seasonWorld({ SEASON_DAYS: '0' });
      for (const history of histories) await world.deps.write((tx) => storeHistory(sqlIn(tx), history));
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

      // The job did not run for a while: two seasons have ended since.
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

/** Compares every category of every agent within 1e-9, and the ranks with the order of the totals. */
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
