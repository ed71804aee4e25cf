// Nightly: it depends on real time.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { expect } from 'chai';
import { createProxy } from '../../scripts/cluster/proxy.js';
import { freePort } from '../faults/support/ports.js';
import { PostgresServer, postgresPrograms } from '../faults/support/postgres.js';
import { hasRedis, RedisServer } from '../faults/support/redis.js';
import { childEnvironment } from '../support/processes.js';
import { overOpenSocket } from '../support/service/live.js';
import { eventually, freshDirectory, getJson, root } from '../support/service/process.js';

describe('the proxy of a cluster', () => {
  const servers: Server[] = [];
  const listen = async (server: Server): Promise<string> => {
    servers.push(server);
    await once(server.listen(0, '127.0.0.1'), 'listening');
    return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  };
  afterEach(() => {
    for (const server of servers.splice(0)) {
      server.closeAllConnections();
      server.close();
    }
  });
  /** A service that answers its name, what it received, and the address of the client. */
  const echo = (name: string): Promise<string> =>
    listen(
      createServer(async (req, res) => {
        let body = '';
        for await (const chunk of req) body += chunk;
        res.setHeader('x-service', name);
        res.end(JSON.stringify({ url: req.url, body, from: req.headers['x-forwarded-for'] }));
      }),
    );

  it('sends requests to the services in turn, with the address of the client', async () => {
    const urls = [await echo('a'), await echo('b')];
    const proxy = await listen(createProxy(() => urls.map((url) => ({ url, isAlive: true }))));
    const answers = [];
    for (let i = 0; i < 4; i++) answers.push(await fetch(`${proxy}/p?q=1`, { method: 'POST', body: `body ${i}` }));
    expect(answers.map(({ headers }) => headers.get('x-service'))).to.deep.equal(['a', 'b', 'a', 'b']);
    expect(await answers[3]?.json()).to.deep.equal({ url: '/p?q=1', body: 'body 3', from: '127.0.0.1' });
    const forged = await fetch(proxy, { headers: { 'x-forwarded-for': '192.0.2.1' } });
    expect(((await forged.json()) as { from: string }).from).to.equal('192.0.2.1, 127.0.0.1');
  });

  it('leaves out services that have ended, and answers 502 if none is left', async () => {
    const alive = { url: await echo('a'), isAlive: true };
    const proxy = await listen(createProxy(() => [alive, { url: 'http://127.0.0.1:1', isAlive: false }]));
    for (let i = 0; i < 3; i++) expect((await fetch(proxy)).status).to.equal(200);
    alive.isAlive = false;
    expect((await fetch(proxy)).status).to.equal(502);
    const refusing = await listen(createProxy(() => [{ url: 'http://127.0.0.1:1', isAlive: true }]));
    expect((await fetch(refusing)).status).to.equal(502);
  });
});

describe('npm run cluster', () => {
  let postgres: PostgresServer;
  let redis: RedisServer;

  before(async function () {
    if (postgresPrograms() === undefined || !hasRedis()) {
      process.stdout.write('    initdb, postgres or redis-server is missing: the cluster is not tested\n');
      this.skip();
    }
    [postgres, redis] = [await PostgresServer.start(), await RedisServer.start()];
  });
  after(async () => {
    await redis?.stop();
    await postgres?.stop();
  });

  it('starts replicas behind one URL, and stops all of them', async () => {
    const url = `http://127.0.0.1:${await freePort()}`;
    const DATABASE_URL = postgres.url.replace(/postgres$/, 'curvet_cluster');
    const program = join(root, 'dist/scripts/cluster.js');
    const cluster = spawn(join(root, 'bin/node'), [program, '2', '--port', new URL(url).port], {
      env: childEnvironment({ DATA_DIR: freshDirectory(), DATABASE_URL, REDIS_URL: redis.url }),
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    let output = '';
    cluster.stdout?.on('data', (chunk) => {
      output += chunk;
    });
    try {
      await eventually(() => /cluster is ready/.test(output), 'the cluster is not ready');
      expect(output).to.include(`The cluster is ready at ${url} (2 replicas`);
      for (let i = 0; i < 4; i++) expect((await getJson(`${url}/ready`)).status).to.equal(200);
      const subscriber = await overOpenSocket(url, 'subscription { price { totalSupply } }');
      expect(subscriber.closed).to.equal(false);
      subscriber.cut();
    } finally {
      cluster.kill('SIGTERM');
    }
    const [code] = await once(cluster, 'exit');
    expect(code).to.equal(0);
    const replicas = [...output.matchAll(/replica at (\S+)/g)].map(([, replica]) => String(replica));
    expect(replicas.length).to.equal(2);
    for (const replica of replicas) expect(await fetch(replica).catch(() => 'refused')).to.equal('refused');
  });
});
