import { createHmac } from 'node:crypto';
import { expect } from 'chai';
import { limitsOf } from '../../../src/server/openapi/limits.js';
import { isProbe, isUnderApi, windowsOf } from '../../../src/server/rate-limits.js';
import { freshIp, refusal, success } from '../../support/market/agents.js';
import { addListedAgent } from '../../support/market/rows.js';
import { counting } from '../../support/parts.js';
import { createScene, declared, EXTRA, nameOf, requestOf, type Scene } from '../../support/service/samples.js';
import { type Answer, useWorld } from '../../support/world.js';

/**
 * The specified limits of single endpoints, in addition to `GLOBAL`. They are written out, so that a change of a declaration fails
 * this test. `5/600 ip` means 5 requests in 600 seconds per address, `key` per API key.
 */
const OWN: Readonly<Record<string, readonly string[]>> = {
  'POST /api/agents': ['5/600 ip'],
  'POST /api/agents/follow': ['10/60 key'],
  'POST /api/agents/verify': ['10/600 ip'],
  'GET /api/agents': ['10/60 ip'],
  'GET /api/leaderboard': ['10/60 ip'],
  'GET /api/search': ['15/60 ip'],
  'GET /api/trending': ['10/60 ip'],
  'GET /api/agents/me/balance': ['30/60 key'],
  'GET /api/price': ['10/60 ip'],
  'POST /api/tickets/buy': ['5/60 key', '15/3600 key'],
  'POST /api/tickets/sell': ['5/60 key', '15/3600 key'],
  'GET /api/agents/me/pnl': ['2/60 key'],
  'GET /api/agents/{address}/pnl': ['2/60 ip', '2/60 key'],
  'GET /api/feed': ['10/60 ip'],
  'POST /api/feed/{id}/like': ['30/60 key'],
  'POST /api/feed/{id}/repost': ['30/60 key'],
  'GET /api/notifications': ['30/60 key'],
  'GET /api/agents/me': ['30/60 key'],
  'GET /api/heartbeat/status': ['30/60 key'],
};
const GLOBAL = { none: ['20/60 ip', '30/60 key'], optional: ['20/60 ip', '30/60 key'], required: ['30/60 key'] };

describe('the declared limits', () => {
  it('are those of the specification', () => {
    for (const one of declared) {
      const outside = isProbe(one.path) ? [] : ['300/60 ip'];
      const everywhere = isUnderApi(one.path) ? GLOBAL[one.auth] : outside;
      const rows = limitsOf(one).map(({ max, seconds, per }) => `${max}/${seconds} ${per}`);
      expect(rows, nameOf(one)).to.deep.equal([...everywhere, ...(OWN[nameOf(one)] ?? [])]);
    }
  });
});

describe('the enforced limits', () => {
  const world = useWorld({ ...EXTRA, TRUST_PROXY: '1' });
  let scene: Scene;
  before(async () => {
    scene = await createScene(world);
  });

  for (const one of declared) {
    describe(`of ${nameOf(one)}`, () => {
      for (const row of limitsOf(one)) {
        const { name, max, seconds, per } = row;
        it(`allow ${max} requests in ${seconds} seconds per ${per} (${name})`, async () => {
          const address = freshIp();
          /** A caller of the endpoint with these headers. If the limit is per key, the caller is a new agent with its key. */
          const callerAt = async (headers: Record<string, string>) => {
            const agent = per === 'key' ? await addListedAgent(world) : scene.scout;
            const key = per === 'key' ? { key: agent.key } : {};
            const { url, body } = requestOf(one, scene, { world, wallet: agent.wallet });
            return { agent, ask: () => world.ask(one.method, url, { headers, body, ...key }) };
          };
          const { agent, ask } = await callerAt(address);
          // A caller with another key at the same address, or at another address.
          const other = await callerAt(per === 'key' ? address : freshIp());
          const expectFirst = (answer: Answer) => {
            expect(answer.status, JSON.stringify(answer.body)).not.to.equal(429);
            expect(answer.headers.get('ratelimit')).to.match(new RegExp(`"${name}";r=${max - 1};`));
          };
          // The request is sent twice, because an answer from the cache must count, too. After the deletion of the agent, its key
          // is invalid, so this request cannot be repeated.
          const sent = nameOf(one) === 'DELETE /api/agents/me' ? 0 : 2;
          // Uses up the window in one step, except for the requests that follow.
          const windows = windowsOf([row], agent, address['x-forwarded-for'] ?? '');
          const used = windows.map((window) => ({ ...window, cost: max - sent }));
          if (max > sent) await world.deps.limits.take(used, world.clock.now().getTime());
          for (let left = sent - 1; left >= 0; left--) {
            const answer = await ask();
            if (one.method === 'GET') expect(answer.status, JSON.stringify(answer.body)).to.equal(200);
            expect(answer.headers.get('ratelimit'), refusal(answer)).to.match(new RegExp(`"${name}";r=${left};`));
          }
          const refused = await ask();
          expect(refusal(refused)).to.equal('429 Too many requests');
          expect(refused.headers.get('retry-after')).to.equal(String(seconds));
          for (const name of ['etag', 'cache-control']) expect(refused.headers.get(name), name).to.equal(null);
          expect(refused.body.retryAfter).to.equal(seconds);
          expectFirst(await other.ask());
          world.clock.advance(seconds * 1000 - 1);
          expect((await ask()).status).to.equal(429);
          world.clock.advance(1);
          expectFirst(await ask());
        });
      }
    });
  }
});

