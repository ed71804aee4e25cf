import { createServer, type RequestListener, type Server } from 'node:http';
import { InMemorySpanExporter, SimpleSpanProcessor, TracerProvider } from '@opentelemetry/sdk-trace';
import { expect } from 'chai';
import { pino } from 'pino';
import { readConfig } from '../../../src/config/config.js';
import { inRequest, logFields, outsideRequest } from '../../../src/observe/request-scope.js';
import { traced, tracedJob, tracedOperation, tracedRequest, withoutValues } from '../../../src/observe/spans.js';
import { pause } from '../../../src/tasks.js';
import { registerTracing, samplerOf, startTracing } from '../../../src/tracing/tracing.js';
import { listen } from '../../support/service/listen.js';
import { eventually } from '../../support/service/process.js';
import { manualTimes, testTimes } from '../../support/times.js';

const span = (name: string) => () => ({ name });

describe('the tracing', () => {
  const exporter = new InMemorySpanExporter();
  let end: () => void;

  const record = (environment: Record<string, string> = {}) => {
    const provider = new TracerProvider({
      sampler: samplerOf(readConfig(environment)),
      spanProcessors: [new SimpleSpanProcessor({ exporter })],
    });
    end = registerTracing(provider);
  };
  beforeEach(() => record());
  const stop = () => {
    end();
    exporter.reset();
  };
  afterEach(stop);
  /** The recorded spans in the order of their ends, each as the name of its parent and its name. */
  const recorded = () => {
    const spans = exporter.getFinishedSpans();
    const nameOf = (id: string | undefined) => spans.find((one) => one.spanContext().spanId === id)?.name;
    return spans.map(({ name, parentSpanContext }) => `${nameOf(parentSpanContext?.spanId) ?? ''} > ${name}`);
  };

  it('nests spans by the work that they contain, also across timers and concurrent work', async () => {
    const waits = (name: string) => traced(span(name), () => pause(testTimes, 1));
    await Promise.all([
      tracedJob('a', async () => void (await Promise.all([waits('a1'), waits('a2')]))),
      tracedJob('b', () => traced(span('b1'), () => waits('b2'))),
    ]);
    expect(recorded()).to.have.members([' > a', 'a > a1', 'a > a2', ' > b', 'b > b1', 'b1 > b2']);
  });

  it('records a span outside of a trace only if the span may begin a trace', async () => {
    await traced(span('polling'), async () => {});
    await tracedOperation('operation', async () => {});
    await tracedJob('job', () => tracedOperation('operation of a job', async () => {}));
    await tracedJob('outer', () => tracedJob('inner', async () => {}));
    await tracedJob('request', () => outsideRequest(() => traced(span('after it'), async () => {})));
    const begun = [' > operation', ' > job', ' > outer', ' > inner', ' > request'];
    expect(recorded()).to.have.members([...begun, 'job > operation of a job']);
  });

  it('marks failed work with the kind of its error, without the message', async () => {
    // If an error has a code, such as those of PostgreSQL, the span has the code instead of the class. Status 2 is ERROR.
    const fault = Object.assign(new TypeError('a secret value'), { code: '22007' });
    const failing = [
      () => Promise.reject(fault),
      () => {
        throw new TypeError('a secret value');
      },
    ];
    for (const work of failing) {
      const thrown = await (async () => tracedJob('job', work))().catch((error: unknown) => error);
      expect(thrown).to.be.instanceOf(TypeError);
    }
    const spans = exporter.getFinishedSpans();
    expect(spans.map(({ attributes, status }) => [attributes['error.type'], status.code])).to.deep.equal([
      ['22007', 2],
      ['TypeError', 2],
    ]);
    expect(JSON.stringify(spans.map(({ attributes, status, events }) => ({ attributes, status, events })))).to.not.include(
      'secret',
    );
  });

  it('gives log lines the ids of the trace, and nothing outside of it', async () => {
    const fields = await tracedJob('job', async () => logFields());
    const [job] = exporter.getFinishedSpans();
    expect(fields).to.deep.equal({ trace: job?.spanContext().traceId, span: job?.spanContext().spanId });
    expect(logFields()).to.deep.equal({});
  });

  it('gives log lines the id of their request, also within its parts, but not in work that outlasts it', () => {
    const fields = inRequest(() => [logFields(), inRequest(logFields), outsideRequest(logFields)], 'r-1');
    expect(fields).to.deep.equal([{ id: 'r-1' }, { id: 'r-1' }, {}]);
  });

  it('follows the sampler, and the decision of the caller', async () => {
    const trace = '0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331';
    const names = async (environment: Record<string, string>) => {
      stop();
      record(environment);
      for (const [name, flag] of [
        ['sampled', '01'],
        ['not sampled', '00'],
      ] as const) {
        await tracedRequest({ traceparent: `00-${trace}-${flag}` }, { name }, async () => {});
      }
      await tracedRequest({}, { name: 'without a caller' }, async () => {});
      await tracedRequest({ traceparent: 'zz-1' }, { name: 'with a wrong caller' }, async () => {});
      return exporter.getFinishedSpans().map(({ name }) => name);
    };
    expect(await names({})).to.deep.equal(['sampled', 'without a caller', 'with a wrong caller']);
    const none = { OTEL_TRACES_SAMPLER: 'parentbased_traceidratio', OTEL_TRACES_SAMPLER_ARG: '0' };
    expect(await names(none)).to.deep.equal(['sampled']);
    expect(await names({ OTEL_TRACES_SAMPLER: 'always_off' })).to.deep.equal([]);
    expect(await names({ OTEL_TRACES_SAMPLER: 'always_on' })).to.have.length(4);
  });
});

