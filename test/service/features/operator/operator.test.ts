import { createHmac } from 'node:crypto';
import { expect } from 'chai';
import { DAY_MS } from '../../../../src/values/time.js';
import { freshIp, refusal } from '../../../support/market/agents.js';
import { addAgent } from '../../../support/market/rows.js';
import { newTrader, type Trader } from '../../../support/market/traders.js';
import { eventually } from '../../../support/service/process.js';
import { runSql } from '../../../support/store.js';
import { useWorld, type World } from '../../../support/world.js';

const SECRET = 'a-secret-of-the-tests-long-enough';
const PATHS = [
  '/internal/jobs/score-season',
  '/internal/seasons',
  '/internal/seasons/1/end',
  '/internal/moderation',
  '/internal/moderation/list',
];
const KEY = 'a-signing-key-of-the-tests';
const EARLIER = 'the-secret-from-before';

const score = (world: World, secret: string) =>
  world.ask('POST', '/internal/jobs/score-season', { headers: { authorization: `Bearer ${secret}` } });
const sign = (body: string, key = KEY) => createHmac('sha256', key).update(body).digest('hex');
const sendHook = (world: World, body: string, signature: string) =>
  world.ask('POST', '/webhooks/chain', { body, headers: { 'x-alchemy-signature': signature } });

describe('the internal endpoints', () => {
  const world = useWorld({ CRON_SECRET: SECRET, SEASON_DAYS: '0', TRUST_PROXY: '1' });
  const post = (path: string, body?: unknown, authorization: string | null = `Bearer ${SECRET}`) =>
    world.ask('POST', path, { body, headers: authorization === null ? {} : { authorization } });
  /** 00:00 UTC of the day that is `days` days from today. */
  const midnight = (days: number) => new Date((Math.floor(world.clock.now().getTime() / DAY_MS) + days) * DAY_MS).toISOString();
  const seasons = async () => (await world.ask('GET', '/api/seasons', { headers: freshIp() })).body.seasons as object[];

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

  it('refuse overlapping seasons, invalid dates, unknown seasons and invalid moderation', async () => {
    await post('/internal/seasons', { startDate: midnight(0), endDate: midnight(7) });
    const moderation = { action: 'hide', target: 'post', subject: 'x', operator: 'ann', reason: 'A test' };
    const refusals: [path: string, body: unknown, refusal: string][] = [
      ['seasons', { startDate: midnight(6), endDate: midnight(9) }, '409 Season overlaps'],
      ['seasons', { endDate: midnight(9) }, '400 Missing required field: startDate'],
      ['seasons', { startDate: midnight(8) }, '400 Missing required field: endDate'],
      ['seasons', { startDate: '2026-02-30', endDate: midnight(9) }, '400 startDate is not valid'],
      ['seasons', { startDate: midnight(8), endDate: 'soon' }, '400 endDate is not valid'],
      ['seasons', { startDate: midnight(9), endDate: midnight(8) }, '400 endDate is not valid'],
      ['seasons', '{', '400 Invalid JSON body'],
      ['seasons/2/end', undefined, '404 Season not found'],
      ['seasons/one/end', undefined, '400 number is not valid'],
      ['moderation', { ...moderation, action: 'delete' }, '400 action is not valid'],
      ['moderation', { ...moderation, target: 'name' }, '400 target is not valid'],
      ['moderation', { ...moderation, reason: undefined }, '400 Missing required field: reason'],
      ['moderation', moderation, '404 Post not found'],
    ];
    for (const [path, body, expected] of refusals) {
      expect(refusal(await post(`/internal/${path}`, body)), JSON.stringify(body)).to.equal(expected);
    }
    expect((await seasons()).length).to.equal(1);
  });

  it('hide content, and list what was done', async () => {
    const { wallet } = await addAgent(world, { avatarUrl: 'https://pictures.example/x.png' });
    const body = { action: 'hide', target: 'avatar', subject: wallet, operator: 'ann', reason: 'A test' };
    const hidden = await post('/internal/moderation', body);
    expect([hidden.status, hidden.body]).to.deep.equal([200, { success: true, changed: true, agent: wallet }]);
    const agent = await world.ask('GET', `/api/agents/${wallet}`, { headers: freshIp() });
    expect(agent.body.agent).to.include({ avatarUrl: null });
    const { actions } = (await post('/internal/moderation/list')).body as { actions: Record<string, unknown>[] };
    expect(actions[0]).to.include({ ...body, subject: wallet, agent: wallet });
  });

  it('are not part of the OpenAPI document', async () => {
    const { body } = await world.ask('GET', '/openapi.json', { headers: freshIp() });
    expect(Object.keys(body.paths as object)).to.include('/api/seasons');
    expect(JSON.stringify(body)).not.to.include('/internal');
  });
});

