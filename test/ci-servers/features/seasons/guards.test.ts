import type { SqlEntityManager } from '@mikro-orm/sql';
import { expect } from 'chai';
import { getTasks } from 'node-cron';
import { scoreNow, updateSeasons } from '../../../../src/features/seasons/score.js';
import { startScoring } from '../../../../src/jobs/jobs.js';
import { openDatabase } from '../../../../src/service/orm.js';
import type { Write } from '../../../../src/store/sql.js';
import { serverUrl, testDatabase } from '../../../support/database.js';
import { outcomeOf } from '../../../support/refused.js';
import { exampleHistory, january, walletOf } from '../../../support/scoring/scoring-example.js';
import { storeHistory } from '../../../support/scoring/scoring-rows.js';
import { addSeason, pointsRows, type SeasonWorld, seasonRows, seasonWorld } from '../../../support/scoring/seasons.js';
import { runSql, storeOf } from '../../../support/store.js';
import { testTimes } from '../../../support/times.js';

/** A world with the agents of the worked example in an active season. */
async function runningWorld(environment: Record<string, string> = {}): Promise<SeasonWorld> {
  const world = await seasonWorld({ SEASON_DAYS: '0', ...environment });
  await world.deps.write((tx) => storeHistory(tx, exampleHistory()));
  await addSeason(world, 1, january('1'), january('22'));
  world.now = january('21 18:00');
  return world;
}

describe('season points', () => {
  it('roll back when scoring fails at any statement', async () => {
    const world = await runningWorld();
    await scoreNow(world.deps);
    const rows = await pointsRows(world, 1);
    const seasons = await seasonRows(world);
    world.now = january('22 00:01');
    await runSql(world.deps, 'delete from ticket_holding where holder = $1', [walletOf('Bo')]);
    let statements = 0;
    const cut = async (limit: number) => {
      statements = 0;
      const write = failing(world.deps.write, () => ++statements > limit);
      return outcomeOf(updateSeasons({ ...world.deps, write }));
    };
    for (let limit = 0; (await cut(limit)) === 'cut short'; limit++) {
      expect(await pointsRows(world, 1), `cut after ${limit} statements`).to.deep.equal(rows);
      expect(await seasonRows(world)).to.deep.equal(seasons);
    }
    expect(statements).to.be.greaterThan(20);
    expect((await seasonRows(world))[0]?.frozenAt).to.deep.equal(world.now);
    expect(await pointsRows(world, 1)).not.to.deep.equal(rows);
  });
});

describe('the scoring job', () => {
  it('starts the first season before the service is ready, and looks each minute for what is due', async () => {
    const world = await seasonWorld({ SEASON_DAYS: '7' });
    const job = await startScoring(world.deps);
    expect((await seasonRows(world)).map(({ number }) => number)).to.deep.equal([1]);
    const [task] = getTasks().values();
    expect(task?.getPattern()).to.equal('* * * * *');
    await job.stop();
    expect(getTasks().size).to.equal(0);
  });

  it('makes up for a missed midnight at the start, and logs a failure', async () => {
    const world = await runningWorld({ SEASON_DAYS: '7' });
    let broken = true;
    const write = failing(world.deps.write, () => broken);
    await (await startScoring({ ...world.deps, write })).stop();
    expect(world.logged.map(({ msg }) => msg)).to.deep.equal(['a job failed; retrying']);
    expect(await pointsRows(world, 1)).to.deep.equal([]);
    broken = false;
    await (await startScoring({ ...world.deps, write })).stop();
    expect((await pointsRows(world, 1)).length).to.equal(10);
  });

  // The embedded database has one process and one connection, so two replicas need a PostgreSQL server.
  if (serverUrl !== undefined) {
    it('runs once on two replicas', async () => {
      const world = await runningWorld({ SEASON_DAYS: '7' });
      const { url } = await testDatabase();
      const other = await openDatabase({ url: url as string }, { times: testTimes });
      try {
        const store = await storeOf(other);
        let computed = 0;
        const counting = (write: Write) =>
          failing(write, (text) => {
            if (text.startsWith('insert into agent_season_points')) computed++;
            return false;
          });
        const one = { ...world.deps, write: counting(world.deps.write) };
        const replica = { ...world.deps, ...store, write: counting(store.write) };
        const both = () => Promise.all([updateSeasons(one), updateSeasons(replica)]);
        expect((await both()).flat()).to.deep.equal([{ number: 1, agents: 10, isFrozen: false }]);
        world.now = january('22 00:01');
        expect((await both()).flat().sort((a, b) => a.number - b.number)).to.deep.equal([
          { number: 1, agents: 10, isFrozen: true },
          { number: 2, agents: 10, isFrozen: false },
        ]);
        expect(computed, 'replicas never compute the same season twice').to.equal(3);
        // Scoring by hand is not limited to one replica: the calls run one after the other, and each one writes the same rows.
        await Promise.all([scoreNow(world.deps), scoreNow(replica), scoreNow(world.deps), scoreNow(replica)]);
        expect((await pointsRows(world, 2)).length).to.equal(10);
      } finally {
        await other.close(true);
      }
    });

    it('reads from one snapshot', async () => {
      const world = await runningWorld();
      await scoreNow(world.deps);
      const rows = await pointsRows(world, 1);
      let statements = 0;
      const write = failing(world.deps.write, async () => {
        // Another session deletes the follows after the first query of the scoring, and before the points are computed.
        if (++statements === 5) await runSql(world.deps, 'delete from agent_follow');
        return false;
      });
      await scoreNow({ ...world.deps, write });
      expect(statements).to.be.greaterThan(20);
      expect(await pointsRows(world, 1)).to.deep.equal(rows);
      await scoreNow(world.deps);
      expect(await pointsRows(world, 1)).not.to.deep.equal(rows);
    });

    it('starts again when an agent is deleted during scoring', async () => {
      const world = await runningWorld();
      await scoreNow(world.deps);
      let statements = 0;
      const write = failing(world.deps.write, async () => {
        // After the first query of the scoring, and before the points are stored.
        if (++statements === 5) await runSql(world.deps, 'delete from agent where wallet = $1', [walletOf('Ada')]);
        return false;
      });
      expect(await scoreNow({ ...world.deps, write })).to.deep.equal([{ number: 1, agents: 9, isFrozen: false }]);
    });
  }
});

/** Wraps the write function. `fails` runs before each statement of a transaction. If it returns true, the statement fails. */
function failing(write: Write, fails: (text: string) => boolean | Promise<boolean>): Write {
  const wrap = (tx: SqlEntityManager): SqlEntityManager => {
    const context = tx.getTransactionContext<{ executeQuery(query: unknown): Promise<unknown> }>();
    const executeQuery = async (query: { readonly sql: string }) => {
      if (await fails(query.sql)) throw new Error('cut short');
      return context?.executeQuery(query);
    };
    return Object.create(tx, { getTransactionContext: { value: () => ({ executeQuery }) } });
  };
  return (work, options) => write((tx) => work(wrap(tx)), options);
}
