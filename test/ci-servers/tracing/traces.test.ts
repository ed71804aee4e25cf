import { createServer } from 'node:http';
import { join } from 'node:path';
import { json } from 'node:stream/consumers';
import { pathToFileURL } from 'node:url';
import { expect } from 'chai';
import { createDatabase, serverUrl } from '../../support/database.js';
import { joinService } from '../../support/market/agents.js';
import { hasRedis, RedisServer } from '../../support/servers/redis.js';
import type { Json } from '../../support/service/graphql.js';
import { listen } from '../../support/service/listen.js';
import { overSocket } from '../../support/service/live.js';
import {
  endProcesses,
  eventually,
  freshDirectory,
  getJson,
  type Running,
  root as repository,
  run,
  usedDirectory,
} from '../../support/service/process.js';
import { ask } from '../../support/world.js';

type CollectedSpan = {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly name: string;
  readonly attributes: Readonly<Record<string, unknown>>;
};

/** An OTLP collector on the loopback interface. It also answers `GET /price`, the source of the ether price. */
async function startCollector() {
  const spans: CollectedSpan[] = [];
  const resources: Readonly<Record<string, unknown>>[] = [];
  /** The `traceparent` headers of the requests for the price. */
  const received: (string | undefined)[] = [];
  const server = createServer(async (req, res) => {
    res.setHeader('content-type', 'application/json');
    if (req.url === '/price') {
      received.push(req.headers.traceparent as string | undefined);
      return void res.end('{"usd":3000}');
    }
    if (req.url !== '/v1/traces') return void res.writeHead(404).end();
    for (const { resource, scopeSpans } of ((await json(req)) as Json).resourceSpans) {
      resources.push(valuesOf(resource.attributes));
      for (const { attributes = [], ...span } of scopeSpans.flatMap(({ spans }: Json) => spans)) {
        spans.push({ ...span, attributes: valuesOf(attributes) });
      }
    }
    res.end('{}');
  });
  return { server, url: await listen(server), spans, resources, received };
}

/** Attributes of OTLP as an object. OTLP writes an integer as a text. */
const valuesOf = (attributes: readonly { readonly key: string; readonly value: Json }[]): Record<string, unknown> =>
  Object.fromEntries(attributes.map(({ key, value }) => [key, value.stringValue ?? value.boolValue ?? Number(value.intValue)]));

/** Trace and span of a caller that traces too. It sends both in the header `traceparent`. */
const CALLER_TRACE = '0af7651916cd43dd8448eb211c80319c';
const CALLER_SPAN = 'b7ad6b7169203331';