const policy = ({ headers }: Answer) => headers.get('ratelimit-policy');
const SIGNING_KEY = 'a-signing-key-of-the-tests';
const CRON_SECRET = 'a-secret-of-the-cron-jobs';
const WRONG = 'A'.repeat(64);

describe('the rate limits of addresses', () => {
  const world = useWorld({ TRUST_PROXY: '1', WEBHOOK_SIGNING_KEY: SIGNING_KEY, CRON_SECRET });

  it('count wrong keys at every API, even on unknown paths and methods', async () => {
    for (const [method, path, body] of [
      ['GET', '/api/seasons'],
      ['GET', '/api/agents/claim-info?code=CURVET-0000'],
      ['POST', '/api/agents'],
      ['GET', '/api/nope'],
      ['DELETE', '/api/leaderboard'],
      ['GET', '/docs'],
      ['GET', '/openapi.json'],
      ['GET', '/claim/CURVET-0000'],
      ['GET', '/nope'],
      ['POST', '/graphql', { query: '{ __typename }' }],
      ['POST', '/mcp', { jsonrpc: '2.0', id: 1, method: 'tools/list' }],
    ] as const) {
      const headers = { ...freshIp(), accept: 'application/json, text/event-stream' };
      const ask = (key?: string) => world.ask(method, path, { headers, body, ...(key ? { key } : {}) });
      for (let i = 0; i < 5; i++) expect((await ask(WRONG)).status, path).to.equal(401);
      const blocked = await ask(WRONG);
      expect([blocked.status, policy(blocked)?.split(', ').at(-1)], path).to.deep.equal([429, '"auth";q=5;w=900']);
      expect([401, 429], path).not.to.include((await ask()).status);
    }
  });

  describe('in IPv6 networks', () => {
    /** A header with an address in the `n`-th /64 network of the /48 network `site`. */
    const inNetwork = (site: string, n: number, host = 1) => ({
      'x-forwarded-for': `2001:db8:${site}:${n.toString(16)}::${host}`,
    });

    it('count per /64 network and, with ten times the limit, per /48 network', async () => {
      const ask = (n: number, host?: number) => world.ask('GET', '/api/seasons', { headers: inNetwork('1', n, host) });
      for (let n = 0; n < 10; n++) {
        // Each of ten /64 networks uses up its limit of 20. Together they use up the limit of 200 of their /48 network.
        for (let i = 0; i < 20; i++) expect((await ask(n, i + 1)).status).to.equal(200);
        const full = await ask(n, 99);
        expect([full.status, policy(full)]).to.deep.equal([429, '"global";q=20;w=60, "global-48";q=200;w=60']);
        if (n === 0) expect(full.body.hint).to.match(/^The limit of 20 requests per minute per IPv6 \/64 is reached\./);
      }
      const refused = await ask(10);
      expect([refused.status, policy(refused)]).to.deep.equal([429, '"global";q=20;w=60, "global-48";q=200;w=60']);
      expect(refused.headers.get('ratelimit')).to.match(/^"global";r=20;t=0, "global-48";r=0;t=\d+$/);
      expect(refused.body.hint).to.match(/^The limit of 200 requests per minute per IPv6 \/48 is reached\./);
      expect((await world.ask('GET', '/api/seasons', { headers: inNetwork('2', 1) })).status).to.equal(200);
    });

    it('count wrong keys per /64 and /48 network', async () => {
      const { key } = await addListedAgent(world);
      for (let n = 0; n < 10; n++) {
        for (let i = 0; i < 5; i++) {
          const answer = await world.ask('GET', '/api/seasons', { headers: inNetwork('3', n), key: WRONG });
          expect(answer.status).to.equal(401);
        }
      }
      const blocked = await world.ask('GET', '/api/seasons', { headers: inNetwork('3', 10), key });
      expect([blocked.status, policy(blocked)]).to.deep.equal([429, '"auth";q=5;w=900, "auth-48";q=50;w=900']);
      success(await world.ask('GET', '/api/seasons', { headers: inNetwork('4', 10), key }));
    });
  });

  describe('outside /api', () => {
    it('allow 300 requests a minute per IP address over all paths, known or unknown', async () => {
      const headers = freshIp();
      const paths = ['/robots.txt', '/docs', '/openapi.json', '/metrics', '/nope', '/claim/x', '/graphql/graphiql.js'];
      const page = { ...headers, accept: 'text/html' };
      // Requests 1 to 6 are for `paths`, every 50th is for the editor of GraphQL, and the rest are for an unknown path.
      for (let i = 0; i < 300; i++) {
        const answer = i % 50 === 0 ? await world.ask('GET', '/graphql', { headers: page }) : undefined;
        const { status } = answer ?? (await world.ask('GET', i < 7 ? (paths[i] as string) : '/nope', { headers }));
        expect(status, `request ${i}`).not.to.equal(429);
      }
      for (const path of [...paths, '/', '/apis']) {
        const refused = await world.ask('GET', path, { headers });
        expect([path, refused.status, policy(refused)]).to.deep.equal([path, 429, '"outside";q=300;w=60']);
      }
      for (const method of ['GET', 'PUT', 'OPTIONS']) {
        expect((await world.ask(method, '/graphql', { headers: page })).status, method).to.equal(429);
      }
      expect((await world.ask('GET', '/docs', { headers: freshIp() })).status).to.equal(200);
      expect((await world.ask('GET', '/health', { headers })).status).to.equal(200);
      expect((await world.ask('GET', '/api/seasons', { headers })).status).to.equal(200);
    });

    it('do not count probes, which read the database once a second', async () => {
      const headers = freshIp();
      await counting(world, async (other, count) => {
        for (let i = 0; i < 350; i++) {
          for (const path of ['/health', '/ready']) {
            const answer = await other.ask('GET', path, { headers });
            expect([answer.status, policy(answer)], `${path} ${i}`).to.deep.equal([200, null]);
          }
        }
        // The clock stands still, so all these requests are in the same second.
        expect(count()).to.equal(1);
      });
    });

    it('count wrong signatures and secrets, but never refuse correct ones', async () => {
      const headers = freshIp();
      const body = '{}';
      const send = (key: string) =>
        world.ask('POST', '/webhooks/chain', {
          body,
          headers: { ...headers, 'x-alchemy-signature': createHmac('sha256', key).update(body).digest('hex') },
        });
      const score = (secret: string) =>
        world.ask('POST', '/internal/jobs/score-season', {
          headers: { ...headers, authorization: `Bearer ${secret}` },
        });
      // 150 wrong signatures and 150 wrong secrets use up the limit of 300.
      for (let i = 0; i < 150; i++) {
        expect((await send('wrong')).status).to.equal(401);
        expect((await score('wrong')).status).to.equal(401);
      }
      for (const refused of [await send('wrong'), await score('wrong')]) {
        expect([refused.status, policy(refused)]).to.deep.equal([429, '"outside";q=300;w=60']);
      }
      expect((await world.ask('POST', '/internal/nothing', { headers })).status).to.equal(429);
      const right = await send(SIGNING_KEY);
      expect([right.status, policy(right)]).to.deep.equal([200, null]);
      expect((await score(CRON_SECRET)).status).to.equal(200);
    });
  });
});
