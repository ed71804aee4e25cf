// Nightly: a PostgreSQL server ends the frozen session by its own clock, after 10 seconds.
import { expect } from 'chai';
import { updateSeasons } from '../../../src/features/seasons/score.js';
import { TIMES } from '../../../src/times.js';
import { useFaultyLine } from '../../support/chain/faulty-line.js';
import { serverUrl } from '../../support/database.js';
import { newAgent } from '../../support/market/agents.js';
import { unscored } from '../../support/scoring/seasons.js';
import { useWorld } from '../../support/world.js';

if (serverUrl === undefined) {
  describe('scoring over a frozen connection', () => {
    it('is not tested: DATABASE_URL is not set');
  });
} else {
  describe('scoring over a frozen connection', () => {
    const world = useWorld({ DATABASE_URL: String(serverUrl) });
    const over = useFaultyLine(TIMES);
    before(async () => {
      for (let i = 0; i < 2; i++) await newAgent(world);
    });

    it('is rolled back by the server, and another replica repeats it', async () => {
      const deps = { ...world.deps, ...over.parts };
      const { scored, points } = await unscored(world.deps);
      const frozen = over.line.at(/insert into agent_season_points/i, 'freeze');
      const run = updateSeasons(deps).then(
        () => 'done',
        () => 'failed',
      );
      await frozen;
      over.line.freeze();
      // The other replica waits for the season lock until the server ends the frozen session.
      await updateSeasons(world.deps);
      expect(await points()).to.deep.equal(scored);
      expect(await run).to.equal('failed');
    });
  });
}
