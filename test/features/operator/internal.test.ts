import { expect } from 'chai';
import { ensureCursor } from '../../../src/index/cursor.js';
import { freshIp, refusal } from '../../support/market/agents.js';
import { addAgent } from '../../support/market/rows.js';
import { runSql } from '../../support/store.js';
import { useWorld } from '../../support/world.js';

const SECRET = 'a-secret-of-the-tests-long-enough';
const DAY = 86_400_000;
const PATHS = [
  ...['/internal/jobs/score-season', '/internal/seasons', '/internal/seasons/1/end'],
  ...['/internal/moderation', '/internal/moderation/list'],
];

describe('the internal endpoints', () => {
  const world = useWorld({ CRON_SECRET: SECRET, SEASON_DAYS: '0', TRUST_PROXY: '1' });
  const post = (path: string, body?: unknown, authorization: string | null = `Bearer ${SECRET}`) =>
    world.ask('POST', path, { body, headers: authorization === null ? {} : { authorization } });
  /** 00:00 UTC of the day that is `days` days from today. */
  const midnight = (days: number) =>
    new Date((Math.floor(world.clock.now().getTime() / DAY) + days) * DAY).toISOString();
  const seasons = async () => (await world.ask('GET', '/api/seasons', { headers: freshIp() })).body.seasons as object[];

  before(() => ensureCursor(world.deps, async () => 1));
  beforeEach(() => runSql(world.deps, 'truncate season, agent_season_points, agent cascade'));

  it('answer 401 without the complete secret and change nothing', async () => {
    const wrong = [null, '', SECRET, 'Bearer', `Bearer ${SECRET.slice(1)}`, `Bearer ${SECRET}x`, `bearer ${SECRET}`];
    for (const path of PATHS) {
      for (const authorization of wrong) {
        const { status, body } = await post(path, { startDate: midnight(0), endDate: midnight(7) }, authorization);
        expect([status, body.error], `${path} with ${authorization}`).to.deep.equal([401, 'Invalid credentials']);
        expect(body.hint).to.be.a('string');
      }
    }
    expect(await seasons()).to.deep.equal([]);
  });

  it('refuse overlapping seasons, invalid dates and unknown seasons', async () => {
    await post('/internal/seasons', { startDate: midnight(0), endDate: midnight(7) });
    const refusals: [path: string, body: unknown, status: number, error: string][] = [
      ['/internal/seasons', { startDate: midnight(6), endDate: midnight(9) }, 409, 'Season overlaps'],
      ['/internal/seasons', { endDate: midnight(9) }, 400, 'Missing required field: startDate'],
      ['/internal/seasons', { startDate: midnight(8) }, 400, 'Missing required field: endDate'],
      ['/internal/seasons', { startDate: '2026-02-30', endDate: midnight(9) }, 400, 'startDate is not valid'],
      ['/internal/seasons', { startDate: midnight(8), endDate: 'soon' }, 400, 'endDate is not valid'],
      ['/internal/seasons', { startDate: midnight(9), endDate: midnight(8) }, 400, 'endDate is not valid'],
      ['/internal/seasons', '{', 400, 'Invalid JSON body'],
      ['/internal/seasons/2/end', undefined, 404, 'Season not found'],
      ['/internal/seasons/one/end', undefined, 400, 'number is not valid'],
    ];
    for (const [path, body, status, error] of refusals) {
      const answer = await post(path, body);
      expect([answer.status, answer.body.error], JSON.stringify(body)).to.deep.equal([status, error]);
    }
    expect((await seasons()).length).to.equal(1);
  });

  it('hide and restore content, and list what was done', async () => {
    const { wallet } = await addAgent(world, { avatarUrl: 'https://pictures.example/x.png' });
    const body = { action: 'hide', target: 'avatar', subject: wallet, operator: 'ann', reason: 'A test' };
    const hidden = await post('/internal/moderation', body);
    expect([hidden.status, hidden.body]).to.deep.equal([200, { success: true, changed: true, agent: wallet }]);
    const agent = await world.ask('GET', `/api/agents/${wallet}`, { headers: freshIp() });
    expect(agent.body.agent).to.include({ avatarUrl: null });
    const { actions } = (await post('/internal/moderation/list')).body as { actions: Record<string, unknown>[] };
    expect(actions[0]).to.include({ ...body, subject: wallet, agent: wallet });
    const refusals: [body: unknown, status: number, error: string][] = [
      [{ ...body, action: 'delete' }, 400, 'action is not valid'],
      [{ ...body, target: 'name' }, 400, 'target is not valid'],
      [{ ...body, reason: undefined }, 400, 'Missing required field: reason'],
      [{ ...body, target: 'post' }, 404, 'Post not found'],
    ];
    for (const [wrong, status, error] of refusals) {
      const answer = await post('/internal/moderation', wrong);
      expect([answer.status, answer.body.error]).to.deep.equal([status, error]);
    }
  });

  it('are not part of the OpenAPI document', async () => {
    const { body } = await world.ask('GET', '/openapi.json', { headers: freshIp() });
    expect(Object.keys(body.paths as object)).to.include('/api/seasons');
    expect(JSON.stringify(body)).not.to.include('/internal');
  });
});

describe('the internal endpoints during a rotation of the secret', () => {
  const world = useWorld({ CRON_SECRET: `${SECRET} the-secret-from-before` });

  it('accept the present and the earlier secret, and no other', async () => {
    await ensureCursor(world.deps, async () => 1);
    const statuses: number[] = [];
    for (const secret of [SECRET, 'the-secret-from-before', `${SECRET} the-secret-from-before`, 'undefined']) {
      const headers = { authorization: `Bearer ${secret}` };
      statuses.push((await world.ask('POST', '/internal/jobs/score-season', { headers })).status);
    }
    expect(statuses).to.deep.equal([200, 200, 401, 401]);
  });
});

describe('the internal endpoints without a configured secret', () => {
  const world = useWorld();

  it('answer 404', async () => {
    for (const path of PATHS) {
      expect(refusal(await world.ask('POST', path, { headers: { authorization: 'Bearer undefined' } }))).to.equal(
        '404 Not found',
      );
    }
  });
});
