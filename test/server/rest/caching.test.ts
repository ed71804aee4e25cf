import { expect } from 'chai';
import { pnlCaches } from '../../../src/features/trading/pnl.js';
import { endpoints } from '../../../src/features.js';
import { isPublic } from '../../../src/server/operation.js';
import { askAs, freshIp, newAgent, type TestAgent, tradeOnChain } from '../../support/market/agents.js';
import { addListedAgent } from '../../support/market/rows.js';
import { counting } from '../../support/parts.js';
import { useWorld } from '../../support/world.js';

describe('public answers', () => {
  const world = useWorld({ TRUST_PROXY: '1' });
  let ada: TestAgent;
  let bob: TestAgent;

  before(async () => {
    ada = await newAgent(world, { name: 'Ada' });
    bob = await newAgent(world, { name: 'Bob' });
  });

  const get = (path: string, headers: Record<string, string> = {}, key?: string, from = world) =>
    from.ask('GET', path, { headers: { ...freshIp(), ...headers }, ...(key ? { key } : {}) });

  it('are read once for concurrent requests and cached for one second, but not for Cache-Control: no-cache', async () => {
    await counting(world, async (other, count) => {
      const ask = (headers = {}) => get('/api/seasons', headers, undefined, other);
      const answers = await Promise.all(Array.from({ length: 10 }, () => ask()));
      expect(new Set(answers.map(({ body }) => JSON.stringify(body))).size).to.equal(1);
      await ask();
      expect(count()).to.equal(1);
      world.clock.advance(1000);
      await ask();
      expect(count()).to.equal(2);
      await ask({ 'cache-control': 'no-cache' });
      expect(count()).to.equal(3);
      // An answer may contain the PnL from before a trade that this process has recorded.
      pnlCaches.forget(other.deps, ada.wallet);
      await ask();
      expect(count()).to.equal(4);
    });
  });

  it('carry an ETag, and answer 304 to a request with that ETag', async () => {
    const first = await get('/api/agents?limit=1');
    const etag = String(first.headers.get('etag'));
    expect(first.headers.get('cache-control')).to.equal('public, no-cache');
    expect(first.headers.get('vary')).to.equal('Origin');
    const conditional = (name: string, method = 'GET') =>
      fetch(`${world.url}/api/agents?limit=1`, { method, headers: { ...freshIp(), 'if-none-match': name } });
    for (const name of [etag, `W/${etag}`, `"other", ${etag}`, '*']) {
      const same = await conditional(name);
      expect([same.status, await same.text()]).to.deep.equal([304, '']);
      expect(same.headers.get('etag')).to.equal(etag);
      expect(same.headers.get('cache-control')).to.equal('public, no-cache');
      expect(same.headers.get('ratelimit')).to.match(/^"global";r=19;/);
      expect(same.headers.get('x-frame-options')).to.equal('DENY');
      expect(same.headers.get('content-type')).to.equal(null);
    }
    expect((await conditional('"other"')).status).to.equal(200);
    expect((await conditional(etag, 'HEAD')).status).to.equal(304);
    await askAs(world, bob, 'PATCH', '/api/agents/me', { avatarUrl: 'https://example.com/b.png' });
    const changed = await conditional(etag);
    expect(changed.status).to.equal(200);
    expect(changed.headers.get('etag')).not.to.equal(etag);
  });

  it('are not cached when they are errors', async () => {
    const path = '/api/agents/later_one';
    const missing = await get(path);
    expect([missing.status, missing.headers.get('etag')]).to.deep.equal([404, null]);
    const { deps } = world;
    // The row is written as by another replica: this process does not count the write.
    const before = deps.writes.count;
    await addListedAgent(world, { name: 'Later One' });
    deps.writes.count = before;
    expect((await get(path)).status).to.equal(200);
  });

  it('stay cached when an agent reads its notifications', async () => {
    const before = world.deps.writes.count;
    await askAs(world, ada, 'GET', '/api/notifications');
    expect(world.deps.writes.count).to.equal(before);
  });

  it('are cached only for callers without a key, who see shortened transaction hashes', async () => {
    const made = await tradeOnChain(bob, 'buy', ada, 1);
    await askAs(world, bob, 'POST', '/api/tickets/buy', made);
    const hash = made.txHash;
    const hashes = async (key?: string) => {
      const answer = await get('/api/feed?type=BOUGHT&limit=1', {}, key);
      const [event] = answer.body.feed as { txHash: string }[];
      return { hash: event?.txHash, cache: answer.headers.get('cache-control'), vary: answer.headers.get('vary') };
    };
    const short = { hash: `${hash.slice(0, 10)}…`, cache: 'public, no-cache', vary: 'Origin, X-Api-Key' };
    expect(await hashes(bob.key)).to.deep.equal({ hash, cache: 'no-store', vary: 'Origin, X-Api-Key' });
    expect(await hashes()).to.deep.equal(short);
    expect(await hashes(ada.key)).to.include({ hash, cache: 'no-store' });
    expect(await hashes()).to.deep.equal(short);
  });

  it('exclude endpoints that require a key, change data or read the chain', () => {
    const declared = endpoints(world.deps.config);
    const cached = declared.filter(isPublic);
    expect(cached.filter(({ auth, method }) => auth === 'required' || method !== 'GET')).to.deep.equal([]);
    const live = 'agents/availability agents/claim-info price tickets/quote'.split(' ').map((path) => `/api/${path}`);
    expect(declared.map(({ path }) => path)).to.include.members(live);
    expect(cached.filter(({ path }) => path === '/ready' || live.includes(path))).to.deep.equal([]);
    expect(cached.length).to.be.greaterThan(10);
  });

  it('send no-store for endpoints that require a key, and an ETag only if they declare one', async () => {
    const reads = endpoints(world.deps.config).filter((declared) => declared.method === 'GET');
    const keyed = reads.filter(({ auth }) => auth === 'required');
    for (const { path, identity } of keyed.filter(({ query }) => query === undefined)) {
      const { status, headers } = await get(path, {}, ada.key);
      expect([path, status, headers.get('cache-control'), headers.has('etag')]).to.deep.equal([
        path,
        200,
        'no-store',
        identity !== undefined,
      ]);
      world.clock.advance(61_000);
    }
  });
});
