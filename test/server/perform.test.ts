// Server: it behaves differently on PostgreSQL or Redis.
import { expect } from 'chai';
import type { Deps } from '../../src/deps.js';
import { AppError } from '../../src/errors.js';
import {
  identityOf,
  MAX_ANSWERS_PER_CALLER,
  storedAnswer,
  sweepAnswers,
  takeLease,
} from '../../src/server/idempotency/keys.js';
import { runOnce } from '../../src/server/perform.js';
import { sqlIn } from '../../src/store/sql.js';
import { DAY_MS } from '../../src/time.js';
import { outcomeOf, thrownBy } from '../support/refused.js';
import { drawUuid } from '../support/seed.js';
import { eventually } from '../support/service/process.js';
import { runSql } from '../support/store.js';
import { manualTimes, testTimes } from '../support/times.js';
import { useWorld } from '../support/world.js';

describe('a write with an idempotency key', () => {
  const world = useWorld();
  const identify = (key: string, content = 'body', caller = 'caller') =>
    identityOf('secret', { key, caller, operation: 'POST /x', content });

  type Execution = Parameters<typeof runOnce>[2];
  type Options = { readonly before?: () => Promise<unknown>; readonly deps?: Deps; readonly answer?: Buffer };

  /** The tested write: its effect is a row in the table of settings. */
  const execution =
    (name: string, { before, deps = world.deps, answer = Buffer.from(`stored ${name}`) }: Options = {}): Execution =>
    async (store) => {
      await before?.();
      await deps.write(async (tx) => {
        await sqlIn(tx)('insert into setting (name, value) values ($1, $2)', [name, 'x']);
        await store(tx, answer);
      });
      return answer;
    };
  const settings = async (name: string) => (await world.deps.sql('select from setting where name = $1', [name])).length;
  const rows = (key: string) =>
    world.deps.sql<{ answer: Uint8Array | null }>('select answer from idempotent_write where id = $1', [
      identify(key).id,
    ]);
  const endLeases = () =>
    runSql(world.deps, "update idempotent_write set lease_until = now() - interval '1 s' where answer is null");
  const codeOf = async (work: Promise<unknown>) => ((await thrownBy(work)) as AppError | undefined)?.code;

  it('stores the answer of a use case that writes nothing', async () => {
    const answer = Buffer.from('nothing');
    const nothing: Execution = async (store) => {
      await world.deps.write((tx) => store(tx, answer));
      return answer;
    };
    expect((await runOnce(world.deps, identify('nothing'), nothing)).replayed).to.equal(false);
    expect((await runOnce(world.deps, identify('nothing'), nothing)).replayed).to.equal(true);
  });

  it('stores nothing if the use case is refused, whether before or in its transaction', async () => {
    const refuse = async () => {
      throw new AppError('DUPLICATE_POST');
    };
    const before = execution('refused', { before: refuse });
    const within: Execution = async (store) => {
      await world.deps.write(async (tx) => {
        await sqlIn(tx)("insert into setting (name, value) values ('refused', 'x')");
        await store(tx, Buffer.alloc(0));
        await refuse();
      });
      return Buffer.alloc(0);
    };
    for (const refused of [before, within]) {
      expect(await codeOf(runOnce(world.deps, identify('refused'), refused))).to.equal('DUPLICATE_POST');
      expect([await settings('refused'), await rows('refused')]).to.deep.equal([0, []]);
    }
    const other = await runOnce(world.deps, identify('refused', 'corrected'), execution('refused'));
    expect(other.replayed).to.equal(false);
  });

  it('rolls back the effect if the answer cannot be stored, and the answer if the transaction fails', async () => {
    const large = execution('large', { answer: Buffer.alloc(33_000) });
    expect(await outcomeOf(runOnce(world.deps, identify('large'), large))).to.include('idempotent_write_answer_check');
    expect([await settings('large'), await rows('large')]).to.deep.equal([0, []]);
    const write: Deps['write'] = (work) =>
      world.deps.write(async (tx) => {
        await work(tx);
        throw new Error('the transaction fails');
      });
    const failing = runOnce(world.deps, identify('failing'), execution('failing', { deps: { ...world.deps, write } }));
    expect(await outcomeOf(failing)).to.equal('the transaction fails');
    expect([await settings('failing'), await rows('failing')]).to.deep.equal([0, []]);
  });

  it('is refused while another execution has the lease, which is renewed as long as it runs', async () => {
    const times = manualTimes(testTimes);
    const [running, ending] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const slow = execution('slow', {
      before: () => {
        running.resolve();
        return ending.promise;
      },
    });
    const first = runOnce({ ...world.deps, times }, identify('slow'), slow);
    await running.promise;
    expect(await codeOf(storedAnswer(world.deps, identify('slow')))).to.equal('REQUEST_IN_PROGRESS');
    expect(await codeOf(storedAnswer(world.deps, identify('slow', 'other')))).to.equal('IDEMPOTENCY_KEY_REUSED');
    for (let renewal = 0; renewal < 2; renewal++) {
      await endLeases();
      expect(await storedAnswer(world.deps, identify('slow'))).to.equal(null);
      times.advance(times.writeLease / 3);
      await eventually(
        async () => (await codeOf(storedAnswer(world.deps, identify('slow')))) === 'REQUEST_IN_PROGRESS',
        'the lease was not renewed',
      );
    }
    expect(await codeOf(runOnce(world.deps, identify('slow'), execution('slow')))).to.equal('REQUEST_IN_PROGRESS');
    ending.resolve();
    expect(String((await first).answer)).to.equal('stored slow');
    expect(times.waiting).to.deep.equal([]);
  });

  it('passes to another execution when the lease has ended, and the first one is then rolled back', async () => {
    let second: Promise<unknown> | undefined;
    const overtaken = execution('first', {
      before: async () => {
        await endLeases();
        expect(await storedAnswer(world.deps, identify('overtaken'))).to.equal(null);
        second = runOnce(world.deps, identify('overtaken'), execution('overtaken'));
        await second;
      },
    });
    expect(await codeOf(runOnce(world.deps, identify('overtaken'), overtaken))).to.equal('REQUEST_IN_PROGRESS');
    expect(await second).to.include({ replayed: false });
    expect([await settings('overtaken'), await settings('first')]).to.deep.equal([1, 0]);
    expect(String(await storedAnswer(world.deps, identify('overtaken')))).to.equal('stored overtaken');
  });

  it('may have other content when the execution before it has died', async () => {
    await takeLease(world.deps, identify('died'), drawUuid());
    await endLeases();
    expect((await runOnce(world.deps, identify('died', 'other'), execution('died'))).replayed).to.equal(false);
  });

  it('is forgotten after 24 hours', async () => {
    await runOnce(world.deps, identify('old'), execution('old'));
    world.clock.advance(DAY_MS - 60_000);
    expect(String(await storedAnswer(world.deps, identify('old')))).to.equal('stored old');
    world.clock.advance(120_000);
    expect(await storedAnswer(world.deps, identify('old'))).to.equal(null);
    expect((await runOnce(world.deps, identify('old', 'other'), execution('new'))).replayed).to.equal(false);
  });

  it('is forgotten earlier if its caller has too many', async () => {
    await runSql(
      world.deps,
      `insert into idempotent_write (id, caller, content, holder, lease_until, answer, created_at)
       select ('\\x' || lpad(to_hex(n), 8, '0'))::bytea, case when n % 3 = 0 then 'a'::bytea else 'b' end, 'x', $1, now(), 'x',
         $2::timestamptz - n * interval '1 s'
       from generate_series(1, $3::int) as n`,
      [drawUuid(), world.clock.now().toISOString(), MAX_ANSWERS_PER_CALLER * 2],
    );
    await sweepAnswers(world.deps);
    const kept = await world.deps.sql<{ caller: string; count: number; oldest: number }>(
      `select convert_from(caller, 'UTF8') as caller, count(*)::int as count,
         extract(epoch from $1::timestamptz - min(created_at))::int as oldest
       from idempotent_write where content = 'x' group by caller order by caller`,
      [world.clock.now().toISOString()],
    );
    expect(kept.map(({ caller, count }) => [caller, count])).to.deep.equal([
      ['a', Math.floor((MAX_ANSWERS_PER_CALLER * 2) / 3)],
      ['b', MAX_ANSWERS_PER_CALLER],
    ]);
    expect(kept[1]?.oldest).to.be.lessThan(kept[0]?.oldest as number);
  });
});
