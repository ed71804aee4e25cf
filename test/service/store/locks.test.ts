import { expect } from 'chai';
import { openDatabase } from '../../../src/service/orm.js';
import { MIGRATION } from '../../../src/store/connections/timeouts.js';
import { migrate } from '../../../src/store/database.js';
import { leadership } from '../../../src/store/leader.js';
import { FaultyLine } from '../../support/chain/faulty-line.js';
import { createDatabase, serverUrl, testDatabase } from '../../support/database.js';
import { thrownBy } from '../../support/refused.js';
import { eventually } from '../../support/service/process.js';
import { type ManualTimes, manualTimes, testTimes } from '../../support/times.js';

if (serverUrl !== undefined) {
  const server = serverUrl;
  describe('leadership over a faulty network', () => {
    /** Key of the advisory lock that the leader has. */
    const lock = 4712;
    let line: FaultyLine;
    let url: string;
    let times: ManualTimes;

    beforeEach(async () => {
      url = String((await testDatabase()).url);
      line = await FaultyLine.to(url);
      times = manualTimes(testTimes);
    });
    afterEach(() => line.close());

    it('ends when the network freezes', async () => {
      const [one, two] = [leadership({ url: line.url }, lock, times), leadership({ url }, lock, testTimes)];
      expect([await one.lead(), await two.lead()]).to.deep.equal([true, false]);
      const { term } = one;
      // Every 2,000 ms, the leader asks the server whether its session is alive, and waits `leaderAnswer` for the answer.
      expect([term?.aborted, times.waiting]).to.deep.equal([false, [2000]]);
      line.freeze();
      times.advance(2000);
      expect(times.waiting).to.deep.equal([2000, times.leaderAnswer]);
      times.advance(times.leaderAnswer);
      await eventually(() => term?.aborted === true, 'the leader does not lose its leadership');
      expect(times.waiting).to.deep.equal([]);
      // The frozen network hides the failure from the server. So the server has not yet released the lock, and nobody leads.
      line.thaw();
      expect([await one.lead(), await two.lead()]).to.deep.equal([false, false]);
      await Promise.all([one.close(), two.close()]);
    });

    it('passes to another replica when the server has heard nothing from the leader for long', async () => {
      const silent = leadership({ url }, lock, { ...times, leaderSilence: 500 });
      const other = leadership({ url }, lock, testTimes);
      await eventually(() => silent.lead(), 'no replica leads');
      await eventually(() => other.lead(), 'the other replica cannot become the leader');
      await eventually(() => silent.term?.aborted === true, 'the silent replica still leads');
      expect(await silent.lead()).to.equal(false);
      await Promise.all([silent.close(), other.close()]);
    });

    it('closes within a timeout while the network is frozen', async () => {
      const leader = leadership({ url: line.url }, lock, times);
      expect(await leader.lead()).to.equal(true);
      line.freeze();
      const closing = leader.close();
      expect(times.waiting).to.deep.equal([times.leaderAnswer]);
      times.advance(times.leaderAnswer);
      await closing;
    });
  });

  describe('migrations over a faulty network', () => {
    it('complete over a slow connection at the next start after a cut or frozen one', async () => {
      const faulty = await FaultyLine.to(await createDatabase(server));
      const times = manualTimes(testTimes);
      const start = async () => {
        const target = { url: faulty.url };
        const fresh = await openDatabase(target, { times });
        try {
          await migrate(fresh, target);
          return await fresh.migrator.getPending();
        } finally {
          await fresh.close(true);
        }
      };
      try {
        void faulty.at(/create table/, 'drop');
        expect(await thrownBy(start())).to.be.instanceOf(Error);
        const frozen = faulty.at(/create table/, 'freeze');
        const first = thrownBy(start());
        await frozen;
        times.advance(times.factor * MIGRATION.answerMs);
        expect(await first).to.be.instanceOf(Error);
        faulty.reset();
        void faulty.at(/create table/, { delayMs: 100 });
        faulty.slow(2);
        expect(await start()).to.deep.equal([]);
      } finally {
        await faulty.close();
      }
    });
  });
}
