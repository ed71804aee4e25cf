import { request } from 'node:https';
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'chai';
import WebSocket from 'ws';
import { type TestChain, testChain } from '../../support/chain/chain.js';
import { print } from '../../support/print.js';
import { ExampleProxy } from '../../support/proxy/nginx.js';
import { freePort } from '../../support/servers/ports.js';
import { RedisServer } from '../../support/servers/redis.js';
import { endProcesses, eventually, type Running, run } from '../../support/service/process.js';
import { replicaEnv } from '../faults/support/replicas.js';
import { Cluster, urlOf } from './support/cluster.js';
import { describeDrill } from './support/drill.js';
import { Prometheus } from './support/prometheus.js';
import { Runbook } from './support/runbook-commands.js';

const CLIENTS = 8;
const SUBSCRIBERS = 1000;
const PROBES = 1000;
const PROBE_EVERY_MS = 10;

describeDrill('two replicas that follow the documents of the operator', ['redis-server', 'nginx', 'prometheus'], () => {
  const book = new Runbook();
  let [cluster, redis, chain]: [Cluster?, RedisServer?, TestChain?] = [];
  let [proxy, prometheus]: [ExampleProxy?, Prometheus?] = [];
  let sent = 0;
  const replicas: Running[] = [];
  const settings: Record<string, string>[] = [];

  async function start(i: number): Promise<void> {
    replicas[i] = run({ env: settings[i] as Record<string, string> });
    await replicas[i]?.ready();
  }
  const metricsAt = (i: number) => `127.0.0.1:${settings[i]?.METRICS_PORT}`;
  const fires = (alert: string) =>
    eventually(async () => (await prometheus?.firing())?.includes(alert) === true, `${alert} does not fire`);
  const isQuiet = () =>
    eventually(
      async () => (await prometheus?.firing())?.length === 0,
      async () => `${await prometheus?.firing()} fires`,
    );
  /** The messages that a replica has logged at level `warn` and above, or about the state of a part. */
  const said = (i: number) =>
    replicas[i]?.log.filter(({ level, part }) => Number(level) >= 40 || part !== undefined).map(({ msg }) => msg) ?? [];

  before(async () => {
    [cluster, redis, chain] = [await Cluster.start(), await RedisServer.start(), await testChain()];
    await chain.resetToRealTime();
    await book.run('create-database', { SUPERUSER_URL: cluster.url, PASSWORD: 'first' });
    // Without these settings of the tests, the replicas have the defaults that an operator gets.
    const { RATE_LIMITS: _, LOG_LEVEL: __, ...common } = replicaEnv(chain);
    while (settings.length < 2) {
      settings.push({
        ...common,
        DATABASE_URL: urlOf(cluster.port, 'curvet_a', 'first', 'curvet'),
        REDIS_URL: redis.url,
        TRUST_PROXY: '1',
        REGISTRATION_SIGNATURE: 'required',
        PUBLIC_URL: 'https://localhost',
        PORT: String(await freePort()),
        METRICS_PORT: String(await freePort()),
      });
    }
    for (const i of settings.keys()) await start(i);
    const [first = '', second = ''] = settings.map(({ PORT }) => `127.0.0.1:${PORT}`);
    proxy = await ExampleProxy.start([first, second]);
    prometheus = await Prometheus.start(settings.map((_, i) => metricsAt(i)));
  });
  after(async () => {
    await prometheus?.stop();
    await proxy?.stop();
    await endProcesses();
    await redis?.stop();
    cluster?.stopAll();
  });

  /**
   * Sends a request through the proxy, each from another address, so that no rate limit refuses it. Resolves with the status,
   * followed by the path and the body if it is not 200, or with the error of the connection.
   */
  function send(method: string, path: string, body?: object): Promise<string> {
    return new Promise((resolve) => {
      const place = {
        host: '127.0.0.1',
        port: proxy?.tlsPort,
        localAddress: `127.1.${(++sent >> 8) & 255}.${sent & 255}`,
      };
      const headers = { 'content-type': 'application/json' };
      const one = request({ ...place, path, method, headers, rejectUnauthorized: false, agent: false }, (answer) => {
        const status = String(answer.statusCode);
        text(answer).then(
          (body) => resolve(status === '200' ? status : `${status} ${path} ${body}`),
          ({ message }) => resolve(message),
        );
      });
      one.on('error', ({ message }) => resolve(message));
      one.end(body && JSON.stringify(body));
    });
  }

  /** Sends requests without a pause while `work` runs. Returns how often each status was answered. */
  async function underTraffic(work: () => Promise<void>): Promise<Record<string, number>> {
    let isOver = false;
    const statuses: Record<string, number> = {};
    const clients = Array.from({ length: CLIENTS }, async () => {
      while (!isOver) {
        for (const status of [
          await send('GET', '/openapi.json'),
          await send('POST', '/graphql', { query: '{ marketStats { total { agents } } }' }),
        ]) {
          statuses[status] = (statuses[status] ?? 0) + 1;
        }
      }
    });
    await work();
    isOver = true;
    await Promise.all(clients);
    print(`${JSON.stringify(statuses)}`);
    return statuses;
  }

  it('start on an empty database with metrics that Prometheus reads, and without an alert', async () => {
    await eventually(async () => (await prometheus?.value('sum(curvet_ready)')) === 2, 'not both replicas are ready');
    expect(await prometheus?.value('count(curvet_build_info)')).to.equal(2);
    expect(await prometheus?.firing()).to.deep.equal([]);
    expect(settings.map((_, i) => said(i))).to.deep.equal([[], []]);
  });

  it('answer probes without a limit and without the database, beside a thousand subscribers', async () => {
    const [first = ''] = settings.map(({ PORT }) => PORT ?? '');
    const subscribers = Array.from({ length: SUBSCRIBERS }, (_, i) => {
      const headers = { 'x-forwarded-for': `10.0.${i >> 8}.${i & 255}` };
      const socket = new WebSocket(`ws://127.0.0.1:${first}/graphql`, 'graphql-transport-ws', { headers });
      socket.on('error', () => {});
      socket.on('open', () => socket.send('{"type":"connection_init"}'));
      const subscribe = { query: 'subscription { feedEvent { sequence } }' };
      socket.on('message', (text) => {
        if (String(text).includes('connection_ack'))
          socket.send(JSON.stringify({ id: '1', type: 'subscribe', payload: subscribe }));
      });
      return socket;
    });
    const metric = async (pattern: RegExp) => {
      const shown = await (await fetch(`http://${metricsAt(0)}/metrics`)).text();
      return [...shown.matchAll(pattern)].reduce((sum, [, value]) => sum + Number(value), 0);
    };
    const open = () => metric(/^curvet_subscriptions (\d+)$/gm);
    await eventually(
      async () => (await open()) === SUBSCRIBERS,
      async () => `${await open()} subscriptions are open`,
    );
    const statements = () => metric(/^curvet_database_query_duration_seconds_count\{.*\} (\d+)$/gm);
    /** Counts the SQL statements of the first replica in the time that all probes take, with or without the probes. */
    const during = async (isProbing: boolean) => {
      const [before, statuses] = [await statements(), new Set<number>()];
      const probes: Promise<unknown>[] = [];
      for (let i = 0; i < PROBES; i++) {
        if (isProbing) probes.push(fetch(`http://127.0.0.1:${first}/health`).then(({ status }) => statuses.add(status)));
        await sleep(PROBE_EVERY_MS);
      }
      await Promise.all(probes);
      return { statuses: [...statuses], statements: (await statements()) - before };
    };
    const [quiet, probed] = [await during(false), await during(true)];
    for (const socket of subscribers) socket.terminate();
    print(`${PROBES} probes: ${probed.statements} statements, and ${quiet.statements} in the same time without them`);
    expect(probed.statuses).to.deep.equal([200]);
    // The replica also sends statements without probes, so the numbers differ a little. Probes that asked the database would add a
    // thousand statements.
    expect(probed.statements - quiet.statements).to.be.below(PROBES / 4);
  });

  it('lose at most one answer per client when one of them is killed, and cause its alert until it is back', async () => {
    const statuses = await underTraffic(async () => {
      replicas[1]?.kill('SIGKILL');
      await fires(`CurvetReplicaDown ${metricsAt(1)}`);
      expect(await prometheus?.firing()).to.deep.equal([`CurvetReplicaDown ${metricsAt(1)}`]);
    });
    // Each client may lose the one answer that was under way when the replica was killed.
    const { 200: whole = 0, ...lost } = statuses;
    expect(Object.values(lost).reduce((sum, count) => sum + count, 0)).to.be.at.most(CLIENTS);
    expect(whole).to.be.above(100);
    await start(1);
    await isQuiet();
  });

  it('report an unavailable database in the log and in alerts, until it is back', async () => {
    const data = cluster?.data ?? '';
    const logged = settings.map((_, i) => said(i).length);
    cluster?.call('pg_ctl', 'stop', '-D', data, '--mode=immediate', '--wait');
    await fires(`CurvetDatabaseDown ${metricsAt(0)}`);
    await fires(`CurvetDatabaseDown ${metricsAt(1)}`);
    cluster?.call('pg_ctl', 'start', '-D', data, '--wait', `--log=${data}/log`);
    await isQuiet();
    await eventually(async () => (await prometheus?.value('sum(curvet_ready)')) === 2, 'not both replicas are ready');
    for (const i of settings.keys()) {
      expect(said(i).slice(logged[i])).to.deep.equal(['a part is unavailable', 'the part is back']);
    }
  });
});
