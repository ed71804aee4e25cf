// Nightly: it depends on real time.
import { expect } from 'chai';
import type { Timeouts } from '../../src/store/connections/timeouts.js';
import { migrate, openDatabase } from '../../src/store/database.js';
import { leadership } from '../../src/store/leader.js';
import { TIMES } from '../../src/times.js';
import { FaultyLine } from '../support/chain/faulty-line.js';
import { createDatabase, serverUrl, testDatabase } from '../support/database.js';
import { eventually } from '../support/service/process.js';

const timed = async (work: Promise<unknown>): Promise<{ ms: number; error: unknown }> => {
  const begun = performance.now();
  const error = await work.then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  return { ms: performance.now() - begun, error };
};

if (serverUrl === undefined) {
  describe('advisory locks on PostgreSQL over a faulty network', () => {
    it('are not tested: DATABASE_URL is not set');
  });
} else {
  describe('leadership over a faulty network', () => {
    let line: FaultyLine;

    beforeEach(async () => {
      line = await FaultyLine.to(String((await testDatabase()).url));
    });
    afterEach(() => line.close());

    it('ends when the network freezes, and the server gives the lock to another replica', async () => {
      const [lock, url] = [4712 + process.pid, line.url];
      const [one, two] = [
        leadership({ url }, lock, TIMES),
        leadership({ url: String((await testDatabase()).url) }, lock, TIMES),
      ];
      try {
        expect(await one.lead()).to.equal(true);
        expect(await two.lead()).to.equal(false);
        const { term } = one;
        expect(term?.aborted).to.equal(false);
        line.freeze();
        const frozenAt = performance.now();
        await eventually(() => term?.aborted === true, 'the leader does not lose its leadership');
        expect(performance.now() - frozenAt).to.be.lessThan(6000);
        expect(await one.lead()).to.equal(false);
        // The frozen network hides the failure from the server, so a timeout of the server ends the session.
        await eventually(() => two.lead(), 'the other replica cannot become the leader');
      } finally {
        line.thaw();
        line.reset();
        await Promise.all([one.close(), two.close()]);
      }
    });

    it('closes within a timeout over a frozen network', async () => {
      const leader = leadership({ url: line.url }, 4713 + process.pid, TIMES);
      expect(await leader.lead()).to.equal(true);
      line.freeze();
      expect((await timed(leader.close())).ms).to.be.within(2500, 4500);
    });
  });

  describe('migrations over a faulty network', () => {
    it('complete at the next start after a slow, cut or frozen connection', async () => {
      const faulty = await FaultyLine.to(await createDatabase(serverUrl as string));
      const start = async (limits: Timeouts) => {
        const target = { url: faulty.url };
        const fresh = await openDatabase(target);
        try {
          await migrate(fresh, target, limits);
          return await fresh.migrator.getPending();
        } finally {
          await fresh.close(true);
        }
      };
      const long = { statementMs: 20_000, lockMs: 20_000, idleMs: 20_000, answerMs: 20_000 };
      try {
        void faulty.at(/create table/, 'drop');
        expect((await timed(start(long))).error).to.be.instanceOf(Error);
        void faulty.at(/create table/, 'freeze');
        const frozen = await timed(start({ statementMs: 1500, lockMs: 1500, idleMs: 1500, answerMs: 2000 }));
        expect(frozen.error).to.be.instanceOf(Error);
        expect(frozen.ms).to.be.lessThan(10_000);
        void faulty.at(/create table/, { delayMs: 700 });
        faulty.slow(2);
        expect(await start(long)).to.deep.equal([]);
      } finally {
        await faulty.close();
      }
    });

    for (const [what, statement] of [
      ['creates the table of migrations', /create table "mikro/],
      ['creates the tables', /create table "agent"/],
    ] as const) {
      it(`release the migration lock within 20 s when the network freezes while a replica ${what}`, async () => {
        const url = await createDatabase(serverUrl as string);
        const faulty = await FaultyLine.to(url);
        const start = async (target: { url: string }) => {
          const fresh = await openDatabase(target);
          try {
            await migrate(fresh, target);
            return await fresh.migrator.getPending();
          } finally {
            await fresh.close(true);
          }
        };
        try {
          const frozen = faulty.at(statement, 'freeze');
          const first = timed(start({ url: faulty.url }));
          await frozen;
          // New connections hang too: nothing that the first replica sends arrives.
          faulty.freeze();
          const begun = performance.now();
          expect(await start({ url })).to.deep.equal([]);
          expect(performance.now() - begun).to.be.within(1000, 20_000);
          expect((await first).error).to.be.instanceOf(Error);
          expect(performance.now() - begun).to.be.lessThan(25_000);
        } finally {
          await faulty.close();
        }
      });
    }
  });
}
