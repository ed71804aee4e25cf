import { expect } from 'chai';
import { readConfig } from '../../../../../src/config/config.js';
import { AppError } from '../../../../../src/errors/errors.js';
import { trendExample } from '../../../../../src/features/agents/lists/resource.js';
import { NEXT_CHECK, outlookOf, type Situation } from '../../../../../src/features/agents/me/rules.js';
import { endpoints } from '../../../../../src/features/features.js';
import { limitsOf } from '../../../../../src/server/openapi/limits.js';
import { MIN_WITHDRAWAL } from '../../../../../src/values/curve.js';
import { DAY_MS, HOUR_MS } from '../../../../../src/values/time.js';
import { askAs, follow, newAgent, success, type TestAgent, tradeOnChain } from '../../../../support/market/agents.js';
import { addSeason } from '../../../../support/market/rows.js';
import { withParts } from '../../../../support/parts.js';
import { data, type Json } from '../../../../support/service/graphql.js';
import { ask, useWorld } from '../../../../support/world.js';

/** The paths of all values in an answer that are not objects. */
const leavesOf = (value: unknown, path: readonly string[] = []): (readonly string[])[] =>
  typeof value === 'object' && value !== null
    ? Object.entries(value).flatMap(([name, field]) => leavesOf(field, [...path, name]))
    : [path];

/** Copies the answer, and changes the value at the path. */
function changedAt<T>(answer: T, path: readonly string[], value = 'another value'): T {
  const copy = structuredClone(answer);
  const place = path.slice(0, -1).reduce<Json>((within, name) => within[name], copy);
  place[path.at(-1) ?? ''] = value;
  return copy;
}

