// Nightly: it depends on real time.
import { type AddressInfo, connect, createServer } from 'node:net';
import { expect } from 'chai';
import {
  chainPid,
  endProcesses,
  eventually,
  getJson,
  isAlive,
  run,
  usedDirectory,
} from '../support/service/process.js';

describe('half-open requests to the service', () => {
  after(endProcesses);

  it('are limited per IP address and closed after 10 seconds', async () => {
    const service = run({ env: { DATA_DIR: await usedDirectory(), MAX_CONNECTIONS_PER_ADDRESS: '5' } });
    await service.ready();
    const { hostname, port } = new URL(service.url);
    const opened = performance.now();
    const sockets = Array.from({ length: 8 }, () => {
      const seen = { text: '', closedAfter: 0 };
      const socket = connect(Number(port), hostname, () => socket.write('GET /health HTTP/1.1\r\nHost: x\r\n'));
      socket.on('data', (chunk) => {
        seen.text += chunk;
      });
      socket.on('error', () => {});
      socket.on('close', () => {
        seen.closedAfter = performance.now() - opened;
      });
      return seen;
    });
    const with429 = () => sockets.filter(({ text }) => text.startsWith('HTTP/1.1 429 '));
    await eventually(() => with429().length === 3, 'fewer than three of eight connections were refused');
    await eventually(() => sockets.every(({ closedAfter }) => closedAfter > 0), 'half-open requests remained open');
    const timedOut = sockets.filter(({ text }) => text.startsWith('HTTP/1.1 408 '));
    expect(timedOut).to.have.length(5);
    for (const { closedAfter } of timedOut) expect(closedAfter).to.be.within(9000, 14_000);
    // The client sees the connection closed slightly before the service has counted it as closed.
    await eventually(
      async () => (await getJson(`${service.url}/health`)).status === 200,
      'the address remained refused',
    );
    expect(await service.stop()).to.include({ code: 0 });
  });
});

describe('METRICS_PORT', () => {
  after(endProcesses);

  const freePort = () =>
    new Promise<number>((resolve) => {
      const probe = createServer().listen(0, '127.0.0.1', () => {
        const { port } = probe.address() as AddressInfo;
        probe.close(() => resolve(port));
      });
    });

  it('serves only /metrics on its port, and /metrics is not on the public port', async () => {
    const port = await freePort();
    const service = run({ env: { DATA_DIR: await usedDirectory(), METRICS_PORT: String(port) } });
    await service.ready();
    await getJson(`${service.url}/health`);
    const metricsUrl = `http://127.0.0.1:${port}`;
    const answer = await fetch(`${metricsUrl}/metrics`);
    expect([answer.status, answer.headers.get('x-frame-options')]).to.deep.equal([200, 'DENY']);
    // The ports share one set of metrics, so the answer of the metrics port counts the request to the public port.
    expect(await answer.text()).to.include('{method="GET",route="/health",status="200"} 1');
    for (const path of ['/metrics/', '/', '/health', '/api/agents', '/graphql']) {
      expect((await getJson(metricsUrl + path)).status, path).to.equal(404);
    }
    expect((await fetch(`${metricsUrl}/metrics`, { method: 'POST' })).status).to.equal(405);
    expect((await fetch(`${metricsUrl}/metrics`, { headers: { origin: 'https://evil.test' } })).status).to.equal(403);
    for (const path of ['/metrics', '/metrics/']) {
      expect((await getJson(service.url + path)).status, path).to.equal(404);
    }
    expect(await service.stop()).to.include({ code: 0 });
    expect(service.stderr).to.equal('');
  });

  it('stops the start with one line when the port is in use', async () => {
    const other = createServer();
    const port = await new Promise<number>((resolve) =>
      other.listen(0, '127.0.0.1', () => resolve((other.address() as AddressInfo).port)),
    );
    const directory = await usedDirectory();
    try {
      const service = run({ env: { DATA_DIR: directory, METRICS_PORT: String(port) } });
      expect(await service.exited).to.include({ code: 1, signal: null });
      expect(service.stderr).to.match(new RegExp(`^curvet: METRICS_PORT: ${port} .*EADDRINUSE\n$`));
      expect(isAlive(chainPid(directory))).to.equal(false);
    } finally {
      other.close();
    }
  });
});
