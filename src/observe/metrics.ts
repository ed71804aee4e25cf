import { Counter, Gauge, Histogram, Registry } from 'prom-client';
import { type ErrorCode, errorTable } from '../errors/errors.js';
import { scopeOfRequest } from './request-scope.js';
import { tracedJob } from './spans.js';

/** The API that answered a failure. `other`: pages, pictures and the endpoints of operators. */
export type Api = 'rest' | 'graphql' | 'mcp' | 'other';

/** Metrics that the code of this process updates. Metrics that are read only at a scrape are in features/operator/metrics.ts. */
export type Metrics = Histograms & {
  readonly registry: Registry;
  readonly connections: Gauge;
  readonly webSockets: Gauge;
  /** Runs a job in a new trace. Measures its result and time. */
  job<T>(name: string, work: () => Promise<T>): Promise<T>;
  /**
   * Counts a failure that was answered, even in an answer with status 200. Counts each code once per request, because an answer of
   * GraphQL may have many failures. `code` is a code of the service or of Apollo Server.
   */
  countError(api: Api, code: string): void;
};

/** Histograms of times in seconds, and of the depths of reorgs in blocks. The type arguments are the names of the labels. */
type Histograms = {
  readonly requests: Histogram<'method' | 'route' | 'status'>;
  readonly rpcCalls: Histogram<'url' | 'method' | 'result'>;
  readonly queries: Histogram<'server' | 'command' | 'result'>;
  readonly reorgDepths: Histogram<never>;
};

/** Buckets of the histograms: short and long times in seconds, and depths of reorgs in blocks. */
const SHORT = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];
const LONG = [0.01, 0.1, 1, 10, 60, 300, 900];
const BLOCKS = [1, 2, 3, 5, 10, 20, 50, 100, 200, 500];

export function openMetrics(): Metrics {
  const registry = new Registry();
  const registers = [registry];
  const { jobs, ...histograms } = histogramsIn(registry);
  const errors = new Counter({
    name: 'curvet_errors_total',
    help: 'Failures that were answered, by face and code. The class is server for what the caller did not cause, else client.',
    // The label `face` is the API. It keeps this name because dashboards and alerts of operators use it.
    labelNames: ['face', 'code', 'class'],
    registers,
  });
  return {
    registry,
    ...histograms,
    connections: new Gauge({ name: 'curvet_connections', help: 'Connections to PORT that are open.', registers }),
    webSockets: new Gauge({ name: 'curvet_websockets', help: 'Of these, WebSockets of GraphQL.', registers }),
    async job(name, work) {
      const count = jobs.startTimer({ name });
      let result = 'failed';
      try {
        const value = await tracedJob(name, work);
        result = 'done';
        return value;
      } finally {
        count({ result });
      }
    },
    countError(api, code) {
      const failures = scopeOfRequest()?.failures;
      if (failures?.has(code)) return;
      failures?.add(code);
      // A code that is not in the table is a code of Apollo Server, which the client has caused.
      const [status] = errorTable[code as ErrorCode] ?? [400];
      errors.inc({ face: api, code, class: status >= 500 ? 'server' : 'client' });
    },
  };
}

function histogramsIn(registry: Registry): Histograms & { readonly jobs: Histogram<'name' | 'result'> } {
  const histogram = <L extends string>(name: string, labelNames: L[], buckets: number[], help: string) =>
    new Histogram<L>({ name, help, labelNames, buckets, registers: [registry] });
  return {
    requests: histogram(
      'http_request_duration_seconds',
      ['method', 'route', 'status'],
      SHORT,
      'Requests answered, by route and status, without probes and scrapes.',
    ),
    rpcCalls: histogram(
      'curvet_rpc_duration_seconds',
      ['url', 'method', 'result'],
      SHORT,
      'Calls of the chain, by host of the URL, method and result.',
    ),
    queries: histogram(
      'curvet_database_query_duration_seconds',
      ['server', 'command', 'result'],
      SHORT,
      'Statements of PostgreSQL, by server, first word and result.',
    ),
    jobs: histogram('curvet_job_duration_seconds', ['name', 'result'], LONG, 'Runs of jobs, by name and result.'),
    reorgDepths: histogram('curvet_reorg_depth_blocks', [], BLOCKS, 'Blocks that a reorg took back.'),
  };
}