describe('GET /api/heartbeat/status', () => {
  const world = useWorld({ TRUST_PROXY: '1', RATE_LIMITS: 'off' });
  let ada: TestAgent;
  let bob: TestAgent;

  /** Requests the heartbeat. `named` is the ETag of an earlier answer, which an agent sends again. */
  const beat = async (key: string, named?: string, { url } = world) => {
    const headers: Record<string, string> = named === undefined ? {} : { 'if-none-match': named };
    const answer = await ask(url, 'GET', '/api/heartbeat/status', { key, headers });
    return { ...answer, body: answer.body as Json, etag: answer.headers.get('etag') ?? '' };
  };
  const trade = async (side: 'buy' | 'sell', trader: TestAgent, agent: TestAgent, amount: number) =>
    askAs(world, trader, 'POST', `/api/tickets/${side}`, await tradeOnChain(trader, side, agent, amount));

  before(async () => {
    ada = await newAgent(world, { name: 'Ada' });
    bob = await newAgent(world, { name: 'Bob' });
    await trade('buy', bob, ada, 3);
    await trade('sell', bob, ada, 1);
  });

  const get = async (path: string, key: string) => success(await world.ask('GET', path, { key }));

  it('returns the same data as the single endpoints, and no season before the first one', async () => {
    for (const { key } of [ada, bob]) {
      const beat = await get('/api/heartbeat/status', key);
      const me = await get('/api/agents/me', key);
      const { success: _, ...balance } = await get('/api/agents/me/balance', key);
      const { success: __, realized, ...pnl } = await get('/api/agents/me/pnl', key);
      const { trades: ___, ...realizedFigures } = realized as Record<string, unknown>;
      const { trending } = await get('/api/trending?limit=10', key);
      expect(beat.agent).to.deep.equal(me.agent);
      expect(beat.myStats).to.deep.equal(me.myStats);
      expect(beat.balance).to.deep.equal(balance);
      expect(beat.pnl).to.deep.equal({ realized: realizedFigures, ...pnl });
      expect(beat.trending).to.deep.equal(trending);
      expect(beat.season).to.deep.equal({ active: false, number: null, daysLeft: null, points: null });
    }
  });

  it('shares nothingToDo, nextCheckAfter and the read state with GraphQL', async () => {
    const fresh = await newAgent(world);
    const graphql = async () =>
      (await data(world, '{ heartbeat(markRead: true) { nothingToDo nextCheckAfter } }', { key: fresh.key })).heartbeat;
    expect(await graphql()).to.deep.equal({ nothingToDo: true, nextCheckAfter: 3600 });
    await follow(world, bob, fresh);
    expect(await graphql()).to.deep.equal({ nothingToDo: false, nextCheckAfter: 900 });
    const rest = await get('/api/heartbeat/status', fresh.key);
    expect(rest).to.include({ nothingToDo: true, nextCheckAfter: 3600 });
  });

  describe('during a season', () => {
    before(() => addSeason(world, 1, -1, 9));

    it('answers its weak ETag with 304, without a body, and with no-store', async () => {
      const { etag } = await beat(bob.key);
      expect(etag).to.match(/^W\/"[\w-]{27}"$/);
      for (const named of [etag, etag.slice(2), `"other", ${etag}`]) {
        const again = await beat(bob.key, named);
        expect([named, again.status, again.body, again.etag]).to.deep.equal([named, 304, { text: '' }, etag]);
        expect(again.headers.get('cache-control')).to.equal('no-store');
      }
    });

    it('ignores in its ETag only what time or the ether price changes, and the order of trends', async () => {
      const declared = endpoints(world.deps.config).find(({ path }) => path === '/api/heartbeat/status');
      const identify = (declared?.method === 'GET' && declared.etagText) || (() => '');
      const trends = ['0x1', '0x2'].map((id) => changedAt(trendExample as Json, ['agent', 'id'], id));
      const season = { active: true, number: 1, daysLeft: 14, points: { totalPoints: 1 } };
      const answer = { ...declared?.example?.response, season, trending: trends };
      const same = identify(answer);
      expect(identify({ ...answer, trending: trends.toReversed() })).to.equal(same);
      const ignored = leavesOf(answer).filter((path) => identify(changedAt(answer, path)) === same);
      const figures = `volume24h volume24hWei txCount24h priceChange24h ethUsd balanceUsd totalUsd totalPnlUsd rank volume
        txCount uniqueTraders newHolders24h trendScore daysLeft cachedAt`;
      expect(new Set(ignored.map((path) => path.at(-1)))).to.have.keys(figures.split(/\s+/));
      expect(leavesOf(answer).length - ignored.length).to.be.above(50);
    });

    it('says that there is something to do while the contract would pay out fees', async () => {
      const kim = await newAgent(world, { name: 'Kim' });
      const next = async () => {
        // The first request marks the notifications as read. The second comes 11
        // seconds later, because PnL is cached for 10 seconds.
        await beat(kim.key);
        world.clock.advance(11_000);
        const { totalUnread, nothingToDo, nextCheckAfter, pnl } = (await beat(kim.key)).body;
        expect([totalUnread, nextCheckAfter]).to.deep.equal([0, 3600]);
        return { nothingToDo, isDue: pnl.fees.pendingEth >= 0.001 };
      };
      await trade('buy', bob, kim, 20);
      expect(await next()).to.deep.equal({ nothingToDo: false, isDue: true });
      await kim.trader.withdraw();
      await trade('buy', bob, ada, 1);
      expect(await next()).to.deep.equal({ nothingToDo: true, isDue: false });
      await trade('buy', bob, kim, 20);
      // The fees are due again, but the contract pays them out only once a day.
      expect(await next()).to.deep.equal({ nothingToDo: true, isDue: true });
    });

    it('keeps its ETag while only time passes or the price of ether moves', async () => {
      const before = await beat(bob.key);
      world.clock.advance(2 * HOUR_MS);
      const later = await beat(bob.key);
      expect(later.body).not.to.deep.equal(before.body);
      expect(later.etag).to.equal(before.etag);
      // After a day, the trade no longer counts, so its agent leaves the list of trends and the answer changes.
      world.clock.advance(DAY_MS);
      const next = await beat(bob.key);
      expect(next.body.trending).to.deep.equal([]);
      await withParts(world, { ethUsd: async () => 3000 }, async (other) => {
        const dear = await beat(bob.key, undefined, other);
        expect(dear.body.balance.ethUsd).to.equal(3000);
        expect(dear.etag).to.equal(next.etag);
      });
    });

    it('changes its ETag with the balance, and when the chain cannot be read', async () => {
      const { etag } = await beat(bob.key);
      // 0xde0b6b3a7640000 wei are 1 ETH.
      await world.chain.provider.send('anvil_setBalance', [bob.wallet, '0xde0b6b3a7640000']);
      const poorer = await beat(bob.key, etag);
      expect([poorer.status, poorer.body.balance.balanceEth]).to.deep.equal([200, '1']);
      const away = async () => {
        throw new AppError('CHAIN_UNAVAILABLE');
      };
      const chain = { ...world.deps.chain, etherBalance: away, states: away };
      await withParts(world, { chain }, async (other) => {
        const answer = await beat(bob.key, poorer.etag, other);
        expect(answer.status).to.equal(200);
        const { balance, nextCheckAfter, pnl } = answer.body;
        expect([balance, nextCheckAfter, pnl.fees.pendingEth]).to.deep.equal([null, 300, null]);
        expect(pnl.summary.totalPnlWei).to.match(/^-?\d+$/);
      });
      expect((await beat(bob.key, poorer.etag)).status).to.equal(304);
    });

    it('changes its ETag with a new notification, and again after the notification was read', async () => {
      await beat(ada.key);
      const quiet = await beat(ada.key);
      await follow(world, bob, ada);
      const news = await beat(ada.key, quiet.etag);
      expect(news.status).to.equal(200);
      expect(news.body).to.include({ totalUnread: 1, nothingToDo: false, nextCheckAfter: 900 });
      const read = await beat(ada.key, news.etag);
      expect(read.status).to.equal(200);
      expect(read.body).to.include({ totalUnread: 0, nothingToDo: true, nextCheckAfter: 3600 });
      expect(read.body.notifications[0].read).to.equal(true);
      expect((await beat(ada.key, read.etag)).status).to.equal(304);
    });

    it('answers 200 to If-None-Match: *, so that no 304 hides unread notifications', async () => {
      const zoe = await newAgent(world, { name: 'Zoe' });
      await follow(world, bob, zoe);
      for (const named of ['*', '"a", *']) {
        expect((await beat(zoe.key, named)).status).to.equal(200);
      }
      await follow(world, ada, zoe);
      const shown = await beat(zoe.key, '*');
      expect(shown.body.totalUnread).to.equal(1);
    });

    it('counts a 304 in the same limits as a 200', async () => {
      const { key } = await newAgent(world);
      await withParts(world, { config: readConfig({ TRUST_PROXY: '1' }) }, async (limited) => {
        const { etag, headers } = await beat(key, undefined, limited);
        expect(headers.get('ratelimit')).to.match(/^"global";r=29;t=60, "heartbeat";r=29;t=60$/);
        const again = await beat(key, etag, limited);
        expect(again.status).to.equal(304);
        expect(again.headers.get('ratelimit')).to.equal('"global";r=28;t=60, "heartbeat";r=28;t=60');
      });
    });
  });
});