describe('the text of a statement in a span', () => {
  it('has no values, but all names and parameters', () => {
    for (const [text, expected] of [
      ["select 'it''s', E'a\\'b', e'x' from t1 where n = $1", 'select ?, ?, ? from t1 where n = $1'],
      ['select "a1"."b2", t2.c from t2 limit 20 offset 1.5', 'select "a1"."b2", t2.c from t2 limit ? offset ?'],
      ["insert into t values ('back\\', 'secret'), (-7, null)", 'insert into t values (?, ?), (-?, null)'],
      ["select 'cut", 'select ?'],
      ["select now() - interval '1 day', $2::int", 'select now() - interval ?, $2::int'],
    ] as const) {
      expect(withoutValues(text)).to.equal(expected);
    }
  });
});

describe('traces for a collector that fails', () => {
  const times = manualTimes();
  const logged: Record<string, unknown>[] = [];
  let collector: Server;
  let tracing: ReturnType<typeof startTracing>;

  /** Starts a collector with this answer, and the tracing of this process. */
  async function start(answer: RequestListener): Promise<void> {
    collector = createServer(answer);
    // The exporter reads this variable from the environment, not from the configuration.
    process.env.OTEL_EXPORTER_OTLP_ENDPOINT = await listen(collector);
    const log = pino({}, { write: (line: string) => logged.push(JSON.parse(line)) });
    tracing = startTracing(readConfig({}), log, times);
  }
  afterEach(() => {
    delete process.env.OTEL_EXPORTER_OTLP_ENDPOINT;
    collector.closeAllConnections();
    collector.close();
  });
  /** 512 spans fill a batch, so the exporter sends them immediately. */
  const batch = () => Promise.all(Array.from({ length: 512 }, () => tracedJob('job', async () => {})));

  it('cause at most one log line a minute when it refuses them', async () => {
    // Milliseconds that pass before each answer, and its status. The second error comes 1 ms before the minute is over, so it is
    // not logged.
    const answers = [
      [0, 400],
      [59_999, 401],
      [1, 403],
    ] as const;
    let asked = 0;
    await start((_, res) => {
      // The time passes when the next batch arrives, because the error of the previous batch has been handled then.
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

  it('delay the stop of the service by 2 s when the collector hangs', async () => {
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
