import { existsSync, readdirSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { expect } from 'chai';
import { pino } from 'pino';
import { serviceUntil } from '../../../src/cli/serve.js';
import { COMMIT, readConfig, VERSION } from '../../../src/config/config.js';
import { type Service, startService } from '../../../src/service/service.js';
import { joinService } from '../../support/market/agents.js';
import { freePort } from '../../support/servers/ports.js';
import { terminal } from '../../support/service/command.js';
import { overSocket, overStream } from '../../support/service/live.js';
import {
  chainPid,
  chainPort,
  commandOf,
  endProcesses,
  eventually,
  freshDirectory,
  getJson,
  isAlive,
  type Running,
  type RunOptions,
  rpc,
  run,
} from '../../support/service/process.js';
import { TIMEOUT_FACTOR } from '../../support/times.js';

describe('the service', () => {
  // A path with spaces and umlauts, relative to the working directory, which must work like any other.
  const DATA_DIR = './größe 10/meine daten';
  let data: string;
  let cwd: string;
  let around: { HOME: string; TMPDIR: string };
  const start = (program?: RunOptions['program']) =>
    run({ env: { DATA_DIR, CORS_ORIGINS: 'https://app.test', ...around }, cwd, program });
  let first: Running;
  let agent: { wallet: string; key: string };
  let firstState: { code: unknown; contract: unknown; block: unknown };

  before(() => {
    cwd = freshDirectory('curvet späte wörter ');
    data = join(cwd, DATA_DIR);
    around = { HOME: freshDirectory(), TMPDIR: freshDirectory() };
  });
  after(endProcesses);

  it('with an empty directory logs one line with version, URL, embedded parts and migrations', async () => {
    first = start();
    await first.ready();
    const place = 'http://127\\.0\\.0\\.1:\\d+';
    const { msg, port, url, ...facts } = first.readyLine ?? {};
    expect(msg).to.match(new RegExp(`^Curvet is ready at ${place} \\(embedded: database, chain at ${place}, post host\\)$`));
    expect(facts).to.deep.include({ level: 30, version: VERSION, commit: COMMIT, migrations: [] });
    expect([url, Number(new URL(first.url).port)]).to.deep.equal([first.url, port]);
    expect(first.stdout.match(/ready at/g)).to.have.length(1);
    expect(first.stderr).to.equal('');
  });

  it('answers /health with its chain, and /ready', async () => {
    const health = await getJson(`${first.url}/health`);
    expect(health.status).to.equal(200);
    expect(health.body).to.include({ success: true, status: 'ok', chainId: 84532, rpcUrl: first.rpcUrl });
    const ready = await getJson(`${first.url}/ready`);
    expect(ready.status).to.equal(200);
    expect(ready.body).to.nested.include({ ready: true, 'database.state': 'ok', 'chain.state': 'ok' });
    const code = await rpc(first.rpcUrl, 'eth_getCode', health.body.contractAddress, 'latest');
    expect(code).to.have.length.above(1000);
    firstState = { code, contract: health.body.contractAddress, block: undefined };
  });

  it("announces the relay to the chain, which only the service's own and allowed origins may call", async () => {
    const asked = (origin: string) =>
      fetch(first.rpcUrl, {
        method: 'POST',
        headers: { origin, 'content-type': 'text/plain' },
        body: '{"jsonrpc":"2.0","id":1,"method":"eth_chainId","params":[]}',
      });
    for (const [origin, status, allowed] of [
      [first.url, 200, first.url],
      ['https://app.test', 200, 'https://app.test'],
      ['https://evil.test', 403, null],
    ] as const) {
      const answer = await asked(origin);
      expect([answer.status, answer.headers.get('access-control-allow-origin')]).to.deep.equal([status, allowed]);
    }
    // anvil itself listens on another port. No document may name it, because only the relay checks the origin of a request.
    const listening = / --host (\S+) --port (\d+) /.exec(commandOf(chainPid(data) as number));
    expect(listening?.[2]).to.match(/^\d+$/).and.not.equal(new URL(first.rpcUrl).port);
    const documents = await Promise.all(['/health', '/docs', '/openapi.json'].map((path) => fetch(first.url + path)));
    for (const document of documents) {
      expect(await document.text())
        .to.include(first.rpcUrl)
        .and.not.include(`:${listening?.[2]}`);
    }
  });

  for (const [program, hint] of [
    [['main.js'], ''],
    [['cli/reindex.js'], ''],
    [['cli/moderate.js', 'list'], ': stop the service, or set CRON_SECRET to its value'],
  ] as const) {
    it(`refuses ${program.join(' ')} on the same directory in one line and keeps running`, async () => {
      const other = start(program);
      expect(await other.exited).to.include({ code: 1 });
      expect(other.stderr).to.equal(`curvet: DATA_DIR: "${data}" is in use by another process${hint}\n`);
      expect(other.stdout).to.equal('');
      expect((await getJson(`${first.url}/ready`)).status).to.equal(200);
      expect(isAlive(chainPid(data))).to.equal(true);
    });
  }

  it('logs JSON lines without duplicate names, without the API key and without a warning', async () => {
    agent = await joinService(first, 'Lasting One');
    firstState.block = await rpc(first.rpcUrl, 'eth_blockNumber');
    await first.until(
      () => first.log.some(({ route, method }) => route === '/api/agents' && method === 'POST'),
      'the log has no line about the request',
    );
    const lines = first.stdout.split('\n').filter((line) => line !== '');
    const { instance } = first.readyLine ?? {};
    expect(instance).to.match(/^[0-9a-f-]{36}$/);
    for (const line of lines) {
      expect(JSON.parse(line)).to.include({ instance });
      const names = [...line.matchAll(/[{,]"(\w+)":/g)].map((match) => match[1]);
      expect(new Set(names).size, line).to.equal(names.length);
    }
    expect(first.stdout).to.not.include(agent.key);
    expect(first.log.filter(({ level }) => Number(level) > 30)).to.deep.equal([]);
  });

  it('shows its connections, its jobs and its calls of the chain as metrics', async () => {
    const query = 'subscription { feedEvent { sequence } }';
    const [socket, stream] = [await overSocket(first.url, query), await overStream(first.url, query)];
    const scraped = async () => (await fetch(`${first.url}/metrics`)).text();
    const text = await scraped();
    const value = (series: string) => Number.parseFloat(text.split(`\n${series} `)[1] ?? '');
    // These are the socket, the stream and the scrape itself. Connections of earlier requests may still be open.
    expect(value('curvet_connections')).to.be.at.least(3);
    expect(value('curvet_websockets')).to.equal(1);
    for (const name of ['indexing', 'scoring', 'sweeping'])
      expect(value(`curvet_job_duration_seconds_count{name="${name}",result="done"}`), name).to.be.at.least(1);
    expect(text).to.match(/curvet_rpc_duration_seconds_count\{url="127[.\d]+:\d+",method="eth_call",result="answered"\} [1-9]/);
    socket.cut();
    stream.cut();
    const closed = async () => /^curvet_websockets 0$/m.test(await scraped());
    await eventually(closed, 'the WebSocket counts as open');
  });

  it('keeps running when the connections of upgrades are reset', async () => {
    const { hostname, port } = new URL(first.url);
    const head =
      'GET /graphql HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nOrigin: http://evil.test\r\n\r\n';
    for (let i = 0; i < 20; i++) {
      const socket = connect(Number(port), hostname);
      await new Promise<void>((resolve) => socket.write(head, () => resolve()));
      const closed = new Promise((resolve) => socket.once('close', resolve));
      socket.resetAndDestroy();
      await closed;
    }
    expect((await getJson(`${first.url}/health`)).status).to.equal(200);
  });

  it('stops on SIGTERM with idle connections and subscriptions, which get the reason', async () => {
    const chain = chainPid(data);
    const query = 'subscription { feedEvent { sequence } }';
    const [socket, stream] = [await overSocket(first.url, query), await overStream(first.url, query)];
    const idle = connect(Number(new URL(first.url).port), '127.0.0.1');
    const closed = new Promise((resolve) => idle.once('close', resolve));
    await new Promise((resolve) => idle.once('data', resolve).write('GET /health HTTP/1.1\r\nHost: x\r\n\r\n'));
    // A stop that has to be forced would have the exit code 1. stop.test.ts measures the stop at night.
    expect(await first.stop()).to.include({ code: 0, signal: null });
    expect(first.log.at(-1)).to.include({ msg: 'stopping', reason: 'SIGTERM' });
    await closed;
    await eventually(() => socket.closed && stream.closed, 'the subscriptions did not end');
    expect(socket.reason).to.match(/^1001 /);
    expect(stream.complete).to.equal(false);
    expect([isAlive(chain), existsSync(join(data, 'chain', 'pid'))]).to.deep.equal([false, false]);
  });

  it('writes no file outside its directory', () => {
    expect(readdirSync(data).sort()).to.deep.equal(['chain', 'database', 'lock']);
    expect(readdirSync(cwd)).to.deep.equal(['größe 10']);
    for (const place of [around.HOME, around.TMPDIR]) expect(readdirSync(place)).to.deep.equal([]);
  });

  it('at a terminal prints the ready line first, and then a log for people', async () => {
    const [interrupt, written] = [new AbortController(), [] as string[]];
    const streams = terminal((text) => {
      written.push(text);
      if (text.includes('is ready')) interrupt.abort('SIGINT');
    });
    const env = { DATA_DIR: freshDirectory(), PORT: '0', CHAIN_PORT: chainPort(), TIMEOUT_FACTOR };
    expect(await serviceUntil(interrupt.signal)([], env, streams)).to.equal(0);
    expect(written[0]).to.match(/^Curvet is ready at http/);
    expect(written.find((line) => line.includes('stopping'))).to.match(/^\S*\[[\d:.]+\]\S* \S*INFO/);
    expect(written.filter((line) => line.startsWith('{'))).to.deep.equal([]);
  });

  describe('with the directory of an earlier start', () => {
    let again: Service;
    let metricsUrl: string;
    before(async () => {
      const METRICS_PORT = String(await freePort());
      metricsUrl = `http://127.0.0.1:${METRICS_PORT}`;
      const env = { DATA_DIR: data, PORT: '0', CHAIN_PORT: chainPort(), METRICS_PORT, TIMEOUT_FACTOR };
      again = await startService(readConfig(env), pino({ level: 'silent' }));
    });
    after(() => again?.stop());

    it('finds contract, chain and agents again', async () => {
      const { contractAddress, rpcUrl } = (await getJson(`${again.url}/health`)).body;
      expect(contractAddress).to.equal(firstState.contract);
      expect(await rpc(String(rpcUrl), 'eth_getCode', contractAddress, 'latest')).to.equal(firstState.code);
      expect(Number(await rpc(String(rpcUrl), 'eth_blockNumber'))).to.be.at.least(Number(firstState.block));
      const headers = { 'x-api-key': agent.key };
      const status = await fetch(`${again.url}/api/agents/status`, { headers });
      expect(await status.json()).to.deep.include({ success: true, name: 'Lasting One', agentId: 'lasting_one' });
    });

    it('serves only /metrics and the probes at METRICS_PORT, and no /metrics at the public port', async () => {
      await fetch(`${again.url}/docs`);
      const answer = await fetch(`${metricsUrl}/metrics`);
      expect([answer.status, answer.headers.get('x-frame-options')]).to.deep.equal([200, 'DENY']);
      // The ports share one set of metrics, so the answer of the metrics port counts the request to the public port.
      expect(await answer.text()).to.include('{method="GET",route="/docs",status="200"} 1');
      for (const [url, status, paths] of [
        [metricsUrl, 200, ['/health', '/ready']],
        [metricsUrl, 404, ['/metrics/', '/', '/docs', '/api/agents', '/graphql']],
        [again.url, 404, ['/metrics', '/metrics/']],
      ] as const) {
        for (const path of paths) expect((await getJson(url + path)).status, url + path).to.equal(status);
      }
      expect((await fetch(`${metricsUrl}/metrics`, { method: 'POST' })).status).to.equal(405);
      expect((await fetch(`${metricsUrl}/metrics`, { headers: { origin: 'https://evil.test' } })).status).to.equal(403);
    });
  });
});
