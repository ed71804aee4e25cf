import { monitorEventLoopDelay } from 'node:perf_hooks';
import type { Context } from 'koa';
import type { Deps } from '../../deps.js';
import { stateNow } from './readiness.js';

export type Metrics = {
  /** Counts an answered request. `route` is the pattern that the path matched, if any: raw paths would create unbounded label values. */
  observe(method: string, route: unknown, status: number, seconds: number): void;
  serve(ctx: Context): Promise<void>;
};

/** Upper bounds of the duration histogram's buckets, in seconds. */
const BUCKETS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5];

const METHODS = new Set(['GET', 'HEAD', 'POST', 'PATCH', 'DELETE', 'OPTIONS']);

type Series = { readonly counts: number[]; count: number; seconds: number };

/** Prometheus metrics: requests of this process, its memory and CPU, and the lag of the index. */
export function metricsOf(deps: Deps): Metrics {
  const requests = new Map<string, Series>();
  // Starts at the first scrape: the histogram wakes the process fifty times a second.
  let delays: ReturnType<typeof monitorEventLoopDelay> | undefined;

  const requestLines = (): string[] => {
    const name = 'http_request_duration_seconds';
    const lines = [...requests].flatMap(([labels, { counts, count, seconds }]) => {
      let sum = 0;
      const buckets = BUCKETS.map((bound, i) => {
        sum += counts[i] ?? 0;
        return `${name}_bucket{${labels},le="${bound}"} ${sum}`;
      });
      const infinite = `${name}_bucket{${labels},le="+Inf"} ${count}`;
      return [...buckets, infinite, `${name}_sum{${labels}} ${seconds}`, `${name}_count{${labels}} ${count}`];
    });
    return [...head(name, 'histogram', 'Requests answered, by route and status.'), ...lines];
  };

  const processLines = (): string[] => {
    if (delays === undefined) {
      delays = monitorEventLoopDelay();
      delays.enable();
    }
    const lag = delays.count === 0 ? 0 : delays.percentile(99) / 1e9;
    delays.reset();
    const what = '99th percentile of the event loop delay since the last scrape.';
    return [...resourceLines(), ...metric('nodejs_eventloop_lag_p99_seconds', 'gauge', what, lag)];
  };

  return {
    observe(method, route, status, seconds) {
      const labels = `method="${METHODS.has(method) ? method : 'other'}",route="${typeof route === 'string' ? route : 'none'}",status="${status}"`;
      let series = requests.get(labels);
      if (series === undefined) {
        series = { counts: BUCKETS.map(() => 0), count: 0, seconds: 0 };
        requests.set(labels, series);
      }
      const bucket = BUCKETS.findIndex((bound) => seconds <= bound);
      if (bucket >= 0) series.counts[bucket] = (series.counts[bucket] ?? 0) + 1;
      series.count++;
      series.seconds += seconds;
    },
    async serve(ctx) {
      const indexed = await indexLines(deps);
      ctx.set('Cache-Control', 'no-store');
      ctx.type = 'text/plain; version=0.0.4; charset=utf-8';
      ctx.body = `${[...indexed, ...requestLines(), ...processLines()].join('\n')}\n`;
    },
  };
}

/** CPU time, memory and start of this process. */
function resourceLines(): string[] {
  const { user, system } = process.cpuUsage();
  const { rss, heapUsed } = process.memoryUsage();
  const start = Date.now() / 1000 - process.uptime();
  return [
    ...metric('process_cpu_seconds_total', 'counter', 'CPU time of this process.', (user + system) / 1e6),
    ...metric('process_resident_memory_bytes', 'gauge', 'Resident memory of this process.', rss),
    ...metric('process_start_time_seconds', 'gauge', 'Start of this process, in Unix seconds.', start),
    ...metric('nodejs_heap_size_used_bytes', 'gauge', 'Used memory of the JavaScript heap.', heapUsed),
  ];
}

/** Omits a metric whose source (database or chain) is unreachable. */
async function indexLines(deps: Deps): Promise<string[]> {
  const { ready, database, chain, index } = await stateNow(deps);
  const gauge = (name: string, what: string, value: number | boolean | null) =>
    value === null ? [] : metric(name, 'gauge', what, Number(value));
  return [
    ...gauge('curvet_ready', '1 if /ready answers 200, else 0.', ready),
    ...gauge('curvet_database_up', '1 if the database answers, else 0.', database.state === 'ok'),
    ...gauge('curvet_chain_up', '1 if an RPC answers, else 0.', chain.state === 'ok'),
    ...gauge('curvet_chain_block', 'Newest block of the chain.', chain.blockNumber),
    ...gauge('curvet_index_block', 'Newest indexed block.', index.blockNumber),
    ...gauge('curvet_index_lag_blocks', 'Blocks of the chain that are not indexed yet.', index.lagBlocks),
    ...gauge(
      'curvet_index_fault',
      '1 if the index has stopped, else 0. /ready shows the reason.',
      index.detail !== undefined,
    ),
  ];
}

const head = (name: string, type: string, what: string): string[] => [
  `# HELP ${name} ${what}`,
  `# TYPE ${name} ${type}`,
];
const metric = (name: string, type: string, what: string, value: number): string[] => [
  ...head(name, type, what),
  `${name} ${value}`,
];
