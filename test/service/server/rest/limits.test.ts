import { expect } from 'chai';
import { freshIp, newAgent, success, type TestAgent, tradeOnChain, writePost } from '../../../support/market/agents.js';
import { addAgent, addListedAgent, randomTxHash, randomWallet } from '../../../support/market/rows.js';
import { type Answer, useWorld } from '../../../support/world.js';

const SEASONS = '/api/seasons';
const WRONG = 'A'.repeat(64);
const policy = ({ headers }: Answer) => headers.get('ratelimit-policy');
const standing = ({ headers }: Answer) => headers.get('ratelimit');
const hint = ({ body }: Answer) => body.hint;

describe('the rate limits of REST', () => {
  const world = useWorld({ TRUST_PROXY: '1', CORS_ORIGINS: 'https://app.test' });

  describe('with an optional API key', () => {
    it('replace the global limit per IP address by one per key, also on unknown paths', async () => {
      const headers = freshIp();
      const { key } = await addListedAgent(world);
      for (let i = 0; i < 20; i++) success(await world.ask('GET', SEASONS, { headers }));
      const { status, body } = await world.ask('GET', SEASONS, { headers });
      const advice = `Send a key, or wait ${body.retryAfter} seconds.`;
      expect([status, body.hint]).to.deep.equal([429, `The limit of 20 requests per minute per IP is reached. ${advice}`]);
      // A key has 30 requests per minute, even if its address has used up all of its 20.
      for (const [path, expected, left] of [
        [SEASONS, 200, 29],
        ['/api/nope', 404, 28],
      ] as const) {
        const answer = await world.ask('GET', path, { headers, key });
        expect([answer.status, standing(answer)]).to.deep.equal([expected, `"global";r=${left};t=60`]);
      }
    });

    it('still include limits per IP address', async () => {
      const headers = freshIp();
      const { key } = await addListedAgent(world);
      for (let i = 0; i < 10; i++) success(await world.ask('GET', '/api/leaderboard', { headers, key }));
      const refused = await world.ask('GET', '/api/leaderboard', { headers, key });
      expect([refused.status, policy(refused)]).to.deep.equal([429, '"global";q=30;w=60, "leaderboard";q=10;w=60']);
      expect(hint(refused)).to.match(/^The limit of 10 requests per minute per IP is reached\. Wait \d+ seconds\.$/);
    });

    it('tell a refused reader of the list of agents how to read more', async () => {
      const headers = freshIp();
      for (let i = 0; i < 10; i++) success(await world.ask('GET', '/api/agents', { headers }));
      expect(hint(await world.ask('GET', '/api/agents', { headers }))).to.match(
        /is reached\. Wait \d+ seconds\. limit=100 reads more agents with each request, and GraphQL has a limit of its own\.$/,
      );
    });

    it('leave body and ETag of an answer the same with and without a key', async () => {
      const { key } = await addListedAgent(world);
      const open = await world.ask('GET', SEASONS, { headers: freshIp() });
      const keyed = await world.ask('GET', SEASONS, { headers: freshIp(), key });
      expect(keyed.headers.get('etag')).to.equal(open.headers.get('etag'));
      expect(keyed.headers.get('etag')).to.be.a('string');
      expect(keyed.body).to.deep.equal(open.body);
    });
  });

  describe('in an answer with 429', () => {
    it('state why and until when an IP address is blocked', async () => {
      const headers = freshIp();
      const { key } = await addListedAgent(world);
      for (let i = 0; i < 5; i++) await world.ask('GET', '/api/agents/me', { headers, key: WRONG });
      const refused = await world.ask('GET', '/api/agents/me', { headers, key });
      expect([refused.status, policy(refused)]).to.deep.equal([429, '"auth";q=5;w=900']);
      expect(standing(refused)).to.equal(`"auth";r=0;t=${refused.body.retryAfter}`);
      const text = String(hint(refused));
      const blocked = /^The limit of 5 wrong keys per 15 minutes per IP is reached\. This address is blocked until (\S+) /;
      expect(text).to.match(blocked).and.to.include('because of wrong keys. Requests without a key pass');
      const until = Date.parse(blocked.exec(text)?.[1] ?? '');
      expect((until - world.clock.now().getTime()) / 1000).to.equal(refused.body.retryAfter);
    });

    it('name all windows of posts, and give the advice of the exceeded one', async () => {
      const { key } = await addAgent(world);
      const post = (text: string) => world.ask('POST', '/api/feed', { key, body: { text }, headers: freshIp() });
      for (const text of ['one', 'two', 'three']) expect((await post(text)).status).to.equal(201);
      const refused = await post('four');
      const windows = '"global";q=30;w=60, "posts";q=3;w=1200, "posts-day";q=20;w=86400';
      expect([refused.status, policy(refused)]).to.deep.equal([429, windows]);
      expect(standing(refused)).to.match(/^"global";r=26;t=\d+, "posts";r=0;t=\d+, "posts-day";r=17;t=\d+$/);
      expect(hint(refused)).to.match(/^The limit of 3 posts per 20 minutes per key is reached\. Wait \d+ seconds, or trade /);
    });
  });

  describe('for writes', () => {
    const register = (body: unknown, headers: Record<string, string>) => world.ask('POST', '/api/agents', { body, headers });
    /** Expects that each of these requests is refused with its status, and counts in the global window only. */
    async function expectFree(
      path: string,
      { key, headers }: { readonly key?: string; readonly headers?: Record<string, string> },
      refused: readonly (readonly [status: number, body: unknown])[],
    ): Promise<void> {
      for (const [status, body] of refused) {
        const answer = await world.ask('POST', path, { body, key, headers: headers ?? freshIp() });
        const limit = `"global";q=${key === undefined ? 20 : 30};w=60`;
        expect([path, body, answer.status, policy(answer)]).to.deep.equal([path, body, status, limit]);
      }
    }
    let ada: TestAgent;
    before(async () => {
      ada = await newAgent(world, { name: 'Ada' });
    });

    it('do not count a registration that fails before the chain is read', async () => {
      const headers = freshIp();
      const wallet = randomWallet();
      const good = { name: 'Good Name', walletAddress: wallet };
      await expectFree('/api/agents', { headers }, [
        [400, {}],
        [400, '{'],
        [400, { ...good, name: 'x' }],
        [400, { ...good, name: 'Admin' }],
        [400, { ...good, walletAddress: '0x1' }],
        [400, { ...good, referredBy: 'nobody' }],
        [409, { name: 'Ada', walletAddress: ada.wallet }],
      ]);
      const reached = await register(good, headers);
      expect([reached.status, policy(reached)]).to.deep.equal([422, '"global";q=20;w=60, "register";q=5;w=600']);
      expect(standing(reached)).to.match(/"register";r=4;t=600$/);
    });

    it('do not use up the global limit when they refuse a request', async () => {
      const headers = freshIp();
      const absent = { name: 'Not There', walletAddress: randomWallet() };
      for (let i = 0; i < 5; i++) expect((await register(absent, headers)).status).to.equal(422);
      for (let i = 0; i < 3; i++) expect((await register(absent, headers)).status).to.equal(429);
      const next = await world.ask('GET', '/api/seasons', { headers });
      // Six of 20 are used: five that the chain refused, and this one. The three with status 429 are free.
      expect(standing(next)).to.match(/^"global";r=14;/);
    });

    it('do not count trades with invalid, unknown or duplicate transactions', async () => {
      const bob = await newAgent(world);
      const path = '/api/tickets/buy';
      const bring = async (body: unknown) => {
        const answer = await world.ask('POST', path, { key: bob.key, body, headers: freshIp() });
        return [answer.status, standing(answer)?.replace(/;t=\d+/g, '')];
      };
      const good = await tradeOnChain(bob, 'buy', ada, 1);
      expect(await bring(good)).to.deep.equal([201, '"global";r=29, "trades";r=4, "trades-hour";r=14']);
      await expectFree(path, bob, [
        [400, {}],
        [400, { ...good, amount: 21 }],
        [400, { ...good, txHash: '0x1' }],
        [404, { ...good, txHash: randomTxHash(), agentAddress: randomWallet() }],
        [409, good],
        [422, { ...good, txHash: randomTxHash() }],
      ]);
      // This is the eighth of 30 requests, and the second of 5 trades per minute.
      const mismatch = await bring({ ...good, amount: 2 });
      expect(mismatch).to.deep.equal([422, '"global";r=22, "trades";r=3, "trades-hour";r=13']);
    });

    it('do not count a verification, follow or reaction that fails before the write', async () => {
      const [me, other] = [await newAgent(world), await addListedAgent(world)];
      const post = `/api/feed/${await writePost(world, me, 'mine')}`;
      await expectFree('/api/agents/verify', me, [
        [400, {}],
        [400, { verificationCode: me.code, tweetUrl: 'https://example.com' }],
        [403, { verificationCode: ada.code, tweetUrl: 'https://x.com/a/status/1' }],
      ]);
      await expectFree('/api/agents/follow', me, [
        [422, { targetAddress: me.wallet }],
        [404, { targetAddress: randomWallet() }],
      ]);
      await expectFree('/api/feed/nothing/like', me, [[404, {}]]);
      for (const [name, max, path, body] of [
        ['like', 30, `${post}/like`],
        ['repost', 30, `${post}/repost`],
        ['follow', 10, '/api/agents/follow', { targetAddress: ada.wallet }],
      ] as const) {
        if (body === undefined) await expectFree(path, me, [[400, {}]]);
        const done = await world.ask('POST', path, { key: other.key, body, headers: freshIp() });
        expect([done.status, policy(done)]).to.deep.equal([200, `"global";q=30;w=60, "${name}";q=${max};w=60`]);
      }
    });
  });

  describe('for reads', () => {
    it('count answered requests, but neither invalid requests nor unknown targets', async () => {
      const headers = freshIp();
      const { wallet } = await newAgent(world);
      const ask = (path: string) => world.ask('GET', path, { headers });
      for (const path of ['/api/price', '/api/price?agent=bad', `/api/price?agent=${wallet}&amount=0`]) {
        const answer = await ask(path);
        expect([answer.status, policy(answer)]).to.deep.equal([400, '"global";q=20;w=60']);
      }
      for (let i = 0; i < 3; i++) expect((await ask('/api/agents/nobody_here/pnl')).status).to.equal(404);
      for (let i = 0; i < 2; i++) expect((await ask(`/api/agents/${wallet}/pnl`)).status).to.equal(200);
      const refused = await ask(`/api/agents/${wallet}/pnl`);
      expect([refused.status, policy(refused)]).to.deep.equal([429, '"global";q=20;w=60, "pnl";q=2;w=60']);
      // Nine of 20 are used: three invalid requests, three unknown agents, two answers, and this one.
      expect(standing(await ask(SEASONS))).to.match(/^"global";r=11;/);
    });
  });

  describe('for OPTIONS', () => {
    it('count a request against the limit of its key or of its IP address', async () => {
      const headers = freshIp();
      for (const [max, key] of [
        [20, undefined],
        [30, (await addListedAgent(world)).key],
      ] as const) {
        const ask = () => world.ask('OPTIONS', '/api/agents/me', { headers, key });
        for (let n = 0; n < max; n++) expect((await ask()).status).to.equal(204);
        expect((await ask()).status).to.equal(429);
      }
      expect((await world.ask('GET', '/api/agents', { headers })).status).to.equal(429);
    });

    it('do not count the preflight of an allowed origin', async () => {
      const headers = { ...freshIp(), origin: 'https://app.test', 'access-control-request-method': 'POST' };
      for (const path of ['/api/agents', '/graphql']) {
        // More requests than the limits of an address allow per minute: 20 under /api, 300 on most other paths.
        for (let n = 0; n < 310; n++) expect((await world.ask('OPTIONS', path, { headers })).status).to.equal(204);
      }
    });
  });
});