describe('traces', () => {
  let collector: Awaited<ReturnType<typeof startCollector>>;
  let redis: RedisServer | undefined;
  let service: Running;
  let agent: { wallet: string; key: string };
  let requestId: string | null;

  /** The spans with this name whose parent was not collected: they have none, or it is the span of the caller. */
  const roots = (name: string): CollectedSpan[] =>
    collector.spans.filter((span) => span.name === name && !collector.spans.some(isParentOf(span)));
  const isParentOf =
    ({ parentSpanId }: CollectedSpan) =>
    ({ spanId }: CollectedSpan) =>
      spanId === parentSpanId;
  /** All spans of the trace with this root. */
  const traceOf = ({ traceId }: CollectedSpan) => collector.spans.filter((span) => span.traceId === traceId);
  /** The names on the way from each root with this name to each leaf of its trace, such as `GET /a > SELECT`. */
  const pathsOf = (name: string): string[] =>
    roots(name).flatMap((found) => {
      const spans = traceOf(found);
      const walk = (span: CollectedSpan, path: string): string[] => {
        const children = spans.filter(({ parentSpanId }) => parentSpanId === span.spanId);
        return children.length === 0 ? [path] : children.flatMap((child) => walk(child, `${path} > ${child.name}`));
      };
      return walk(found, name);
    });
  const root = (name: string): CollectedSpan => {
    const found = roots(name).at(-1);
    if (found === undefined) throw new Error(`no trace ${name} in ${collector.spans.map((span) => span.name)}`);
    return found;
  };

  /**
   * Repeats the request until its trace has its RPC call. If the indexer calls at the same time, both calls become one batch,
   * whose span is only in the trace of the first call.
   */
  const traced = (name: string, send: () => Promise<void>) =>
    eventually(async () => {
      const { length } = roots(name);
      await send();
      await eventually(() => roots(name).length > length, `no trace of ${name} was sent`);
      return pathsOf(name).some((path) => path.endsWith(' > eth_call > POST'));
    }, `no trace of ${name} has an RPC call`);

  before(async () => {
    collector = await startCollector();
    redis = hasRedis() ? await RedisServer.start() : undefined;
    service = run({
      env: {
        DATA_DIR: freshDirectory(),
        ETH_USD_URL: `${collector.url}/price`,
        OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
        OTEL_RESOURCE_ATTRIBUTES: 'deployment.environment.name=test',
        ...(redis && { REDIS_URL: redis.url }),
        ...(serverUrl !== undefined && { DATABASE_URL: await createDatabase(serverUrl) }),
      },
    });
    await service.ready();
    const subscriber = await overSocket(service.url, 'subscription { feedEvent { sequence } }');
    agent = await joinService(service, 'Traced One');
    await subscriber.until(1);
    subscriber.cut();
    const headers = { 'x-api-key': agent.key, traceparent: `00-${CALLER_TRACE}-${CALLER_SPAN}-01` };
    await traced('GET /api/price', async () => {
      const price = await fetch(`${service.url}/api/price?agent=${agent.wallet}`, { headers });
      expect(price.status).to.equal(200);
      requestId = price.headers.get('x-request-id');
    });
    const query = `query Quote { price(agent: "${agent.wallet}") { price } trades(first: 1) { nodes { id } } }`;
    await traced('POST /graphql', async () => {
      const answer = await ask(service.url, 'POST', '/graphql', { body: { query } });
      expect(answer.body).to.not.have.property('errors');
    });
    await fetch(`${service.url}/api/agents/no-such-agent`);
    await fetch(`${service.url}/claim/SECRET-CODE`);
    // The service sends the last spans when it stops.
    expect(await service.stop()).to.include({ code: 0 });
  });
  after(async () => {
    await endProcesses();
    await redis?.stop();
    collector?.server.closeAllConnections();
    collector?.server.close();
  });

  const redisPath = (above: string) => (redis ? [`${above} > EVALSHA`] : []);

  it('contain a REST request with its SQL, Redis, RPC and outgoing requests', () => {
    expect(pathsOf('GET /api/price')).to.include.members([
      'GET /api/price > SELECT',
      'GET /api/price > GET',
      'GET /api/price > eth_call > POST',
      ...redisPath('GET /api/price'),
    ]);
    const { attributes } = root('GET /api/price');
    expect(attributes).to.include({
      'http.route': '/api/price',
      'http.response.status_code': 200,
      'curvet.request_id': requestId,
    });
  });

  it('continue the trace of the caller, and are continued by other services', () => {
    const { traceId, parentSpanId } = root('GET /api/price');
    expect([traceId, parentSpanId]).to.deep.equal([CALLER_TRACE, CALLER_SPAN]);
    // The span `GET`, without a path, is the request of the service for the ether price.
    const sent = traceOf(root('GET /api/price')).find(({ name }) => name === 'GET');
    expect(collector.received).to.include(`00-${CALLER_TRACE}-${sent?.spanId}-01`);
  });

  it('contain a GraphQL request with its operation and what that reads', () => {
    expect(pathsOf('POST /graphql')).to.include.members([
      'POST /graphql > graphql query > SELECT',
      'POST /graphql > graphql query > eth_call > POST',
      ...redisPath('POST /graphql > graphql query'),
    ]);
    const operation = traceOf(root('POST /graphql')).find(({ name }) => name === 'graphql query');
    expect(operation?.attributes).to.include({ 'graphql.operation.name': 'Quote' });
  });

  it('contain an operation over WebSocket, and the events for subscribers', () => {
    expect(roots('graphql subscription')).to.have.length(1);
    expect(pathsOf('graphql subscription')).to.include.members(redisPath('graphql subscription'));
    expect(pathsOf('sending')).to.include('sending > SELECT');
  });

  it('contain a turn of the indexer, with its RPC and the transaction that applies a range', () => {
    expect(pathsOf('indexing')).to.include.members([
      'indexing > SELECT',
      'indexing > eth_blockNumber > POST',
      'indexing > transaction > INSERT',
    ]);
  });

  it('contain a run of each job', () => {
    expect(pathsOf('scoring')).to.include('scoring > SELECT');
    expect(pathsOf('linking')).to.include('linking > SELECT');
    expect(pathsOf('judging')).to.include('judging > SELECT');
    expect(pathsOf('sweeping')).to.include('sweeping > transaction > DELETE');
  });

  it('begin only with a request, an operation of GraphQL or a job', () => {
    const known = /^(GET|POST) \/|^(indexing|scoring|linking|judging|sweeping|sending|graphql (query|subscription))$/;
    const ids = new Set(collector.spans.map(({ spanId }) => spanId));
    const starts = collector.spans.filter(({ parentSpanId = '' }) => !ids.has(parentSpanId));
    expect(starts.map(({ name }) => name).filter((name) => !known.test(name))).to.deep.equal([]);
  });

  it('contain no value of a statement, no key, no path and no URL', () => {
    const text = JSON.stringify(collector.spans);
    for (const secret of [agent.key, agent.wallet, 'SECRET-CODE', 'no-such-agent', `${collector.url}/`, 'Traced One']) {
      expect(text.includes(secret), secret).to.equal(false);
    }
  });

  it('name the service, its version, the instance as the log does, and the attributes of OTEL_RESOURCE_ATTRIBUTES', () => {
    const { instance, version } = service.readyLine ?? {};
    expect(version).to.be.a('string');
    const names = { 'service.name': 'curvet', 'service.version': version, 'service.instance.id': instance };
    for (const resource of collector.resources) {
      expect(resource).to.include({ ...names, 'deployment.environment.name': 'test' });
    }
  });

  it('are named in the log, beside the request id', () => {
    const line = service.log.find(({ msg, id }) => msg === 'request' && id === requestId);
    expect(line).to.include({ route: '/api/price', trace: CALLER_TRACE });
    expect(line?.span).to.equal(root('GET /api/price').spanId);
  });
});

describe('the SDK of OpenTelemetry', () => {
  const NODE_OPTIONS = `--import=${pathToFileURL(join(repository, 'dist/test/ci-servers/tracing/log-modules.js'))}`;
  after(endProcesses);

  /** Starts and stops a service. Returns the OpenTelemetry packages that it has loaded, except for the API. */
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

  it('is loaded with OTEL_*, and lets the service answer and stop while the collector is unavailable', async () => {
    const loaded = await loadedWith({
      OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:9',
      OTEL_EXPORTER_OTLP_TIMEOUT: '100',
    });
    expect(loaded).to.include('@opentelemetry/sdk-trace');
  });
});
