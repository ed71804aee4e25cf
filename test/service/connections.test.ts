// CI: it starts the service.

import { connect } from 'node:net';
import { expect } from 'chai';
import { freePort } from '../faults/support/ports.js';
import { endProcesses, getJson, run, usedDirectory } from '../support/service/process.js';

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
});
