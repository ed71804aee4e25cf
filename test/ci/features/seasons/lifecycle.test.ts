import { expect } from 'chai';
import { AppError, type ErrorCode } from '../../../../src/errors/errors.js';
import { endSeason, startSeason } from '../../../../src/features/seasons/lifecycle.js';
import { scoreNow, updateSeasons } from '../../../../src/features/seasons/score.js';
import { readActiveSeason } from '../../../../src/features/seasons/seasons.js';
import type { Write } from '../../../../src/store/sql.js';
import { thrownBy } from '../../../support/refused.js';
import {
  addSeason,
  elsewhere,
  HEAD,
  indexTo,
  type SeasonWorld,
  seasonRows,
  seasonWorld,
} from '../../../support/scoring/seasons.js';
import { runSql } from '../../../support/store.js';

const at = (text: string) => new Date(`${text}Z`);

async function refused(work: Promise<unknown>, code: ErrorCode): Promise<void> {
  expect(await thrownBy(work))
    .to.be.instanceOf(AppError)
    .with.property('code', code);
}

/** The seasons, one line for each: number, start, end, and `frozen` or `open`. */
const lines = async (world: SeasonWorld) =>
  (await seasonRows(world)).map(
    ({ number, startAt, endAt, frozenAt }) =>
      `${number} ${startAt.toISOString().slice(0, 16)} ${endAt.toISOString().slice(0, 16)} ${frozenAt ? 'frozen' : 'open'}`,
  );

const start = async (now: string, environment: Record<string, string> = { SEASON_DAYS: '0' }) => {
  const world = await seasonWorld(environment);
  world.now = at(now);
  return world;
};

describe('seasons', () => {
  it('start automatically at 00:00 of the first day, once, and are scored', async () => {
    const world = await start('2026-03-10T15:00:00', { SEASON_DAYS: '28' });
    await updateSeasons(world.deps);
    await updateSeasons(world.deps);
    expect(await lines(world)).to.deep.equal(['1 2026-03-10T00:00 2026-04-07T00:00 open']);
    expect((await seasonRows(world))[0]?.scoredAt).to.deep.equal(world.now);
    expect((await readActiveSeason(world.deps))?.daysLeft).to.equal(28);
  });

  it('do not start automatically when SEASON_DAYS is 0', async () => {
    const world = await start('2026-03-10T15:00:00');
    expect(await updateSeasons(world.deps)).to.deep.equal([]);
    expect(await scoreNow(world.deps)).to.deep.equal([]);
    await startSeason(world.deps, { startAt: at('2026-03-10T12:00:00'), endAt: at('2026-03-12T00:00:00') });
    world.now = at('2026-03-12T00:01:00');
    await updateSeasons(world.deps);
    expect(await lines(world)).to.deep.equal(['1 2026-03-10T12:00 2026-03-12T00:00 frozen']);
  });

  it('are scored at the first run after each midnight, and not again that day', async () => {
    const world = await seasonWorld({ SEASON_DAYS: '28' });
    const scored = async (now: string) => {
      world.now = at(now);
      return (await updateSeasons(world.deps)).length;
    };
    expect(await scored('2026-03-10T15:00:00')).to.equal(1);
    expect(await scored('2026-03-10T23:59:59.999')).to.equal(0);
    expect(await scored('2026-03-11T00:00:00')).to.equal(1);
    expect(await scored('2026-03-11T00:00:01')).to.equal(0);
    // Two midnights have passed while the service was down. One run covers both.
    expect(await scored('2026-03-13T09:00:00')).to.equal(1);
    expect(await scored('2026-03-13T09:00:01')).to.equal(0);
  });

  it('do not freeze until every block before their end is confirmed and indexed', async () => {
    const world = await start('2026-03-10T15:00:00', { SEASON_DAYS: '1', CONFIRMATIONS: '3', ...elsewhere });
    await updateSeasons(world.deps);
    world.now = at('2026-03-11T00:01:00');
    const waiting = ['1 2026-03-10T00:00 2026-03-11T00:00 open'];
    const waits = async (why: string) => {
      expect(await updateSeasons(world.deps), why).to.deep.equal([]);
      expect(await lines(world), why).to.deep.equal(waiting);
      expect(await readActiveSeason(world.deps), why).to.equal(null);
    };
    world.headTime = at('2026-03-10T23:59:59');
    await waits('the chain head is before the end');
    // A block of the fake chain takes 10 seconds, so the newest block with 3 confirmations is 30 seconds older than the head.
    world.headTime = at('2026-03-11T00:00:29');
    await waits('the third block behind the head is before the end of the season');
    world.headTime = at('2026-03-11T00:00:30');
    await indexTo(world, HEAD - 4);
    await waits('the index lags by one block');
    await indexTo(world, HEAD, 'a reorg that is too deep');
    await waits('the index has stopped');
    await indexTo(world, HEAD - 3);
    const write: Write = async (...asked) => {
      await indexTo(world, HEAD - 4);
      return world.deps.write(...asked);
    };
    expect(await updateSeasons({ ...world.deps, write }), 'a reorg before the seasons are locked').to.deep.equal([]);
    await waits('a reorg has rolled the index back');
    await indexTo(world, HEAD - 3);
    expect(await updateSeasons(world.deps)).to.deep.equal([
      { number: 1, agents: 0, isFrozen: true },
      { number: 2, agents: 0, isFrozen: false },
    ]);
    expect(await lines(world)).to.deep.equal([
      '1 2026-03-10T00:00 2026-03-11T00:00 frozen',
      '2 2026-03-11T00:00 2026-03-12T00:00 open',
    ]);
  });

  it('do not freeze while the chain is unreachable, but the active one is scored', async () => {
    const world = await seasonWorld({ SEASON_DAYS: '0', ...elsewhere });
    await addSeason(world, 1, at('2026-03-10T00:00:00'), at('2026-03-11T00:00:00'));
    await addSeason(world, 2, at('2026-03-11T00:00:00'), at('2026-03-12T00:00:00'));
    world.now = at('2026-03-11T10:00:00');
    const chain = { blockNumber: () => Promise.reject(new AppError('CHAIN_UNAVAILABLE')) };
    const changed = await updateSeasons({ ...world.deps, chain } as unknown as SeasonWorld['deps']);
    expect(changed).to.deep.equal([{ number: 2, agents: 0, isFrozen: false }]);
  });

  it('end on the embedded chain, which mines no block without a transaction', async () => {
    const world = await start('2026-03-10T15:00:00', { SEASON_DAYS: '1' });
    world.headTime = at('2026-03-10T14:00:00');
    await updateSeasons(world.deps);
    // A season freezes 5 seconds after its end at the earliest (`SETTLE_MS`).
    world.now = at('2026-03-11T00:00:04');
    expect(await updateSeasons(world.deps), 'requests may be in progress').to.deep.equal([]);
    world.now = at('2026-03-11T00:00:05');
    await indexTo(world, HEAD - 1);
    expect(await updateSeasons(world.deps), 'one block is not indexed').to.deep.equal([]);
    await indexTo(world, HEAD);
    expect((await updateSeasons(world.deps)).length).to.equal(2);
  });

  it('that were missed follow each other without a gap', async () => {
    const world = await start('2026-03-10T15:00:00', { SEASON_DAYS: '2' });
    await updateSeasons(world.deps);
    world.now = at('2026-03-17T08:00:00');
    await updateSeasons(world.deps);
    expect(await lines(world)).to.deep.equal([
      '1 2026-03-10T00:00 2026-03-12T00:00 frozen',
      '2 2026-03-12T00:00 2026-03-14T00:00 frozen',
      '3 2026-03-14T00:00 2026-03-16T00:00 frozen',
      '4 2026-03-16T00:00 2026-03-18T00:00 open',
    ]);
  });

  it('start today after a pause, not at the end of the last season', async () => {
    const world = await seasonWorld({ SEASON_DAYS: '7' });
    await addSeason(world, 1, at('2026-01-01T00:00:00'), at('2026-01-08T00:00:00'));
    await runSql(world.deps, 'update season set frozen_at = $1', [at('2026-01-09T00:00:00')]);
    world.now = at('2026-03-10T15:00:00');
    await updateSeasons(world.deps);
    expect((await lines(world))[1]).to.equal('2 2026-03-10T00:00 2026-03-17T00:00 open');
  });
});

