import { expect } from 'chai';
import { judge } from '../../../../src/features/theses/judge.js';
import type { RecordRow } from '../../../../src/features/theses/records.js';
import { markStale, refreshRecords } from '../../../../src/features/theses/refresh.js';
import { sqlIn } from '../../../../src/store/sql.js';
import { thrown } from '../../../support/client/traders.js';
import { putRecord } from '../../../support/market/judged.js';
import { randomWallet } from '../../../support/market/rows.js';
import { runSql, untilLocked } from '../../../support/store.js';
import { useWorld } from '../../../support/world.js';

describe('the ranks of theses', () => {
  const world = useWorld();
  beforeEach(() => runSql(world.deps, 'delete from thesis_record'));
  const ranks = () => world.deps.sql('select author, rank from thesis_record order by rank');

  it('lack an author whose last call was taken back, also if the run ends before it computes them', async () => {
    const [author, gone] = [randomWallet(), randomWallet()];
    await putRecord(world, author, { rank: 2, figures: { lowerBound: 0.001 } });
    await putRecord(world, gone, { rank: 1 });
    await world.deps.write((tx) => markStale(sqlIn(tx), [gone]));
    let left = 2;
    const write: typeof world.deps.write = async (work) => {
      if (left-- === 0) throw new Error('the process ended');
      return world.deps.write(work);
    };
    // The first transaction computes the record, and the second finds no other.
    expect(await thrown(refreshRecords({ write }))).to.include({ message: 'the process ended' });
    const { status, body } = await world.ask('GET', '/api/theses/leaderboard');
    expect(status).to.equal(200);
    const shown = body.leaderboard as Pick<RecordRow, 'rank'>[];
    expect(shown.map(({ rank }) => rank)).to.deep.equal([2]);
    await judge(world.deps);
    expect(await ranks()).to.deep.equal([{ author, rank: 1 }]);
  });

  it('are computed while another replica begins to compute a record, without a deadlock', async () => {
    const [ranked, stale] = [randomWallet(), randomWallet()];
    await putRecord(world, ranked, { rank: 1 });
    await world.deps.write((tx) => markStale(sqlIn(tx), [stale]));
    let judged = Promise.resolve();
    // The lock and the rows are those that a replica takes to compute the ranks.
    await world.deps.write(async (tx) => {
      await sqlIn(tx)('lock table thesis_record in share row exclusive mode');
      judged = judge(world.deps);
      await untilLocked(world.deps);
      await sqlIn(tx)('update thesis_record set rank = 5');
    });
    await judged;
    expect(await ranks()).to.deep.equal([{ author: ranked, rank: 1 }]);
  });
});
