// Nightly: it depends on real time.
import { once } from 'node:events';
import { createServer as createHttpServer } from 'node:http';
import { type AddressInfo, createServer } from 'node:net';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect } from 'chai';
import { endProcesses, eventually, getJson, root, run, usedDirectory } from '../support/service/process.js';

const NODE_OPTIONS = `--import=${pathToFileURL(join(root, 'dist/test/tracing/log-modules.js'))}`;

describe('OpenTelemetry', () => {
  after(endProcesses);

  /** Starts and stops a service. Returns the packages of OpenTelemetry that it loaded. */
  async function loadedWith(env: Record<string, string>): Promise<string[]> {
    const service = run({ env: { DATA_DIR: await usedDirectory(), NODE_OPTIONS, ...env } });
    await service.ready();
    await eventually(async () => (await getJson(`${service.url}/ready`)).status === 200, 'the service is not ready');
    expect((await getJson(`${service.url}/api/agents`)).status).to.equal(200);
    expect(await service.stop()).to.include({ code: 0 });
    return [...service.stderr.matchAll(/^loads (.*)$/gm)].map((match) => match[1] as string);
  }

  it('is not loaded without OTEL_*, and need not be installed', async () => {
    expect(await loadedWith({ REFUSE_OPENTELEMETRY: '1' })).to.deep.equal([]);
  });

  it('is not loaded if it is disabled or its variables are empty', async () => {
    const endpoint = { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:4318' };
    expect(await loadedWith({ ...endpoint, OTEL_SDK_DISABLED: 'true' })).to.deep.equal([]);
    expect(await loadedWith({ OTEL_EXPORTER_OTLP_ENDPOINT: '', OTEL_SERVICE_NAME: '' })).to.deep.equal([]);
  });

  it('does not delay the stop while the collector hangs', async () => {
    const collector = createServer().listen(0, '127.0.0.1');
    await once(collector, 'listening');
    const { port } = collector.address() as AddressInfo;
    const endpoint = { OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${port}` };
    const service = run({ env: { DATA_DIR: await usedDirectory(), ...endpoint } });
    await service.ready();
    await getJson(`${service.url}/api/agents`);
    const { code, ms } = await service.stop();
    collector.close();
    expect(code).to.equal(0);
    // Waits 2 s for the collector.
    expect(ms).to.be.within(2000, 9000);
  });

  it('is refused by the collector: the service logs it once', async () => {
    const answers: number[] = [];
    const collector = createHttpServer((_, res) => {
      answers.push(400);
      res.writeHead(400).end();
    }).listen(0, '127.0.0.1');
    await once(collector, 'listening');
    const { port } = collector.address() as AddressInfo;
    const endpoint = { OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${port}` };
    const service = run({ env: { DATA_DIR: await usedDirectory(), ...endpoint } });
    await service.ready();
    await service.until(() => answers.length >= 2, 'the service did not export twice');
    await service.stop();
    collector.closeAllConnections();
    collector.close();
    const warnings = service.log.filter(({ msg }) => msg === 'traces could not be sent to the OTLP endpoint');
    expect(warnings).to.have.length(1);
  });

  it('is loaded with OTEL_*, and the service answers and stops although the collector is away', async () => {
    const loaded = await loadedWith({ OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:9' });
    expect(loaded).to.include.members(['@opentelemetry/api', '@opentelemetry/sdk-trace']);
  });
});
