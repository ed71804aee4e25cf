import { expect } from 'chai';
import { refusal } from '../../../support/market/agents.js';
import { addAgent, addSeason } from '../../../support/market/rows.js';
import { categoryNames } from '../../../support/scoring/scoring-oracle.js';
import { runSql } from '../../../support/store.js';
import { useWorld } from '../../../support/world.js';

const DAY = 86_400_000;

describe('seasons', () => {
  const world = useWorld({ RATE_LIMITS: 'off' });
  const get = (path: string) => world.ask('GET', `/api/seasons${path}`);
  const inDays = (days: number) => new Date(world.clock.now().getTime() + days * DAY);
  const addPoints = (season: number, agent: string, rank: number, total: number, price: number) =>
    runSql(
      world.deps,
      `insert into agent_season_points (season, agent, rank, total_points, price_points, computed_at)
       values ($1, $2, $3, $4, $5, $6)`,
      [season, agent, rank, total, price, world.clock.now()],
    );
  beforeEach(() => runSql(world.deps, 'truncate season, agent_season_points, agent cascade'));

  it('are an empty list, with none active and no leaderboard, before the first one', async () => {
    expect((await get('')).body).to.deep.equal({ success: true, seasons: [] });
    expect((await get('/active')).body).to.deep.equal({
      success: true,
      active: false,
      season: null,
      message: 'No season is active. What happens now counts in the next season.',
    });
    expect(refusal(await get('/leaderboard'))).to.equal('404 Season not found');
  });

  it('are listed newest first, with their states', async () => {
    const { wallet } = await addAgent(world);
    const [start, end, next] = [inDays(-30), inDays(-2), inDays(26)];
    await addSeason(world, 1, -30, -2, end);
    await addPoints(1, wallet, 1, 1, 1);
    await runSql(world.deps, 'update season set frozen_at = $1 where number = 1', [world.clock.now()]);
    await addSeason(world, 2, -2, 26);
    const [startDate, endDate] = [start.toISOString(), end.toISOString()];
    expect((await get('')).body.seasons).to.deep.equal([
      { number: 2, startDate: endDate, endDate: next.toISOString(), isActive: true, isFrozen: false, agentCount: 0 },
      { number: 1, startDate, endDate, isActive: false, isFrozen: true, agentCount: 1 },
    ]);
  });

  it('count down to 1 day left on the last day, and are inactive at their end', async () => {
    const end = inDays(2);
    await addSeason(world, 1, -1, 2);
    const left = async () => (await get('/active')).body.season;
    expect(await left()).to.include({ number: 1, endDate: end.toISOString(), isActive: true, daysLeft: 2 });
    world.clock.advance(DAY);
    expect(await left()).to.include({ daysLeft: 1 });
    world.clock.advance(DAY - 5000);
    expect(await left()).to.include({ daysLeft: 1 });
    world.clock.advance(5000);
    expect(await left()).to.equal(null);
    expect((await get('')).body.seasons).to.have.nested.property('[0].isActive', false);
  });

  describe('at GET /api/seasons/leaderboard', () => {
    let first: string;
    beforeEach(async () => {
      await addSeason(world, 1, -60, -30, inDays(-30));
      await addSeason(world, 2, -30, 1, inDays(0));
      for (const rank of [3, 2, 1]) {
        ({ wallet: first } = await addAgent(world, { name: `Player ${rank}` }));
        await addPoints(2, first, rank, 10 - rank, 0.1 * rank);
        if (rank === 3) await addPoints(1, first, 1, 5, 5);
      }
    });

    it('rank their agents, by default in the active season, with a breakdown of the points', async () => {
      const { body } = await get('/leaderboard');
      const [scored] = await world.deps.sql<{ at: Date }>('select scored_at as at from season where number = 2');
      expect(body).to.include({ season: 2, totalAgents: 3, updatedAt: scored?.at.toISOString() });
      const rows = body.leaderboard as { rank: number; breakdown: object }[];
      expect(rows.map(({ rank }) => rank)).to.deep.equal([1, 2, 3]);
      const zeros = Object.fromEntries(categoryNames.map((name) => [name, 0]));
      expect(rows[0]).to.deep.equal({
        rank: 1,
        name: 'Player 1',
        agentId: 'player_1',
        walletAddress: first,
        avatarUrl: null,
        isClaimed: false,
        totalPoints: 9,
        breakdown: { ...zeros, pricePoints: 0.1, totalPoints: 9 },
        withoutLinks: null,
      });
    });

    it('have pages, and an empty page after the last', async () => {
      const names = async (query: string) => {
        const { body } = await get(`/leaderboard${query}`);
        expect(body.totalAgents).to.equal(3);
        return (body.leaderboard as { name: string }[]).map(({ name }) => name);
      };
      expect(await names('?limit=2')).to.deep.equal(['Player 1', 'Player 2']);
      expect(await names('?limit=2&page=2')).to.deep.equal(['Player 3']);
      expect(await names('?limit=2&page=3')).to.deep.equal([]);
    });

    it('are chosen by number, or as the latest that has started, and give 404 if unknown', async () => {
      expect((await get('/leaderboard?season=1')).body).to.include({ season: 1, totalAgents: 1 });
      world.clock.advance(5 * DAY);
      await addSeason(world, 3, 10, 20);
      expect((await get('/leaderboard')).body).to.include({ season: 2, totalAgents: 3 });
      const { body } = await get('/leaderboard?season=3');
      expect(body).to.deep.equal({ success: true, season: 3, leaderboard: [], totalAgents: 0, updatedAt: null });
      expect(refusal(await get('/leaderboard?season=9'))).to.equal('404 Season not found');
    });
  });
});
