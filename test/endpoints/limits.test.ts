// Server, CI: it uses up the limit of each endpoint, which takes seconds, and the limits count in Redis.
import { expect } from 'chai';
import { isProbe, isUnderApi, windowsOf } from '../../src/server/access.js';
import { limitsOf } from '../../src/server/openapi/limits.js';
import { freshIp, refusal } from '../support/market/agents.js';
import { addListedAgent } from '../support/market/rows.js';
import { createScene, declared, EXTRA, nameOf, requestOf, type Scene } from '../support/service/samples.js';
import { type Answer, useWorld } from '../support/world.js';

/** Limits of the specification, in addition to the global ones: requests, seconds and caller. */
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

describe('the declared limits of', () => {
  const world = useWorld({ ...EXTRA, TRUST_PROXY: '1' });
  let scene: Scene;
  before(async () => {
    scene = await createScene(world);
  });

  for (const one of declared) {
    describe(nameOf(one), () => {
      for (const row of limitsOf(one)) {
        const { name, max, seconds, per } = row;
        it(`allow ${max} requests in ${seconds} seconds per ${per} (${name})`, async () => {
          const address = freshIp();
          /** A caller with its own key at the same address, or without a key at the given address. */
          const callerAt = async (headers: Record<string, string>) => {
            const agent = per === 'key' ? await addListedAgent(world) : scene.scout;
            const key = per === 'key' ? { key: agent.key } : {};
            const { url, body } = requestOf(one, scene, { world, wallet: agent.wallet });
            return { agent, ask: () => world.ask(one.method, url, { headers, body, ...key }) };
          };
          const { agent, ask } = await callerAt(address);
          const other = await callerAt(per === 'key' ? address : freshIp());
          const expectFirst = (answer: Answer) => {
            expect(answer.status, JSON.stringify(answer.body)).not.to.equal(429);
            expect(answer.headers.get('ratelimit')).to.match(new RegExp(`"${name}";r=${max - 1};`));
          };
          // A repeated deletion of the agent would have no valid key. Other requests are sent twice: a cached answer counts, too.
          const sent = nameOf(one) === 'DELETE /api/agents/me' ? 0 : 2;
          const windows = windowsOf([row], { ...agent, agentId: '' }, address['x-forwarded-for'] ?? '');
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
