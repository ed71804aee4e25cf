import { InMemorySpanExporter, SimpleSpanProcessor, TracerProvider } from '@opentelemetry/sdk-trace';
import { expect } from 'chai';
import { readConfig } from '../../src/config.js';
import { inRequest, logFields, outsideRequest } from '../../src/observe/outage.js';
import { traced, tracedJob, tracedOperation, tracedRequest, withoutValues } from '../../src/observe/spans.js';
import { pause } from '../../src/times.js';
import { register, samplerOf } from '../../src/tracing/tracing.js';
import { testTimes } from '../support/times.js';

const span = (name: string) => () => ({ name });

describe('spans', () => {
  const exporter = new InMemorySpanExporter();
  let end: () => void;

  const record = (environment: Record<string, string> = {}) => {
    const provider = new TracerProvider({
      sampler: samplerOf(readConfig(environment)),
      spanProcessors: [new SimpleSpanProcessor({ exporter })],
    });
    end = register(provider);
  };
  afterEach(() => {
    end();
    exporter.reset();
  });
  /** The recorded spans in the order of their ends, each with the name of its parent. */
  const recorded = () => {
    const spans = exporter.getFinishedSpans();
    const nameOf = (id: string | undefined) => spans.find((one) => one.spanContext().spanId === id)?.name;
    return spans.map(({ name, parentSpanContext }) => [name, nameOf(parentSpanContext?.spanId)]);
  };

  it('nests spans by the work that they contain, also across timers and concurrent work', async () => {
    record();
    const waits = (name: string) => traced(span(name), () => pause(testTimes, 1));
    await Promise.all([
      tracedJob('a', async () => void (await Promise.all([waits('a1'), waits('a2')]))),
      tracedJob('b', () => traced(span('b1'), () => waits('b2'))),
    ]);
    expect(recorded()).to.have.deep.members([
      ...[
        ['a', undefined],
        ['a1', 'a'],
        ['a2', 'a'],
      ],
      ...[
        ['b', undefined],
        ['b1', 'b'],
        ['b2', 'b1'],
      ],
    ]);
  });

  it('records a span without a trace only if it may begin one', async () => {
    record();
    await traced(span('polling'), async () => {});
    await tracedOperation('operation', async () => {});
    await tracedJob('job', () => tracedOperation('operation of a job', async () => {}));
    await tracedJob('outer', () => tracedJob('inner', async () => {}));
    await tracedJob('request', () => outsideRequest(() => traced(span('after it'), async () => {})));
    expect(recorded()).to.have.deep.members([
      ...[
        ['operation', undefined],
        ['job', undefined],
        ['operation of a job', 'job'],
      ],
      ...[
        ['outer', undefined],
        ['inner', undefined],
        ['request', undefined],
      ],
    ]);
  });

  it('marks failed work with the kind of its error, without the message', async () => {
    record();
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
    expect(
      JSON.stringify(spans.map(({ attributes, status, events }) => ({ attributes, status, events }))),
    ).to.not.include('secret');
  });

  it('gives log lines the ids of the trace, and nothing outside of it', async () => {
    record();
    const fields = await tracedJob('job', async () => logFields());
    const [job] = exporter.getFinishedSpans();
    expect(fields).to.deep.equal({ trace: job?.spanContext().traceId, span: job?.spanContext().spanId });
    expect(logFields()).to.deep.equal({});
  });

  it('gives log lines the id of their request, also within its parts, but not in work that outlasts it', () => {
    record();
    const fields = inRequest(() => [logFields(), inRequest(logFields), outsideRequest(logFields)], 'r-1');
    expect(fields).to.deep.equal([{ id: 'r-1' }, { id: 'r-1' }, {}]);
  });

  it('follows the sampler, and the decision of the caller', async () => {
    const trace = '0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331';
    const names = async (environment: Record<string, string>) => {
      record(environment);
      for (const [name, flag] of [
        ['sampled', '01'],
        ['not sampled', '00'],
      ] as const) {
        await tracedRequest({ traceparent: `00-${trace}-${flag}` }, { name }, async () => {});
      }
      await tracedRequest({}, { name: 'without a caller' }, async () => {});
      await tracedRequest({ traceparent: 'zz-1' }, { name: 'with a wrong caller' }, async () => {});
      const all = recorded().map(([name]) => name);
      end();
      exporter.reset();
      return all;
    };
    expect(await names({})).to.deep.equal(['sampled', 'without a caller', 'with a wrong caller']);
    const none = { OTEL_TRACES_SAMPLER: 'parentbased_traceidratio', OTEL_TRACES_SAMPLER_ARG: '0' };
    expect(await names(none)).to.deep.equal(['sampled']);
    expect(await names({ OTEL_TRACES_SAMPLER: 'always_off' })).to.deep.equal([]);
    expect(await names({ OTEL_TRACES_SAMPLER: 'always_on' })).to.have.length(4);
    record();
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
