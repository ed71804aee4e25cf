import { expect } from 'chai';
import { startSeason } from '../../../../src/features/seasons/lifecycle.js';
import { updateSeasons } from '../../../../src/features/seasons/score.js';
import { scoringOverdue } from '../../../../src/features/seasons/seasons.js';
import { HEAD, indexTo, type SeasonWorld, seasonWorld } from '../../../support/scoring/seasons.js';

const at = (text: string) => new Date(`${text}Z`);

describe('the time that scoring is overdue', () => {
  let world: SeasonWorld;
  const overdue = (now: string) => {
    world.now = at(now);
    return scoringOverdue(world.deps);
  };
  beforeEach(async () => {
    world = await seasonWorld({ SEASON_DAYS: '0' });
    world.now = at('2026-03-10T11:00:00');
    await startSeason(world.deps, { startAt: at('2026-03-10T12:00:00'), endAt: at('2026-03-13T00:00:00') });
  });

  it('is 0 before a season starts, and counts from the start of a season that was never scored', async () => {
    expect(await overdue('2026-03-10T11:59:00')).to.equal(0);
    expect(await overdue('2026-03-10T12:01:00')).to.equal(60);
    expect(await overdue('2026-03-11T12:00:00')).to.equal(86_400);
  });

  it('counts from the first midnight that was missed', async () => {
    world.now = at('2026-03-10T15:00:00');
    await updateSeasons(world.deps);
    expect(await overdue('2026-03-10T23:59:59')).to.equal(0);
    expect(await overdue('2026-03-11T00:30:00')).to.equal(1800);
    expect(await overdue('2026-03-12T00:30:00')).to.equal(86_400 + 1800);
    await updateSeasons(world.deps);
    expect(await overdue('2026-03-12T00:31:00')).to.equal(0);
  });

  it('counts from the end of a season until it is frozen', async () => {
    world.now = at('2026-03-12T23:59:00');
    await updateSeasons(world.deps);
    // The index has stopped at a fault, so the season cannot be frozen.
    await indexTo(world, HEAD, 'a reason');
    world.now = at('2026-03-13T00:10:00');
    await updateSeasons(world.deps);
    expect(await scoringOverdue(world.deps)).to.equal(600);
    await indexTo(world, HEAD);
    await updateSeasons(world.deps);
    expect(await scoringOverdue(world.deps)).to.equal(0);
  });
});
