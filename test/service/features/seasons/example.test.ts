import { expect } from 'chai';
import { updateSeasons } from '../../../../src/features/seasons/score.js';
import { exampleHistory, january, tableUnder, walletOf } from '../../../support/scoring/scoring-example.js';
import { categoryNames } from '../../../support/scoring/scoring-oracle.js';
import { storeHistory } from '../../../support/scoring/scoring-rows.js';
import { addSeason, pointsRows, seasonWorld } from '../../../support/scoring/seasons.js';

/** Tolerance for the figures of the document, which are rounded to six decimals: a little more than half a unit of the last one. */
const ROUNDING = 5.1e-7;

describe('the worked example of docs/scoring.md', () => {
  it('has the points that the service computes', async () => {
    const world = await seasonWorld({ SEASON_DAYS: '0' });
    await world.deps.write((tx) => storeHistory(tx, exampleHistory()));
    for (const season of [1, 2, 3]) {
      await addSeason(world, season, january(String(7 * season - 6)), january(String(7 * season + 1)));
    }
    world.now = january('22 00:01');
    expect((await updateSeasons(world.deps)).map(({ isFrozen }) => isFrozen)).to.deep.equal([true, true, true]);
    const rows = await pointsRows(world, 3);
    const shown = tableUnder('Points');
    expect(shown.length).to.equal(10);
    expect(rows.map(({ agent }) => agent).sort()).to.deep.equal(shown.map(({ Agent }) => walletOf(Agent)).sort());
    // The columns of the document have the order of the fields in answers, so they are compared by their position.
    const names = [...categoryNames, 'rank'];
    for (const { Agent, ...said } of shown) {
      const row = rows.find(({ agent }) => agent === walletOf(Agent));
      expect(Object.keys(said)).to.have.length(names.length);
      for (const [i, [column, points]] of Object.entries(said).entries()) {
        expect(Number(points), `${column} of ${Agent}`).to.be.closeTo(row?.[names[i] ?? ''] as number, ROUNDING);
      }
    }
  });

  it('has the points that the formulas give for its variables', () => {
    const points = new Map(tableUnder('Points').map((row) => [row.Agent, row]));
    for (const row of tableUnder('Variables')) {
      const value = (name: string) => Number(row[name]);
      const expected: Record<string, number> = {
        Price: (value('Supply') ** 2 / 50_000) * 10,
        Holder: value('Holders') * 0.2,
        Volume: value('Volume') * 2,
        Holding: value('Days held') * value('Holders') * 0.05,
        Cross: value('Pairs') * 0.5,
        Diversity: value('Others held') * 0.1,
        Uptime: value('Days active') * 0.1,
        Consistency: row['Both sides'] === 'yes' || value('Posts') >= 3 ? 0.3 : 0,
        Age: value('Seasons before') >= 2 ? (value('Seasons before') - 1) * 0.1 : 0,
        Engagement: value('Likes') * 0.1 + value('Reposts') * 0.2 + value('Follows') * 0.05,
      };
      const base = Object.values(expected).reduce((sum, points) => sum + points, 0);
      const first = row.Referred === 'yes' && value('Seasons before') === 0;
      expected.Referral = value('Active') * 10 + value('Inactive') * 2 + (first ? base * 0.2 : 0);
      expected.Verified = row.Verified === 'yes' ? (base + expected.Referral) * 0.2 : 0;
      expected.Total = base + expected.Referral + expected.Verified;
      for (const [column, number] of Object.entries(expected)) {
        const said = Number(points.get(row.Agent)?.[column]);
        // The document rounds the days held and the volume, so the computed points differ slightly from its points.
        expect(said, `${column} of ${row.Agent}`).to.be.closeTo(number, 4 * ROUNDING);
      }
    }
  });
});
