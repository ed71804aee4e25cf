import { createHmac } from 'node:crypto';
import { Agent } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'chai';
import { Relay } from '../../support/chain/relay.js';
import { freshIp } from '../../support/market/agents.js';
import { startTraffic } from '../../support/market/traffic.js';
import { print } from '../../support/print.js';
import { seed, seeded } from '../../support/seed.js';
import { useServers } from '../../support/servers.js';
import { type Running, run } from '../../support/service/process.js';
import { rawAsk } from '../../support/service/raw-requests.js';
import { replicaEnv } from './support/replicas.js';
import { expectWholeIndex } from './support/whole-index.js';

const KEY = 'a-signing-key-of-the-fault-tests';
const WEBHOOKS = 10_000;
/** Maximum number of connections. More would slow down the sender, not the service. */
const CONNECTIONS = 500;
const TRADES = 60;
/** Maximum time of an answer from /health while the webhooks arrive. The service may be busy, but must not hang. */
const HEALTH_MS = 5000;

type Webhook = { readonly body: string; readonly signature: string; readonly ip: string; readonly expected: number[] };

describe(`${WEBHOOKS} webhooks at once (seed ${seed})`, function () {
  this.timeout(120_000);
  const random = seeded(seed);
  const pick = <T>(list: readonly T[]): T => list[Math.floor(random() * list.length)] as T;
  const servers = useServers();
  let relay: Relay;
  let service: Running;

  before(async () => {
    const { postgres, chain } = servers;
    relay = await Relay.start(chain.rpcUrl, seed);
    const env = { ...replicaEnv({ ...chain, rpcUrl: relay.url }), RATE_LIMITS: 'on', TRUST_PROXY: '1' };
    service = run({ env: { ...env, DATABASE_URL: postgres.url, WEBHOOK_SIGNING_KEY: KEY } });
    await service.ready();
  });
  after(() => relay?.stop());

  const sign = (body: string, key = KEY): string => createHmac('sha256', key).update(body).digest('hex');
  const ip = (): string => freshIp()['x-forwarded-for'];
  /** The body of a webhook about a log of this transaction, as Alchemy sends it. */
  const payload = (hash: string, address = servers.chain.contract): string =>
    JSON.stringify({ event: { data: { block: { logs: [{ account: { address }, transaction: { hash } }] } } } });

  /** A random webhook: about a real trade, about a trade that does not exist, about another contract, forged, or malformed. */
  function webhook(hashes: readonly string[]): Webhook {
    const dice = random();
    const real = payload(pick(hashes));
    const hash = `0x${Math.floor(random() * 1e12)
      .toString(16)
      .padStart(64, '0')}`;
    if (dice < 0.5) return { body: real, signature: sign(real), ip: ip(), expected: [200] };
    if (dice < 0.6) return { body: payload(hash), signature: sign(payload(hash)), ip: ip(), expected: [200] };
    if (dice < 0.7) {
      const other = payload(hash, `0x${'ab'.repeat(20)}`);
      return { body: other, signature: sign(other), ip: ip(), expected: [200] };
    }
    const forged = pick([sign(real, 'another key of somebody'), sign(`${real} `), '', 'a'.repeat(64)]);
    if (dice < 0.8) return { body: real, signature: forged, ip: ip(), expected: [401] };
    // This address only sends forged webhooks, so the service blocks it (429) after a few of them.
    if (dice < 0.9) return { body: real, signature: forged, ip: '203.0.113.9', expected: [401, 429] };
    return { body: real.slice(0, -3), signature: sign(real.slice(0, -3)), ip: ip(), expected: [400] };
  }

  async function send(agent: Agent, { body, signature, ip: from }: Webhook): Promise<number> {
    const headers = { 'content-type': 'application/json', 'x-alchemy-signature': signature, 'x-forwarded-for': from };
    return (await rawAsk(service.url, '/webhooks/chain', { agent, method: 'POST', headers }, body)).status;
  }

  it('get the answer that each deserves, and leave the index with the facts of the chain', async () => {
    const { postgres, chain } = servers;
    const traffic = await startTraffic(chain, seed);
    const hashes = await traffic.act(TRADES);
    const webhooks = Array.from({ length: WEBHOOKS }, () => webhook(hashes));
    const agent = new Agent({ keepAlive: true, maxSockets: CONNECTIONS });
    const asked = relay.asked.length;
    let over = false;
    let health = 0;
    const watching = (async () => {
      while (!over) {
        const begun = performance.now();
        expect((await fetch(`${service.url}/health`, { headers: freshIp() })).status).to.equal(200);
        health = Math.max(health, performance.now() - begun);
        await sleep(50);
      }
    })();
    const begun = performance.now();
    const sending = Promise.all(webhooks.map((one) => send(agent, one)));
    // Trades that the chain gets while the webhooks arrive. No webhook is about them.
    const later = traffic.act(20);
    const statuses = await sending;
    const seconds = (performance.now() - begun) / 1000;
    over = true;
    await Promise.all([watching, later]);
    agent.destroy();
    const counts = new Map<number, number>();
    for (const status of statuses) counts.set(status, (counts.get(status) ?? 0) + 1);
    const wrong = webhooks.filter(({ expected }, i) => !expected.includes(statuses[i] as number));
    const text = [...counts].map(([status, count]) => `${count} x ${status}`).join(', ');
    print(
      `${text} in ${seconds.toFixed(1)} s, ${relay.asked.length - asked} calls of the chain; slowest /health ${Math.round(health)} ms`,
    );
    expect(wrong.slice(0, 3)).to.deep.equal([]);
    expect(health).to.be.lessThan(HEALTH_MS);
    print(await expectWholeIndex(chain, postgres));
    // One more webhook, about a new trade: after the flood, the service still takes webhooks.
    const late = await traffic.act(1);
    const again = payload(late[0] ?? '');
    const next = new Agent();
    expect(await send(next, { body: again, signature: sign(again), ip: ip(), expected: [200] })).to.equal(200);
    await expectWholeIndex(chain, postgres);
    next.destroy();
  });
});
