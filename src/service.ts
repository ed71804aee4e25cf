import { randomBytes } from 'node:crypto';
import type { RequestListener, Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join, resolve } from 'node:path';
import type { SqlEntityManager } from '@mikro-orm/sql';
import type { Logger } from 'pino';
import { type App, createApp, loadGraphql, mayUpgrade } from './app.js';
import { ethUsd } from './chain/eth-usd.js';
import { callUrls, headUrls, watchHeads } from './chain/heads.js';
import { ChainMismatch, chainAnswer, checkChain, checkUrls, ethersMarket } from './chain/market.js';
import { type Call, RpcProvider } from './chain/rpc.js';
import { type Config, ConfigError } from './config.js';
import { ensureCursor } from './core/trading/commands/cursor.js';
import type { Clock, Deps, DevTools } from './deps.js';
import { limitedServer } from './faces/http/connections.js';
import { originRule } from './faces/http/origins.js';
import { startChainRelay } from './faces/rpc/chain-relay.js';
import { startIndexer } from './jobs/indexer.js';
import { startScoring } from './jobs/scoring.js';
import { startSweeping } from './jobs/sweeping.js';
import type { Limits } from './limits/limits.js';
import type { Live } from './live/live.js';
import { embeddedPostHost } from './posthost/embedded.js';
import { textProxy } from './posthost/text-proxy.js';
import { changesOf } from './store/changes.js';
import { lockDirectory } from './store/data-directory.js';
import { type DatabaseTarget, migrate, openDatabase } from './store/database.js';
import { leadership } from './store/leader.js';
import { openSql } from './store/sql.js';

export type Service = {
  readonly url: string;
  readonly deps: Deps;
  /** What of it runs inside this process or as its child. */
  readonly embedded: readonly string[];
  /** Fulfilled with a reason when a part that the service cannot do without has ended by itself. */
  readonly failed: Promise<string>;
  stop(): Promise<void>;
};

/** Any constant that all replicas share: who holds it indexes. */
const INDEXER_LOCK = 0x637573;

/** When what is not needed for the first answers is loaded, which keeps this thread busy for half a second. */
const LOAD_AFTER_MS = 1000;

/** How long a request in flight may take to end after a stop was asked for. */
const GRACE_MS = 6000;

/**
 * Starts every part, in the order in which they need each other. A failure stops those that have started, and so does
 * the signal, at once: what is then still on its way to start ends with the process.
 */
