// CI: it starts the service.

import { connect, createServer } from 'node:net';
import { expect } from 'chai';
import { freePort } from '../faults/support/ports.js';
import { listen } from '../support/service/listen.js';
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

  it('are limited per IP address, and closed when they are malformed', async () => {
    const service = run({ env: { DATA_DIR: await usedDirectory(), MAX_CONNECTIONS_PER_ADDRESS: '5' } });
    await service.ready();
    const { hostname, port } = new URL(service.url);
    const clients = Array.from({ length: 8 }, () => {
      const socket = connect(Number(port), hostname, () => socket.write('GET /health HTTP/1.1\r\nHost: x\r\n'));
      const client = { socket, text: '', closed: false };
      socket.on('data', (chunk) => {
        client.text += chunk;
      });
      socket.on('error', () => {});
      socket.on('close', () => {
        client.closed = true;
      });
      return client;
    });
    const with429 = () => clients.filter(({ text }) => text.startsWith('HTTP/1.1 429 '));
    await eventually(() => with429().length === 3, 'fewer than three of eight connections were refused');
    const open = clients.filter(({ text }) => text === '');
    expect(open).to.have.length(5);
    for (const { socket } of open) socket.write('no header\r\n');
    await eventually(() => open.every(({ closed }) => closed), 'malformed requests remained open');
    for (const { text } of open) expect(text).to.match(/^HTTP\/1\.1 400 .*"success":false/s);
    // The client sees the connection closed slightly before the service has counted it as closed. The service may then refuse
    // a connection before it has received the request.
    const status = () =>
      getJson(`${service.url}/health`).then(
        (answer) => answer.status,
        () => 0,
      );
    await eventually(async () => (await status()) === 200, 'the address remained refused');
    expect(await service.stop()).to.include({ code: 0 });
  });
});

describe('an upgrade whose connection is reset', () => {
  after(endProcesses);

  it('does not end the service', async () => {
    const service = run({ env: { DATA_DIR: await usedDirectory() } });
    await service.ready();
    const { hostname, port } = new URL(service.url);
    const head =
      'GET /graphql HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nOrigin: http://evil.test\r\n\r\n';
    for (let i = 0; i < 20; i++) {
      const socket = connect(Number(port), hostname);
      await new Promise<void>((resolve) => socket.write(head, () => resolve()));
      const closed = new Promise((resolve) => socket.once('close', resolve));
      socket.resetAndDestroy();
      await closed;
    }
    expect((await getJson(`${service.url}/health`)).status).to.equal(200);
    expect(await service.stop()).to.include({ code: 0 });
  });
});

describe('METRICS_PORT', () => {
  after(endProcesses);

  it('serves only /metrics and the probes on its port, and /metrics is not on the public port', async () => {
    const port = await freePort();
    const service = run({ env: { DATA_DIR: await usedDirectory(), METRICS_PORT: String(port) } });
    await service.ready();
    await fetch(`${service.url}/docs`);
    const metricsUrl = `http://127.0.0.1:${port}`;
    const answer = await fetch(`${metricsUrl}/metrics`);
    expect([answer.status, answer.headers.get('x-frame-options')]).to.deep.equal([200, 'DENY']);
    // The ports share one set of metrics, so the answer of the metrics port counts the request to the public port.
    expect(await answer.text()).to.include('{method="GET",route="/docs",status="200"} 1');
    for (const path of ['/health', '/ready']) {
      expect((await getJson(metricsUrl + path)).status, path).to.equal(200);
    }
    for (const path of ['/metrics/', '/', '/docs', '/api/agents', '/graphql']) {
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
    const { port } = new URL(await listen(other));
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
