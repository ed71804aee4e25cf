// CI: it starts the service.
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect } from 'chai';
import { endProcesses, eventually, getJson, root, run, usedDirectory } from '../support/service/process.js';

const NODE_OPTIONS = `--import=${pathToFileURL(join(root, 'dist/test/tracing/log-modules.js'))}`;

describe('the SDK of OpenTelemetry', () => {
  after(endProcesses);

  /** Starts and stops a service. Returns the packages of OpenTelemetry that it loaded, without the API. */
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

  it('is loaded with OTEL_*, and the service answers and stops although the collector is away', async () => {
    const loaded = await loadedWith({
      OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:9',
      OTEL_EXPORTER_OTLP_TIMEOUT: '100',
    });
    expect(loaded).to.include('@opentelemetry/sdk-trace');
  });
});