describe('seasons that an operator manages', () => {
  it('start outside existing seasons, with the next number', async () => {
    const world = await start('2026-03-10T15:00:00');
    const first = { startAt: at('2026-03-10T12:00:00'), endAt: at('2026-03-20T00:00:00') };
    const { number, isActive, isFrozen } = await startSeason(world.deps, first);
    expect({ number, isActive, isFrozen }).to.deep.equal({ number: 1, isActive: true, isFrozen: false });
    for (const [startAt, endAt] of [
      ['2026-03-19T23:59:59.999', '2026-03-25T00:00:00'],
      ['2026-03-01T00:00:00', '2026-03-11T00:00:00'],
      ['2026-03-12T00:00:00', '2026-03-13T00:00:00'],
      ['2026-03-01T00:00:00', '2026-03-02T00:00:00'],
    ] as const) {
      await refused(startSeason(world.deps, { startAt: at(startAt), endAt: at(endAt) }), 'SEASON_OVERLAPS');
    }
    const later = await startSeason(world.deps, { startAt: first.endAt, endAt: at('2026-03-21T00:00:00') });
    expect([later.number, later.isActive]).to.deep.equal([2, false]);
  });

  it('must end at 00:00 UTC, after their start', async () => {
    const world = await seasonWorld({ SEASON_DAYS: '0' });
    const startAt = at('2026-03-10T00:00:00');
    for (const endAt of ['2026-03-12T00:00:00.001', '2026-03-10T00:00:00', '2026-03-09T00:00:00']) {
      await refused(startSeason(world.deps, { startAt, endAt: at(endAt) }), 'INVALID_FIELD');
    }
    expect(await lines(world)).to.deep.equal([]);
  });

  it('end at the time of the command, and the next season lasts from then to a midnight', async () => {
    const world = await start('2026-03-10T15:00:00', { SEASON_DAYS: '28' });
    await updateSeasons(world.deps);
    world.now = at('2026-03-12T13:37:00');
    const ended = await endSeason(world.deps, 1);
    expect([ended.endAt, ended.isActive, ended.isFrozen]).to.deep.equal([world.now, false, false]);
    world.now = at('2026-03-12T13:38:00');
    expect((await endSeason(world.deps, 1)).endAt, 'a second call does not change the end').to.deep.equal(ended.endAt);
    await updateSeasons(world.deps);
    expect(await lines(world)).to.deep.equal([
      '1 2026-03-10T00:00 2026-03-12T13:37 frozen',
      '2 2026-03-12T13:37 2026-04-09T00:00 open',
    ]);
    expect((await endSeason(world.deps, 1)).isFrozen).to.equal(true);
  });

  it('are deleted when they end before their start', async () => {
    const world = await start('2026-03-10T15:00:00');
    await startSeason(world.deps, { startAt: at('2062-03-11T00:00:00'), endAt: at('2062-03-12T00:00:00') });
    expect((await endSeason(world.deps, 1)).isActive).to.equal(false);
    expect(await lines(world)).to.deep.equal([]);
    await refused(endSeason(world.deps, 1), 'SEASON_NOT_FOUND');
  });
});