describe('the chain-event webhook', () => {
  const world = useWorld({ WEBHOOK_SIGNING_KEY: KEY });
  let trader: Trader;

  before(async () => {
    trader = await newTrader(world.chain);
    await trader.register('Hooked');
  });

  const send = (body: string, signature = sign(body)) => sendHook(world, body, signature);
  const graphql = (address: string = world.chain.contract, given = {}) =>
    JSON.stringify({
      event: { data: { block: { logs: [{ account: { address }, topics: [], data: '0x', ...given }] } } },
    });
  const activity = () => JSON.stringify({ event: { activity: [{ blockNum: '0x1', log: { address: world.chain.contract } }] } });
  const stored = () => world.deps.sql<{ tx_hash: string }>('select * from transaction order by block_number, log_index');
  const traded = (count: number) =>
    eventually(async () => (await stored()).length === count, `the index did not have ${count} trades`);

  it('refuses a wrong or missing signature and triggers no sync', async () => {
    await trader.buy(trader.wallet, 1);
    const body = graphql();
    const answers = [await world.ask('POST', '/webhooks/chain', { body })];
    for (const signature of ['', sign(body, 'another key'), sign(`${body} `), sign(body).slice(1), 'ü'.repeat(3)]) {
      answers.push(await send(body, encodeURI(signature)));
    }
    for (const answer of answers) expect([answer.status, answer.body.success]).to.deep.equal([401, false]);
    const cursor = await world.deps.sql('select block_number as at from indexer_cursor');
    expect(cursor).to.deep.equal([{ at: 0 }]);
  });

  it('answers 200 and triggers a sync of the index', async () => {
    const { status, body } = await send(graphql());
    expect([status, body]).to.deep.equal([200, { success: true, logs: 1 }]);
    await traded(1);
  });

  it('accepts the address-activity form and an upper-case signature', async () => {
    await trader.buy(trader.wallet, 2);
    const body = activity();
    expect((await send(body, sign(body).toUpperCase())).body).to.deep.equal({ success: true, logs: 1 });
    await traded(2);
  });

  it('ignores other contracts, and stores no fact from the payload', async () => {
    await trader.sell(trader.wallet, 1);
    const forged = `0x${'11'.repeat(32)}`;
    expect((await send(graphql(`0x${'ab'.repeat(20)}`))).body).to.deep.equal({ success: true, logs: 0 });
    await send(graphql(world.chain.contract, { transaction: { hash: forged } }));
    await traded(3);
    expect((await stored()).map(({ tx_hash }) => tx_hash)).not.to.include(forged);
  });

  it('changes nothing when it is replayed', async () => {
    const before = await stored();
    const replays = await Promise.all(Array.from({ length: 20 }, (_, i) => send(i % 2 ? graphql() : activity())));
    expect(replays.filter(({ status }) => status !== 200)).to.deep.equal([]);
    await trader.buy(trader.wallet, 1);
    await send(graphql());
    await traded(before.length + 1);
    expect((await stored()).slice(0, -1)).to.deep.equal(before);
  });

  it('accepts a body of up to 1 MB, which must be JSON', async () => {
    // The JSON without the padding has 14 characters.
    const padded = (size: number) => `{"padding":"${'x'.repeat(size - 14)}"}`;
    expect((await send(padded(1_000_000))).status).to.equal(200);
    expect(refusal(await send(padded(1_000_001)))).to.equal('400 Request body too large');
    expect(refusal(await send('not json'))).to.equal('400 Invalid JSON body');
  });
});

describe('the endpoints of the operator during a rotation of their secrets', () => {
  const world = useWorld({ CRON_SECRET: `${SECRET} ${EARLIER}`, WEBHOOK_SIGNING_KEY: `${KEY} ${EARLIER}` });

  it('accept the present and the earlier secret, and no other', async () => {
    const statuses: Record<string, number[]> = {};
    for (const secret of [SECRET, KEY, EARLIER, `${SECRET} ${EARLIER}`, `${KEY} ${EARLIER}`, 'undefined']) {
      const answers = [await score(world, secret), await sendHook(world, '{"event":{}}', sign('{"event":{}}', secret))];
      statuses[secret] = answers.map(({ status }) => status);
    }
    expect(Object.values(statuses)).to.deep.equal([[200, 401], [401, 200], [200, 200], ...Array(3).fill([401, 401])]);
  });
});

describe('the endpoints of the operator without a configured secret', () => {
  const world = useWorld();

  it('answer 404', async () => {
    for (const path of [...PATHS, '/webhooks/chain']) {
      const answer = await world.ask('POST', path, { body: {}, headers: { authorization: 'Bearer undefined' } });
      expect(refusal(answer)).to.equal('404 Not found');
    }
  });
});
