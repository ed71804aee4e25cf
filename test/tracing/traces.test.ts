// Server, CI: it starts the service, which runs on PostgreSQL if there is a server.
import { createServer, type IncomingMessage, type Server } from 'node:http';
import { expect } from 'chai';
import { hasRedis, RedisServer } from '../faults/support/redis.js';
import { createDatabase, serverUrl } from '../support/database.js';
import { joinService } from '../support/market/agents.js';
import { listen } from '../support/service/listen.js';
import { overSocket } from '../support/service/live.js';
import { endProcesses, eventually, freshDirectory, type Running, run } from '../support/service/process.js';
import { ask } from '../support/world.js';

type Value = { readonly stringValue?: string; readonly intValue?: number | string; readonly boolValue?: boolean };
type Attribute = { readonly key: string; readonly value: Value };
type OtlpSpan = {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly name: string;
  readonly attributes?: readonly Attribute[];
  readonly status?: { readonly code?: number };
};
type Export = {
  readonly resourceSpans: readonly {
    readonly resource: { readonly attributes: readonly Attribute[] };
    readonly scopeSpans: readonly { readonly spans: readonly OtlpSpan[] }[];
  }[];
};

type CollectedSpan = Omit<OtlpSpan, 'attributes' | 'status'> & {
  readonly attributes: Readonly<Record<string, unknown>>;
  readonly failed: boolean;
};

/** An OTLP collector on the loopback interface. It also answers `GET /price`, the source of the ether price. */
class Collector {
  readonly spans: CollectedSpan[] = [];
  readonly resources: Readonly<Record<string, unknown>>[] = [];
  /** Headers `traceparent` of the requests for the price. */
  readonly received: (string | undefined)[] = [];
  url = '';
  readonly #server: Server;

  private constructor() {
    this.#server = createServer(async (req, res) => {
      if (req.url === '/price') {
        this.received.push(req.headers.traceparent as string | undefined);
        res.setHeader('content-type', 'application/json').end('{"usd":3000}');
        return;
      }
      if (req.url !== '/v1/traces') {
        res.writeHead(404).end();
        return;
      }
      this.#store((await bodyOf(req)) as Export);
      res.setHeader('content-type', 'application/json').end('{}');
    });
  }

  static async start(): Promise<Collector> {
    const collector = new Collector();
    collector.url = await listen(collector.#server);
    return collector;
  }

  async stop(): Promise<void> {
    this.#server.closeAllConnections();
    this.#server.close();
  }

  /** The spans of the trace of which this is the root. */
  traceOf({ traceId }: CollectedSpan): CollectedSpan[] {
    return this.spans.filter((span) => span.traceId === traceId);
  }

  /** The names from the root to each leaf of a trace, without duplicates, such as `GET /a > SELECT`. */
  paths(root: CollectedSpan): string[] {
    const spans = this.traceOf(root);
    const walk = (span: CollectedSpan, above: string): string[] => {
      const path = above === '' ? span.name : `${above} > ${span.name}`;
      const children = spans.filter(({ parentSpanId }) => parentSpanId === span.spanId);
      return children.length === 0 ? [path] : children.flatMap((child) => walk(child, path));
    };
    return [...new Set(walk(root, ''))].sort();
  }

  #store({ resourceSpans }: Export): void {
    for (const { resource, scopeSpans } of resourceSpans) {
      this.resources.push(valuesOf(resource.attributes));
      for (const { attributes = [], status, ...span } of scopeSpans.flatMap(({ spans }) => spans)) {
        this.spans.push({ ...span, attributes: valuesOf(attributes), failed: status?.code === 2 });
      }
    }
  }
}

const valuesOf = (attributes: readonly Attribute[]): Record<string, unknown> =>
  Object.fromEntries(
    attributes.map(({ key, value }) => [key, value.stringValue ?? value.boolValue ?? Number(value.intValue)]),
  );

async function bodyOf(req: IncomingMessage): Promise<unknown> {
  let text = '';
  for await (const chunk of req) text += chunk;
  return JSON.parse(text);
}

const CALLER_TRACE = '0af7651916cd43dd8448eb211c80319c';
const CALLER_SPAN = 'b7ad6b7169203331';

describe('traces', () => {
  let collector: Collector;
  let redis: RedisServer | undefined;
  let service: Running;
  let agent: { wallet: string; key: string };
  let requestId: string | null;

  /** The root spans with this name. */
  const roots = (name: string): CollectedSpan[] =>
    collector.spans.filter((span) => span.name === name && !collector.spans.some(isParentOf(span)));
  const isParentOf =
    ({ parentSpanId }: CollectedSpan) =>
    ({ spanId }: CollectedSpan) =>
      spanId === parentSpanId;
  /** The paths of all traces with this root. */
  const pathsOf = (name: string): string[] => roots(name).flatMap((found) => collector.paths(found));
  const root = (name: string): CollectedSpan => {
    const found = roots(name).at(-1);
    if (found === undefined) throw new Error(`no trace ${name} in ${collector.spans.map((span) => span.name)}`);
    return found;
  };

  /**
   * Sends the request until its trace has its RPC call. Calls of the indexer and of a request that meet are one batch, in the
   * trace of the first call.
   */
  const traced = (name: string, send: () => Promise<void>) =>
    eventually(async () => {
      const { length } = roots(name);
      await send();
      await eventually(() => roots(name).length > length, `no trace of ${name} was sent`);
      return pathsOf(name).some((path) => path.endsWith(' > eth_call > POST'));
    }, `no trace of ${name} has an RPC call`);

  before(async () => {
    collector = await Collector.start();
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
    // The last spans are sent when the service stops.
    expect(await service.stop()).to.include({ code: 0 });
  });
  after(async () => {
    await endProcesses();
    await redis?.stop();
    await collector?.stop();
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
    const sent = collector.traceOf(root('GET /api/price')).find(({ name }) => name === 'GET');
    expect(collector.received).to.include(`00-${CALLER_TRACE}-${sent?.spanId}-01`);
  });

  it('contain a GraphQL request with its operation and what that reads', () => {
    expect(pathsOf('POST /graphql')).to.include.members([
      'POST /graphql > graphql query > SELECT',
      'POST /graphql > graphql query > eth_call > POST',
      ...redisPath('POST /graphql > graphql query'),
    ]);
    const operation = collector.traceOf(root('POST /graphql')).find(({ name }) => name === 'graphql query');
    expect(operation?.attributes).to.include({ 'graphql.operation.name': 'Quote' });
  });

  it('contain an operation over WebSocket, and the events for subscribers', () => {
    expect(roots('graphql subscription')).to.have.length(1);
    const paths = collector.paths(root('graphql subscription'));
    expect(paths).to.include.members(redisPath('graphql subscription'));
    expect(pathsOf('live turn')).to.include('live turn > SELECT');
  });

  it('contain a turn of the indexer, with its RPC and the transaction that applies a range', () => {
    expect(pathsOf('indexing')).to.include.members([
      'indexing > SELECT',
      'indexing > eth_blockNumber > POST',
      'indexing > transaction > INSERT',
    ]);
  });

  it('contain a run of each job', () => {
    expect(collector.paths(root('scoring'))).to.include('scoring > SELECT');
    expect(collector.paths(root('sweeping'))).to.include('sweeping > transaction > DELETE');
  });

  it('contain no span outside of a trace', () => {
    const known = /^(GET|POST) \/|^(indexing|scoring|sweeping|live turn|graphql (query|subscription))$/;
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
