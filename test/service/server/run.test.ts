import { expect } from 'chai';
import { z } from 'zod';
import type { Deps } from '../../../src/deps.js';
import { AppError } from '../../../src/errors/errors.js';
import { type WindowState, windowName } from '../../../src/limits/limits.js';
import {
  fingerprintsOf,
  MAX_ANSWERS_PER_CALLER,
  storedAnswer,
  sweepAnswers,
  takeLease,
} from '../../../src/server/idempotency/keys.js';
import { unrouted } from '../../../src/server/operation.js';
import { type Request, run, type Transport } from '../../../src/server/run.js';
import { type Sql, sqlIn } from '../../../src/store/sql.js';
import { DAY_MS } from '../../../src/values/time.js';
import { outcomeOf, thrownBy } from '../../support/refused.js';
import { drawUuid } from '../../support/seed.js';
import { eventually } from '../../support/service/process.js';
import { runSql } from '../../support/store.js';
import { manualTimes, testTimes } from '../../support/times.js';
import { useWorld } from '../../support/world.js';

describe('a write with an idempotency key', () => {
  const world = useWorld();
  const ip = '203.0.113.1';
  /** The fingerprints of the tested write with this idempotency key. */
  const identify = (key: string, content = 'body') =>
    fingerprintsOf(world.deps.secretKey, { key, caller: `ip ${ip}`, operation: 'POST /x', content });

  type Options = {
    readonly content?: string;
    readonly before?: () => Promise<unknown>;
    readonly within?: () => Promise<unknown>;
    readonly after?: () => Promise<void>;
    readonly deps?: Deps;
    readonly answer?: Buffer;
  };

  /** Runs the tested write. Its effect is a row in the table of settings. */
  const write = (key: string, name: string, options: Options = {}) => {
    const { content = 'body', before, within, after, deps = world.deps, answer = Buffer.from(`stored ${name}`) } = options;
    const operation = unrouted({
      auth: 'none',
      limit: 'global',
      input: z.object({}),
      output: z.object({}),
      prepare: () => before?.(),
      async effect(tx) {
        await sqlIn(tx)('insert into setting (name, value) values ($1, $2)', [name, 'x']);
        await within?.();
        return {};
      },
      after: () => after?.(),
    });
    const transport: Transport<Request> = {
      input: async () => ({}),
      content: () => content,
      answer: () => ({ bytes: answer }),
    };
    const idempotency = { key, field: 'Idempotency-Key', name: 'POST /x' };
    return run(transport, { deps, operation, actor: null, ip, given: {}, idempotency });
  };
  /** Number of settings with this name: 1 if the effect was committed, else 0. */
  const settings = async (name: string) => (await world.deps.sql('select from setting where name = $1', [name])).length;
  const rows = (key: string) =>
    world.deps.sql<{ answer: Uint8Array | null }>('select answer from idempotent_write where id = $1', [identify(key).id]);
  /** Ends the leases of all running writes, as if their time were over. */
  const endLeases = () =>
    runSql(world.deps, "update idempotent_write set lease_until = now() - interval '1 s' where answer is null");
  const codeOf = async (work: Promise<unknown>) => ((await thrownBy(work)) as AppError | undefined)?.code;

  it('executes once, and gives every retry the first answer', async () => {
    expect(await write('once', 'once')).to.deep.equal({ bytes: Buffer.from('stored once') });
    const retry = await write('once', 'twice');
    expect([String(retry.bytes), retry.isReplayed]).to.deep.equal(['stored once', true]);
    expect([await settings('once'), await settings('twice')]).to.deep.equal([1, 0]);
  });

  it('stores nothing if the use case is refused, whether before or in its transaction', async () => {
    const refuse = async () => {
      throw new AppError('DUPLICATE_POST');
    };
    for (const refused of [{ before: refuse }, { within: refuse }]) {
      expect(await codeOf(write('refused', 'refused', refused))).to.equal('DUPLICATE_POST');
      expect([await settings('refused'), await rows('refused')]).to.deep.equal([0, []]);
    }
    expect((await write('refused', 'refused', { content: 'corrected' })).isReplayed).to.equal(undefined);
  });

  it('keeps the answer if what follows the commit fails', async () => {
    const after = async () => {
      throw new Error('nobody was told');
    };
    expect(await outcomeOf(write('told', 'told', { after }))).to.equal('nobody was told');
    const retry = await write('told', 'told', { after });
    expect([String(retry.bytes), retry.isReplayed, await settings('told')]).to.deep.equal(['stored told', true, 1]);
  });

  it('rolls back both effect and answer if the answer cannot be stored or the transaction fails', async () => {
    // A stored answer has at most 32,768 bytes.
    const large = write('large', 'large', { answer: Buffer.alloc(33_000) });
    expect(await outcomeOf(large)).to.include('idempotent_write_answer_check');
    expect([await settings('large'), await rows('large')]).to.deep.equal([0, []]);
    // Fails the transaction at its end, after effect and answer were written.
    const failing: Deps['write'] = (work, ...options) =>
      world.deps.write(
        async (tx) => {
          const result = await work(tx);
          if ((await sqlIn(tx)("select from setting where name = 'failing'")).length > 0) {
            throw new Error('the transaction fails');
          }
          return result;
        },
        ...options,
      );
    const failed = write('failing', 'failing', { deps: { ...world.deps, write: failing } });
    expect(await outcomeOf(failed)).to.equal('the transaction fails');
    expect([await settings('failing'), await rows('failing')]).to.deep.equal([0, []]);
  });

  it('is refused while another execution runs and renews its lease', async () => {
    const times = manualTimes(testTimes);
    const [running, ending] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const before = () => {
      running.resolve();
      return ending.promise;
    };
    const first = write('slow', 'slow', { before, deps: { ...world.deps, times } });
    await running.promise;
    expect(await codeOf(storedAnswer(world.deps, identify('slow')))).to.equal('REQUEST_IN_PROGRESS');
    expect(await codeOf(storedAnswer(world.deps, identify('slow', 'other')))).to.equal('IDEMPOTENCY_KEY_REUSED');
    for (let renewal = 0; renewal < 2; renewal++) {
      await endLeases();
      expect(await storedAnswer(world.deps, identify('slow'))).to.equal(null);
      // A running write renews its lease every third of the time of a lease.
      times.advance(times.writeLease / 3);
      await eventually(
        async () => (await codeOf(storedAnswer(world.deps, identify('slow')))) === 'REQUEST_IN_PROGRESS',
        'the lease was not renewed',
      );
    }
    expect(await codeOf(write('slow', 'slow'))).to.equal('REQUEST_IN_PROGRESS');
    ending.resolve();
    expect(String((await first).bytes)).to.equal('stored slow');
    expect(times.waiting).to.deep.equal([]);
  });

  it('passes to another execution when its lease ends, and rolls back the first execution', async () => {
    const before = async () => {
      await endLeases();
      expect(await storedAnswer(world.deps, identify('overtaken'))).to.equal(null);
      expect((await write('overtaken', 'overtaken')).isReplayed).to.equal(undefined);
    };
    expect(await codeOf(write('overtaken', 'first', { before }))).to.equal('REQUEST_IN_PROGRESS');
    expect([await settings('overtaken'), await settings('first')]).to.deep.equal([1, 0]);
    expect(String(await storedAnswer(world.deps, identify('overtaken')))).to.equal('stored overtaken');
  });

  it('may have other content when the execution before it has died', async () => {
    await takeLease(world.deps, identify('died'), drawUuid());
    await endLeases();
    expect((await write('died', 'died', { content: 'other' })).isReplayed).to.equal(undefined);
  });

  it('gets the answer of another execution that ends after the look-up and before the lease', async () => {
    let hasLooked = false;
    const sql: Sql = async (text, values) => {
      const found = await world.deps.sql(text, values);
      // The second execution has just found no stored answer. Before it takes the lease, the first one runs from start to end.
      if (text.includes('from idempotent_write') && !hasLooked) {
        hasLooked = true;
        await write('late', 'first of two');
      }
      return found as never;
    };
    const second = await write('late', 'second of two', { deps: { ...world.deps, sql } });
    expect([String(second.bytes), second.isReplayed]).to.deep.equal(['stored first of two', true]);
    expect([await settings('first of two'), await settings('second of two')]).to.deep.equal([1, 0]);
  });

  it('is forgotten after 24 hours', async () => {
    await write('old', 'old');
    world.clock.advance(DAY_MS - 60_000);
    expect(String(await storedAnswer(world.deps, identify('old')))).to.equal('stored old');
    world.clock.advance(120_000);
    expect(await storedAnswer(world.deps, identify('old'))).to.equal(null);
    expect((await write('old', 'new', { content: 'other' })).isReplayed).to.equal(undefined);
  });

  it('is forgotten earlier if its caller has too many stored answers', async () => {
    // One row per second. A third belongs to caller a, fewer than the maximum, and the others to b, more than the maximum.
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
    // The rows of b that were deleted are its oldest.
    expect(kept[1]?.oldest).to.be.lessThan(kept[0]?.oldest as number);
  });
});

describe('a write', () => {
  const world = useWorld();
  it('counts once in its limits, even if its preparation already counts it', async () => {
    const operation = unrouted({
      auth: 'none',
      limit: [{ name: 'own', max: 5, seconds: 60, per: 'ip' }],
      input: z.object({}),
      output: z.object({}),
      prepare: (ctx) => ctx.count(),
      effect: async () => ({}),
    });
    const counted: string[] = [];
    const announce = (windows: readonly WindowState[]) =>
      counted.push(...windows.map((window) => `${windowName(window)} ${window.remaining}`));
    const transport: Transport<Request> = {
      input: async () => ({}),
      content: () => '',
      answer: () => ({ bytes: Buffer.alloc(0) }),
    };
    await run(transport, { deps: world.deps, operation, actor: null, ip: '203.0.113.2', given: {}, announce });
    expect(counted).to.deep.equal(['global 19', 'own 4']);
  });
});
