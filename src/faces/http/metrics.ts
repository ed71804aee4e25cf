import { monitorEventLoopDelay } from 'node:perf_hooks';
import type { Context } from 'koa';
import { scoringOverdue } from '../../core/seasons/queries/overdue.js';
import type { Deps } from '../../deps.js';
import { Histogram } from '../../histogram.js';
import { stateNow } from './readiness.js';

export type Metrics = ReturnType<typeof metricsOf>;

/** Upper bounds of the duration histogram's buckets, in seconds. */
const BUCKETS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5];

const METHODS = new Set(['GET', 'HEAD', 'POST', 'PATCH', 'DELETE', 'OPTIONS']);

/** Prometheus metrics: requests of this process, its resources, and the state of index, scoring, database and Redis. */
export function metricsOf(deps: Deps) {
  const requests = new Map<string, Histogram>();
  // The histogram starts at the first scrape, because it wakes the process fifty times a second.
  let delays: ReturnType<typeof monitorEventLoopDelay> | undefined;

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
    /** Counts an answered request. `route` is the pattern that the path matched, if any: raw paths would create unbounded label values. */
    observe(method: string, route: unknown, status: number, seconds: number): void {
      const labels = `method="${METHODS.has(method) ? method : 'other'}",route="${typeof route === 'string' ? route : 'none'}",status="${status}"`;
      let series = requests.get(labels);
      if (series === undefined) {
        series = new Histogram(BUCKETS);
        requests.set(labels, series);
      }
      series.observe(seconds);
    },
    async serve(ctx: Context): Promise<void> {
      const lines = [
        ...(await indexLines(deps)),
        ...(await scoringLines(deps)),
        ...(await redisLines(deps)),
        ...poolLines(deps),
        ...subscriptionLines(deps),
        ...histogram('curvet_reorg_depth_blocks', 'Blocks that a reorg took back.', [['', deps.reorgDepths]]),
        ...histogram('http_request_duration_seconds', 'Requests answered, by route and status.', [...requests]),
        ...processLines(),
      ];
      ctx.set('Cache-Control', 'no-store');
      ctx.type = 'text/plain; version=0.0.4; charset=utf-8';
      ctx.body = `${lines.join('\n')}\n`;
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

async function scoringLines(deps: Deps): Promise<string[]> {
  const { database } = await stateNow(deps);
  if (database.state !== 'ok') return [];
  const what = 'Time since a season should have been scored or frozen. 0 if nothing is due.';
  return metric('curvet_scoring_overdue_seconds', 'gauge', what, await scoringOverdue(deps));
}

/** Metrics of Redis. Empty without REDIS_URL. */
async function redisLines({ limits }: Deps): Promise<string[]> {
  if (limits.isUp === undefined) return [];
  return metric('curvet_redis_up', 'gauge', '1 if Redis answers, else 0.', Number(await limits.isUp()));
}

/** Metrics of the connection pool. Empty for the embedded database. */
function poolLines({ databasePool }: Deps): string[] {
  if (databasePool === undefined) return [];
  const { max, used, waiting, refused } = databasePool();
  const what = 'Statements that got no connection, because all were in use.';
  return [
    ...metric('curvet_database_connections_max', 'gauge', 'Size of the connection pool.', max),
    ...metric('curvet_database_connections_used', 'gauge', 'Connections of the pool in use.', used),
    ...metric('curvet_database_waiting', 'gauge', 'Statements that wait for a connection.', waiting),
    ...metric('curvet_database_exhausted_total', 'counter', what, refused),
  ];
}

function subscriptionLines({ subscriptions: { started, ended } }: Deps): string[] {
  return [
    ...metric('curvet_subscriptions', 'gauge', 'GraphQL subscriptions that are open.', started - ended),
    ...metric('curvet_subscriptions_started_total', 'counter', 'GraphQL subscriptions that have started.', started),
  ];
}

/** `series`: the labels of each histogram, such as `method="GET"`, or an empty text. */
function histogram(name: string, what: string, series: readonly (readonly [string, Histogram])[]): string[] {
  const lines = series.flatMap(([labels, values]) => {
    const prefix = labels === '' ? '' : `${labels},`;
    const set = labels === '' ? '' : `{${labels}}`;
    return [
      ...values.cumulated().map(([bound, count]) => `${name}_bucket{${prefix}le="${bound}"} ${count}`),
      `${name}_bucket{${prefix}le="+Inf"} ${values.count}`,
      `${name}_sum${set} ${values.sum}`,
      `${name}_count${set} ${values.count}`,
    ];
  });
  return [...head(name, 'histogram', what), ...lines];
}

const head = (name: string, type: string, what: string): string[] => [
  `# HELP ${name} ${what}`,
  `# TYPE ${name} ${type}`,
];
const metric = (name: string, type: string, what: string, value: number): string[] => [
  ...head(name, type, what),
  `${name} ${value}`,
];