const now = new Date(Date.UTC(2026, 0, 15, 12));
const quiet: Situation = { unread: 0, balance: 1n, pendingFees: MIN_WITHDRAWAL - 1n, withdrawnAt: null };
const ago = (milliseconds: number) => new Date(now.getTime() - milliseconds);

const pendingFees = MIN_WITHDRAWAL;
const cases: [what: string, given: Partial<Situation>, nothingToDo: boolean, nextCheckAfter: number][] = [
  ['nothing without unread notifications and without fees to withdraw', {}, true, 3600],
  ['nothing without ether', { balance: 0n, pendingFees: 0n }, true, 3600],
  ['to read unread notifications, and to come back sooner', { unread: 1 }, false, 900],
  ['to withdraw fees that the contract would pay out', { pendingFees }, false, 3600],
  ['nothing within a day after a withdrawal', { pendingFees, withdrawnAt: ago(DAY_MS - 1) }, true, 3600],
  ['to withdraw fees a day after a withdrawal', { pendingFees, withdrawnAt: ago(DAY_MS) }, false, 3600],
  ['to come back soon if the balance cannot be read', { balance: null }, true, 300],
  ['to come back soon if the fees cannot be read', { pendingFees: null }, true, 300],
  ['to come back soon with unread notifications, too', { balance: null, unread: 2 }, false, 300],
];

describe('what a heartbeat asks for', () => {
  for (const [what, given, nothingToDo, nextCheckAfter] of cases) {
    it(`is ${what}`, () => {
      expect(outlookOf({ ...quiet, ...given }, now)).to.deep.equal({ nothingToDo, nextCheckAfter });
    });
  }

  it('leaves an agent enough time until every window of the limits is free again', () => {
    const heartbeat = endpoints(readConfig({})).find(({ path }) => path === '/api/heartbeat/status');
    const windows = heartbeat ? limitsOf(heartbeat) : [];
    expect(windows.map(({ name }) => name)).to.deep.equal(['global', 'heartbeat']);
    for (const { seconds } of windows) expect(Math.min(...Object.values(NEXT_CHECK))).to.be.at.least(seconds);
  });
});