export async function startService(
  config: Config,
  log: Logger,
  interrupt?: AbortSignal,
  clock: Clock = systemClock,
): Promise<Service> {
  const stops: (() => Promise<unknown> | unknown)[] = [];
  const stop = async () => {
    for (const end of stops.splice(0).reverse()) {
      try {
        await end();
      } catch (error) {
        log.error({ err: error }, 'a part did not stop cleanly');
      }
    }
  };
  try {
    const dataDir = resolve(config.DATA_DIR);
    if (config.chainEmbedded || config.DATABASE_URL === undefined) stops.push(lockDirectory(dataDir, log));
    warnOfUnsigned(config, log);
    // One after the other: the embedded database keeps this thread busy while it is made, and the chain would seem dead.
    const interrupted = untilAborted(interrupt);
    const database = await Promise.race([startDatabase(config, dataDir, stops), interrupted]);
    const chain = await Promise.race([startChain(config, dataDir, stops), interrupted]);
    const { orm, sql } = database;
    const em = orm.em as SqlEntityManager;
    const secretKey = config.SECRET_KEY ?? (await ownSecretKey(em));
    const limits = await openLimits(config, log);
    stops.push(() => limits.close());
    const live = await openLive(config, log);
    stops.push(() => live.close());
    const ownHost = embeddedPostHost({ em, clock });
    const posts = config.SOCIAL_TEXT_PROXY
      ? textProxy({ template: config.SOCIAL_TEXT_PROXY, plain: config.SOCIAL_PROXY_PLAIN === 'on' })
      : ownHost;
    const { faucet } = chain;
    const dev = faucet && {
      faucet: (to: string) => chainAnswer(faucet(to)),
      publish: ownHost.publish,
      rpc: (call: Call) => chainAnswer(chain.provider.reply(call)),
    };
    const now = () => clock.now().getTime();
    const dollars = ethUsd({ url: config.ETH_USD_URL, log, now });
    const server = limitedServer(config, log, { shouldUpgradeCallback: mayUpgrade });
    // Whoever comes between listening and the end of the start waits for it.
    const app = Promise.withResolvers<Pick<App, 'upgrade'> & Record<'answer' | 'answerMetrics', RequestListener>>();
    server.on('request', (req, res) => void app.promise.then(({ answer }) => answer(req, res)));
    server.on('upgrade', (req, socket, head) => void app.promise.then(({ upgrade }) => upgrade(req, socket, head)));
    server.on('checkExpectation', (req, res) => server.emit('request', req, res));
    await listen(server, config);
    stops.push(() => closeServer(server));
    if (config.METRICS_PORT !== undefined) {
      const metrics = limitedServer(config, log);
      metrics.on('request', (req, res) => void app.promise.then(({ answerMetrics }) => answerMetrics(req, res)));
      await listen(metrics, config, 'METRICS_PORT');
      stops.push(() => closeServer(metrics));
    }
    const url = addressOf(server);
    const rpcUrl = config.chainEmbedded ? await announceChain(config, chain.rpcUrl, url, stops) : chain.rpcUrl;
    const market = ethersMarket(chain.provider, { chainId: config.CHAIN_ID, contract: chain.contract, rpcUrl }, now);
    // Known from the start, so that figures that need it do without the chain later.
    await market.feeSplit();
    const publicUrl = (config.PUBLIC_URL ?? url).replace(/\/$/, '');
    const deps: Deps = {
      config,
      log,
      clock,
      em,
      sql,
      changes: changesOf(orm),
      market,
      limits,
      live,
      posts,
      ethUsd: dollars,
      dev,
      publicUrl,
      secretKey,
    };
    await ensureCursor(deps, async () => config.START_BLOCK ?? (config.chainEmbedded ? 1 : market.deployBlock()));
    const indexer = startIndexer(deps, {
      leadership: leadership(database.target, INDEXER_LOCK),
      pollMs: config.chainEmbedded ? 100 : 1000,
      watch: (onHead) => watchHeads(headUrls(config.RPC_URL ?? [chain.rpcUrl]), onHead),
    });
    stops.push(() => indexer.stop());
    const scoring = await startScoring(deps);
    stops.push(() => scoring.stop());
    const sweeping = startSweeping(deps);
    stops.push(() => sweeping.stop());
    const loading = setTimeout(() => {
      loadGraphql().catch((error: unknown) => log.error({ err: error }, 'GraphQL is not loaded'));
    }, LOAD_AFTER_MS);
    stops.push(() => clearTimeout(loading));
    const { callback, metrics, upgrade, close } = createApp(deps);
    app.resolve({ answer: callback(), answerMetrics: metrics(), upgrade });
    // First of all: what follows live events would be waited for in vain.
    stops.push(close);
    const embedded = [
      ...(config.DATABASE_URL === undefined ? ['database'] : []),
      ...(config.chainEmbedded ? [`chain at ${rpcUrl}`] : []),
      ...(config.SOCIAL_TEXT_PROXY === undefined ? ['post host'] : []),
    ];
    return { url, deps, embedded, failed: chain.failed, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

/** On a chain that others can read, anybody can register a wallet before its owner does. */
function warnOfUnsigned({ chainEmbedded, REGISTRATION_SIGNATURE }: Config, log: Logger): void {
  if (chainEmbedded || REGISTRATION_SIGNATURE === 'required') return;
  log.warn(
    'REGISTRATION_SIGNATURE is optional: strangers can register wallets that are not theirs; "required" is recommended',
  );
}

/** Rejects when the signal comes; never, without one. */
export function untilAborted(signal: AbortSignal | undefined): Promise<never> {
  const aborted = new Promise<never>((_, reject) => {
    const stop = () => reject(new Error('the start was interrupted'));
    if (signal?.aborted) stop();
    else signal?.addEventListener('abort', stop, { once: true });
  });
  aborted.catch(() => {});
  return aborted;
}

export const systemClock: Clock = { now: () => new Date() };

export type Stops = (() => Promise<unknown> | unknown)[];

export async function startDatabase(config: Config, dataDir: string, stops: Stops) {
  const target: DatabaseTarget =
    config.DATABASE_URL === undefined ? { directory: join(dataDir, 'database') } : { url: config.DATABASE_URL };
  const orm = await openDatabase(target).catch((error: Error) => {
    if (config.DATABASE_URL === undefined) throw error;
    throw new ConfigError(`DATABASE_URL: the value is not accepted; the server says: ${firstLine(error)}`);
  });
  stops.push(() => orm.close(true));
  await migrate(orm, target);
  return { orm, target, sql: await openSql(orm) };
}

/**
 * The chain as the service reaches it; an embedded one is not announced to others by this. `startAt` is when an embedded
 * chain that is made now shall have begun; default: now.
 */
export async function startChain(config: Config, dataDir: string, stops: Stops, startAt?: Date) {
  const never = new Promise<string>(() => {});
  let place: { rpcUrl: string; contract: string; failed: Promise<string>; faucet?: DevTools['faucet'] };
  if (config.RPC_URL && config.CONTRACT_ADDRESS) {
    place = { rpcUrl: callUrls(config.RPC_URL)[0] ?? '', contract: config.CONTRACT_ADDRESS, failed: never };
  } else {
    const { startDevChain, DevChainError } = await import('./chain/embedded-chain.js');
    const starting = startDevChain({
      directory: join(dataDir, 'chain'),
      chainId: config.CHAIN_ID,
      ...(startAt && { startAt }),
    });
    // From the moment when its process may exist, not only when it answers.
    stops.push(() => starting.then((chain) => chain.stop()).catch(() => {}));
    const chain = await starting.catch((error: Error) => {
      throw error instanceof DevChainError ? new ConfigError(error.message, { cause: error }) : error;
    });
    const failed = chain.exited.then(({ expected }) => (expected ? never : 'the embedded chain has ended'));
    place = { rpcUrl: chain.rpcUrl, contract: chain.contract, failed, faucet: chain.faucet };
  }
  const urls = callUrls(config.RPC_URL ?? [place.rpcUrl]);
  const provider = new RpcProvider(urls, config.CHAIN_ID);
  stops.push(() => provider.destroy());
  await checkChain(provider, config.CHAIN_ID, place.contract).catch((error: Error) => {
    if (config.chainEmbedded || error instanceof ChainMismatch) throw error;
    throw new ConfigError(`RPC_URL: the value is not accepted; asked for the chain, it says: ${firstLine(error)}`);
  });
  if (urls.length > 1) await checkUrls(urls, config.CHAIN_ID, place.contract);
  return { ...place, provider };
}

/** Opens the embedded chain to callers outside of the service; gives the address that is announced. */
async function announceChain(config: Config, target: string, serviceUrl: string, stops: Stops): Promise<string> {
  const isAllowed = originRule(config);
  const servicePort = Number(new URL(serviceUrl).port || 80);
  const relay = await startChainRelay({
    target,
    port: config.CHAIN_PORT,
    isAllowed: (origin) => isAllowed(origin, servicePort),
  });
  stops.push(() => relay.close());
  return relay.url;
}

async function openLimits({ REDIS_URL }: Config, log: Logger): Promise<Limits> {
  if (REDIS_URL === undefined) return (await import('./limits/process.js')).processLimits();
  return (await import('./limits/redis.js')).redisLimits({ url: REDIS_URL, prefix: 'curvet:', log });
}

async function openLive({ REDIS_URL }: Config, log: Logger): Promise<Live> {
  if (REDIS_URL === undefined) return (await import('./live/process.js')).processLive();
  return (await import('./live/redis.js')).redisLive({ url: REDIS_URL, prefix: 'curvet:', log });
}

/** Made at the first start, by whichever replica is first, and found by the others. */
export async function ownSecretKey(em: SqlEntityManager): Promise<string> {
  const made = randomBytes(32).toString('base64url');
  await em
    .fork()
    .execute('insert into setting (name, value) values (?, ?) on conflict do nothing', ['secret_key', made]);
  const rows = await em.fork().execute<{ value: string }[]>('select value from setting where name = ?', ['secret_key']);
  return rows[0]?.value ?? made;
}

export function listen(server: Server, config: Config, name: 'PORT' | 'METRICS_PORT' = 'PORT'): Promise<void> {
  const { HOST, [name]: port } = config;
  return new Promise((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) => {
      const host = error.code === 'ENOTFOUND' || error.code === 'EADDRNOTAVAIL';
      const what = host
        ? `HOST: "${HOST}" is not accepted; it must be a host name or address of this machine`
        : `${name}: ${port} on ${HOST} cannot be listened on`;
      reject(new ConfigError(`${what}: ${error.code ?? error.message}`));
    });
    server.listen(port, HOST, resolve);
  });
}

function addressOf(server: Server): string {
  const { address, family, port } = server.address() as AddressInfo;
  return `http://${family === 'IPv6' ? `[${address}]` : address}:${port}`;
}

/** Takes no new request and waits for those in flight. */
function closeServer(server: Server): Promise<void> {
  return new Promise((resolve) => {
    const force = setTimeout(() => server.closeAllConnections(), GRACE_MS);
    // A connection that falls idle now would stay open until its keep-alive ends.
    const sweep = setInterval(() => server.closeIdleConnections(), 50);
    server.close(() => {
      clearTimeout(force);
      clearInterval(sweep);
      resolve();
    });
  });
}

const firstLine = (error: Error): string => (error.message || String(error)).split('\n')[0] ?? '';
