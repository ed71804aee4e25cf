import type { Context } from 'koa';
import { Counter, collectDefaultMetrics, Gauge, Registry } from 'prom-client';
import { COMMIT, VERSION } from '../../config/config.js';
import type { Deps, State } from '../../deps.js';
import type { Refusal } from '../../observe/database-errors.js';
import type { Metrics } from '../../observe/metrics.js';
import { stateNow } from './state.js';

/** Serves the metrics of this process, with the state of index, scoring, database and Redis, in the format of Prometheus. */
export function metricsHandler(deps: Deps, scoringOverdue: () => Promise<number>) {
  let scraped: Registry | undefined;
  return async (ctx: Context): Promise<void> => {
    // Collecting the metrics of Node.js wakes the process a hundred times a second, so it starts only at the first scrape.
    scraped ??= scrapedMetrics(deps, scoringOverdue);
    ctx.set('Cache-Control', 'no-store');
    ctx.type = scraped.contentType;
    ctx.body = await Registry.merge([deps.metrics.registry, scraped]).metrics();
  };
}

/** The metrics while the start of the service waits for the database: they say that the service is not ready, and why. */
export async function metricsBeforeStart({ registry }: Metrics, { state }: State['database']): Promise<string> {
  const waiting = new Registry();
  addBuild(waiting);
  const set = (name: string, help: string, value: boolean) => new Gauge({ name, help, registers: [waiting] }).set(Number(value));
  set(...READY, false);
  set(...DATABASE_UP, state !== 'down');
  for (const [refusal, name, help] of REFUSALS) if (state !== 'down') set(name, help, state === refusal);
  return Registry.merge([registry, waiting]).metrics();
}

/** Metrics whose values are read at each scrape. A metric is missing while its source (database or chain) is unreachable. */
function scrapedMetrics(deps: Deps, scoringOverdue: () => Promise<number>): Registry {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  const gauge = (name: string, help: string, read: () => Value | Promise<Value>) =>
    new Gauge({
      name,
      help,
      registers: [registry],
      async collect() {
        const value = await read();
        if (value === null) this.remove();
        else this.set(Number(value));
      },
    });
  const counter = (name: string, help: string, read: () => number) =>
    new Counter({
      name,
      help,
      registers: [registry],
      collect() {
        this.reset();
        this.inc(read());
      },
    });
  addState(deps, gauge);
  gauge(
    'curvet_scoring_overdue_seconds',
    'Time since a season should have been scored or frozen. 0 if nothing is due.',
    async () => ((await stateNow(deps)).database.state === 'down' ? null : scoringOverdue()),
  );
  addPool(deps, gauge, counter);
  addBuild(registry);
  const { subscriptions, limits } = deps;
  const { isUp } = limits;
  // Only limits in Redis have `isUp`. Limits in the process need no such metric.
  if (isUp) gauge('curvet_redis_up', '1 if Redis answers, else 0.', () => isUp());
  gauge('curvet_subscriptions', 'GraphQL subscriptions that are open.', () => subscriptions.started - subscriptions.ended);
  counter('curvet_subscriptions_started_total', 'GraphQL subscriptions that have started.', () => subscriptions.started);
  return registry;
}

function addBuild(registry: Registry): void {
  const build = { version: VERSION, commit: COMMIT, node: process.version };
  const help = '1, labelled with the build.';
  new Gauge({ name: 'curvet_build_info', help, labelNames: Object.keys(build), registers: [registry] }).set(build, 1);
}

const READY = ['curvet_ready', '1 if /ready answers 200, else 0.'] as const;
const DATABASE_UP = ['curvet_database_up', '1 if the database answers, else 0.'] as const;
const REFUSALS: readonly (readonly [Refusal, name: string, help: string])[] = [
  ['read-only', 'curvet_database_read_only', '1 if the database is read-only, so that writes get 503, else 0.'],
  ['full', 'curvet_database_full', '1 if the disk of the database is full, so that writes get 503, else 0.'],
];

type Value = number | boolean | null;
type AddGauge = (name: string, help: string, read: () => Value | Promise<Value>) => unknown;
type AddCounter = (name: string, help: string, read: () => number) => unknown;

function addState(deps: Deps, gauge: AddGauge): void {
  const ofState = (name: string, help: string, read: (state: State) => Value) =>
    gauge(name, help, async () => read(await stateNow(deps)));
  ofState(...READY, ({ ready }) => ready);
  ofState(...DATABASE_UP, ({ database }) => database.state !== 'down');
  for (const [refusal, name, help] of REFUSALS)
    ofState(name, help, ({ database: { state } }) => (state === 'down' ? null : state === refusal));
  ofState('curvet_chain_up', '1 if an RPC answers, else 0.', ({ chain }) => chain.state !== 'down');
  ofState('curvet_chain_block', 'Newest block of the chain.', ({ chain }) => chain.blockNumber);
  ofState('curvet_chain_head_age_seconds', 'Age of the newest block of the chain.', ({ chain }) => chain.ageSeconds);
  ofState('curvet_chain_block_seconds', 'Usual time between two blocks of the chain.', ({ chain }) => chain.blockSeconds);
  ofState('curvet_index_block', 'Newest indexed block.', ({ index }) => index.blockNumber);
  ofState('curvet_index_lag_blocks', 'Blocks of the chain that are not indexed yet.', ({ index }) => index.lagBlocks);
  ofState(
    'curvet_index_lag_seconds',
    'Time that the chain needs for the blocks that may be indexed and are not yet.',
    ({ index: { lagBlocks }, chain: { blockSeconds } }) =>
      lagBlocks === null || blockSeconds === null ? null : Math.max(0, lagBlocks - deps.config.confirmations) * blockSeconds,
  );
  ofState('curvet_index_fault', '1 if the index has stopped, else 0. /ready shows the reason.', ({ database, index }) =>
    database.state === 'down' ? null : index.state === 'down',
  );
  ofState(
    'curvet_index_still',
    '1 if blocks are missing and none was indexed for a minute, although the database takes writes, else 0.',
    ({ database, index }) => (database.state === 'down' ? null : database.state === 'ok' && index.state === 'still'),
  );
}

/** Adds the metrics of the connection pool. The embedded database has no pool, and so none of these metrics. */
function addPool({ databasePool }: Deps, gauge: AddGauge, counter: AddCounter): void {
  if (databasePool === undefined) return;
  gauge('curvet_database_connections_max', 'Size of the connection pool.', () => databasePool.state.max);
  gauge('curvet_database_connections_used', 'Connections of the pool in use.', () => databasePool.state.used);
  gauge('curvet_database_waiting', 'Statements that wait for a connection.', () => databasePool.state.waiting);
  const exhausted = 'Statements that got no connection, because all were in use.';
  counter('curvet_database_exhausted_total', exhausted, () => databasePool.state.refused);
}
