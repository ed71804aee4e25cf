import { createServer, type IncomingMessage, type Server } from 'node:http';
import { listen } from '../support/service/listen.js';

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

export type CollectedSpan = Omit<OtlpSpan, 'attributes' | 'status'> & {
  readonly attributes: Readonly<Record<string, unknown>>;
  readonly failed: boolean;
};

/** An OTLP collector on the loopback interface. It also answers `GET /price`, the source of the ether price. */
export class Collector {
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
