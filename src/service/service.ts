import { resolve } from 'node:path';
import type { Logger } from 'pino';
import { createApp, loadApis } from '../app.js';
import { headUrls, watchHeads } from '../chain/heads.js';
import { type Config, ConfigError } from '../config/config.js';
import { timesOf } from '../config/timeouts.js';
import { assembleDeps, type ConnectedChain, type Deps, openLimits, openLive, systemClock } from '../deps.js';
import { Indexer } from '../index/indexer.js';
import { startJudging, startLinking, startScoring, startSweeping, startWatching } from '../jobs/jobs.js';
import { openMetrics } from '../observe/metrics.js';
import { firstLine, type Outages, openOutages } from '../observe/outages.js';
import { lockDirectory } from '../store/data-directory.js';
import type { DatabaseTarget, Migrated } from '../store/database.js';
import { leadership } from '../store/leader.js';
import type { Clock } from '../values/time.js';
import { announceChain, openChain } from './chain.js';
import { connectChain } from './connect-chain.js';
import { ofServer, openPatiently, startReadReplicas } from './database.js';
import { type Servers, startServers } from './servers.js';
import { type Stops, stopAll, untilAborted } from './stops.js';

export type Service = {
  readonly url: string;
  readonly deps: Deps;
  /** Parts that run in this process or as its child. */
  readonly embedded: readonly string[];
  readonly migrations: readonly Migrated[];
  /** Resolves with a reason if a required part ends unexpectedly. */
  readonly failed: Promise<string>;
  stop(): Promise<void>;
};

/** Key of the advisory lock of the leader. All replicas use the same key, and the replica that holds the lock runs the index. */
const INDEXER_LOCK = 0x637573;

const FULL_DISK = 'the embedded database has crashed, because its disk is full';

/** Delay before GraphQL is loaded. Loading blocks the thread for half a second, so the first requests come before it. */
const LOAD_AFTER_MS = 1000;

/**
 * Starts all parts in the order of their dependencies. A failure stops the parts that run already. So does `interrupt`,
 * without waiting for the part that is just starting: that part ends with the process.
 */
export async function startService(
  config: Config,
  log: Logger,
  interrupt?: AbortSignal,
  clock: Clock = systemClock,
): Promise<Service> {
  const stops: Stops = [];
  const stop = () => stopAll(stops, log);
  const interrupted = untilAborted(interrupt);
  const outages = openOutages(log, timesOf(config).now);
  const metrics = openMetrics();
  try {
    await openTracing(config, log, stops);
    lockData(config, log, stops);
    // Database and chain start concurrently. The embedded database blocks this thread, so calls to the chain wait until
    // it is open.
    const opening = Promise.race([openPatiently(config, { log, outages, metrics }, stops, interrupt), interrupted]);
    const starting = openChain(config, stops, { callAfter: opening, metrics, log });
    // The failure is thrown below, where `starting` is awaited. Without this, it would end the process before.
    starting.catch(() => {});
    const { orm, target, migrations } = await opening;
    const chain = await Promise.race([starting, interrupted]);
    const shared = await connectReplicas(config, outages, stops);
    const servers = await startServers(config, { log, metrics }, stops);
    const rpcUrl = await announceChain(config, chain.rpcUrl, servers.url, stops);
    const publicUrl = (config.PUBLIC_URL ?? servers.url).replace(/\/$/, '');
    const crashed = Promise.withResolvers<string>();
    const onCrash = () => crashed.resolve(FULL_DISK);
    const parts = { orm, connected: { ...chain, rpcUrl }, clock, publicUrl, onCrash, outages, metrics, ...shared };
    const assembled = await assembleDeps(config, log, parts);
    const deps: Deps = { ...assembled, ...(await startReadReplicas(assembled, stops)) };
    const start = () => startIndexing(deps, chain, target, stops);
    await connectChain(deps, { check: chain.check, start, stops, crash: crashed.resolve });
    await startJobs(deps, stops);
    loadApisSoon(log, stops);
    serveApp(deps, servers, stops);
    return {
      url: servers.url,
      deps,
      embedded: embeddedParts(config, rpcUrl),
      migrations,
      failed: Promise.race([chain.failed, crashed.promise]),
      stop,
    };
  } catch (error) {
    await stop();
    throw config.DATABASE_URL === undefined ? error : ofServer(error as Error);
  }
}

/** Loads OpenTelemetry only if it is configured. It stops last, so that it sends the spans of the other parts. */
async function openTracing(config: Config, log: Logger, stops: Stops): Promise<void> {
  if (!config.tracing) return;
  const { startTracing } = await import('../tracing/tracing.js');
  const tracing = startTracing(config, log, timesOf(config));
  stops.push(() => tracing.close());
}

function lockData(config: Config, log: Logger, stops: Stops): void {
  if (!config.chainEmbedded && config.DATABASE_URL !== undefined) return;
  stops.push(lockDirectory(resolve(config.DATA_DIR), log));
}

/** Opens what replicas share through Redis: rate limits and live events. */
async function connectReplicas(config: Config, outages: Outages, stops: Stops): Promise<Pick<Deps, 'limits' | 'live'>> {
  const limits = await openLimits(config, outages, timesOf(config));
  stops.push(() => limits.close());
  // An unavailable Redis comes back, so the start goes on without it. A Redis that refuses the login would leave the limits off for
  // ever, so the start fails.
  await limits.login?.().catch((refusal: Error) => {
    throw new ConfigError(`REDIS_URL: the value is not accepted; the server says: ${firstLine(refusal)}`);
  });
  const live = await openLive(config, outages, timesOf(config));
  stops.push(() => live.close());
  return { limits, live };
}

function startIndexing(deps: Deps, chain: ConnectedChain, target: DatabaseTarget, stops: Stops): void {
  const { config } = deps;
  const indexer = new Indexer(deps, {
    leadership: leadership(target, INDEXER_LOCK, deps.times),
    // The embedded chain runs on this machine, so frequent polls cost little.
    pollMs: config.chainEmbedded ? 100 : 1000,
    watch: (onHead) => watchHeads(headUrls(config.RPC_URL ?? [chain.rpcUrl]), onHead, deps.times),
  });
  stops.push(() => indexer.stop());
}

async function startJobs(deps: Deps, stops: Stops): Promise<void> {
  for (const start of [startScoring, startLinking, startJudging, startSweeping, startWatching]) {
    const job = await start(deps);
    stops.push(() => job.stop());
  }
}

function loadApisSoon(log: Logger, stops: Stops): void {
  const loading = setTimeout(() => {
    loadApis().catch((error: unknown) => log.error({ err: error }, 'GraphQL or MCP is not loaded'));
  }, LOAD_AFTER_MS);
  stops.push(() => clearTimeout(loading));
}

function serveApp(deps: Deps, servers: Servers, stops: Stops): void {
  const { callback, metrics, upgrade, close } = createApp(deps);
  servers.serve({ answer: callback(), answerMetrics: metrics(), upgrade });
  // Ends open subscriptions first, because they keep the servers from closing.
  stops.push(close);
  // Stop callbacks run in reverse order, so this callback runs first. The log then reports no part as unavailable because the stop
  // closes its connections.
  stops.push(() => deps.outages.close());
}

const embeddedParts = (config: Config, rpcUrl: string): string[] => [
  ...(config.DATABASE_URL === undefined ? ['database'] : []),
  ...(config.chainEmbedded ? [`chain at ${rpcUrl}`] : []),
  ...(config.SOCIAL_TEXT_PROXY === undefined ? ['post host'] : []),
];
