import { createServer, type RequestListener, type Server } from 'node:http';
import { expect } from 'chai';
import { pino } from 'pino';
import { readConfig } from '../../src/config.js';
import { tracedJob } from '../../src/observe/spans.js';
import { startTracing } from '../../src/tracing/tracing.js';
import { listen } from '../support/service/listen.js';
import { eventually } from '../support/service/process.js';
import { manualTimes } from '../support/times.js';

describe('traces for a collector that fails', () => {
  const times = manualTimes();
  const logged: Record<string, unknown>[] = [];
  let collector: Server;
  let tracing: ReturnType<typeof startTracing>;

  /** Starts a collector, and the tracing of this process. */
  async function start(answer: RequestListener): Promise<void> {
    collector = createServer(answer);
    // The exporter reads this variable itself.
    process.env.OTEL_EXPORTER_OTLP_ENDPOINT = await listen(collector);
    const log = pino({}, { write: (line: string) => logged.push(JSON.parse(line)) });
    tracing = startTracing(readConfig({}), log, times);
  }
  afterEach(() => {
    delete process.env.OTEL_EXPORTER_OTLP_ENDPOINT;
    collector.closeAllConnections();
    collector.close();
  });
  /** A batch of this size is sent at once. */
  const batch = () => Promise.all(Array.from({ length: 512 }, () => tracedJob('job', async () => {})));

  it('are logged once a minute when it refuses them', async () => {
    const answers = [
      [0, 400],
      [59_999, 401],
      [1, 403],
    ] as const;
    let asked = 0;
    await start((_, res) => {
      // Time passes when the next batch arrives, because the error of the one before has been handled then.
      const [passed, code] = answers[asked++] ?? [0, 500];
      times.advance(passed);
      res.writeHead(code).end();
    });
    for (const _ of answers) await batch();
    await eventually(() => logged.length > 1);
    await tracing.close();
    expect(logged.map(({ msg, err }) => [msg, (err as { code: number }).code])).to.deep.equal(
      [400, 403].map((code) => ['traces could not be sent to the OTLP endpoint', code]),
    );
  });

  it('delay the stop by 2 s when it hangs', async () => {
    let asked = 0;
    await start(() => void asked++);
    await batch();
    await eventually(() => asked > 0);
    await tracedJob('job', async () => {});
    const closed = tracing.close();
    expect(times.waiting).to.deep.equal([2000]);
    times.advance(2000);
    await closed;
  });
});
