import { join, resolve } from 'node:path';
import type { Logger } from 'pino';
import { ChainMismatch, checkChain } from '../chain/chain.js';
import type { ChainStart } from '../chain/embedded-chain.js';
import { callUrls } from '../chain/heads.js';
import { RpcProvider } from '../chain/rpc.js';
import { type Config, Unreachable } from '../config/config.js';
import { type Times, timesOf } from '../config/timeouts.js';
import type { ConnectedChain } from '../deps.js';
import type { Metrics } from '../observe/metrics.js';
import { firstLine, reasonOf } from '../observe/outages.js';
import { startChainRelay } from '../server/chain-relay/chain-relay.js';
import { originRule } from '../server/http/origins.js';
import { pause } from '../tasks.js';
import type { Stops } from './stops.js';

/** `failed` resolves with a reason if the embedded chain ends unexpectedly. */
export type StartedChain = ConnectedChain & { readonly failed: Promise<string> };

type Options = { readonly metrics?: Metrics; readonly log?: Logger; readonly times?: Times };

const never = (): Promise<never> => new Promise(() => {});

/** Connects to the chain of the configuration, or starts the embedded one, and checks it. */
export async function startChain(config: Config, stops: Stops, options: ChainStart = {}): Promise<StartedChain> {
  const chain = await openChain(config, stops, options);
  await chain.check();
  return chain;
}

/**
 * Connects to the chain of the configuration, or starts the embedded chain. Other programs cannot reach the embedded chain before
 * `announceChain`. Calls fail until `check` has found the right chain and contract. `check` throws Unreachable if no RPC answers.
 */
export async function openChain(
  config: Config,
  stops: Stops,
  { metrics, log, times = timesOf(config), ...options }: ChainStart & Options = {},
): Promise<StartedChain & { check(): Promise<void> }> {
  // Only the embedded chain can start while `callAfter` is pending. For an external chain, there is nothing to do before.
  if (!config.chainEmbedded) await options.callAfter;
  const location =
    config.RPC_URL && config.CONTRACT_ADDRESS
      ? { rpcUrl: callUrls(config.RPC_URL)[0] ?? '', contract: config.CONTRACT_ADDRESS, failed: never() }
      : await startEmbedded(config, stops, options);
  const urls = callUrls(config.RPC_URL ?? [location.rpcUrl]);
  const counting = metrics && { metric: metrics.rpcCalls };
  const provider = new RpcProvider(urls, config.CHAIN_ID, times, { isOpen: false, ...counting });
  stops.push(() => provider.destroy());
  /** Checks one URL without the others, because each must serve when the others fail. */
  const checkAlone = async (url: number): Promise<void> => {
    const alone = new RpcProvider(urls.slice(url, url + 1), config.CHAIN_ID, times, counting);
    const which = urls.length === 1 ? 'RPC_URL' : `RPC_URL (URL ${url + 1})`;
    await checkChain(alone, config.CHAIN_ID, location.contract, which).finally(() => alone.destroy());
  };
  const stopping = new AbortController();
  stops.push(() => stopping.abort());
  /** Ends the repeated checks of failed URLs (`useLater`) when `check` is called again. */
  let rechecks = new AbortController();
  const check = async () => {
    rechecks.abort();
    rechecks = new AbortController();
    const failures = await Promise.all(urls.map((_, url) => checkAlone(url).catch((error: Error) => error)));
    // Failures that waiting does not help. The service runs the embedded chain itself, so there all failures are final.
    const final = failures.find((error) => error && (config.chainEmbedded || error instanceof ChainMismatch));
    if (final) throw final;
    if (failures.every(Boolean)) throw new Unreachable(`RPC_URL: no URL answers: ${failures.map(reasonOf).join('; ')}`);
    provider.open(failures.map((error) => error === undefined));
    const signal = AbortSignal.any([stopping.signal, rechecks.signal]);
    for (const [url, error] of failures.entries()) {
      const use = async () => {
        await checkAlone(url);
        if (!signal.aborted) provider.use(url);
      };
      if (error) void useLater(use, { times, log, signal });
    }
  };
  return { ...location, provider, check };
}

const RECHECK_MS = 1000;

/** Repeats `use`, which checks a URL, until the URL passes. A URL of a wrong chain is only logged, because another URL serves. */
async function useLater(
  use: () => Promise<unknown>,
  { times, log, signal }: { times: Times; log: Logger | undefined; signal: AbortSignal },
): Promise<void> {
  for (let isTold = false; !signal.aborted; await pause(times, RECHECK_MS, signal)) {
    try {
      await use();
      return;
    } catch (error) {
      if (isTold || !(error instanceof ChainMismatch)) continue;
      log?.error(`an RPC URL is not used: ${firstLine(error)}`);
      isTold = true;
    }
  }
}

async function startEmbedded(config: Config, stops: Stops, options: ChainStart) {
  const location = {
    directory: join(resolve(config.DATA_DIR), 'chain'),
    chainId: config.CHAIN_ID,
    times: timesOf(config),
  };
  const starting = import('../chain/embedded-chain.js').then(({ startDevChain }) => startDevChain({ ...location, ...options }));
  // The stop callback is registered before the first await, because the child process may exist before `starting` resolves.
  stops.push(() => starting.then((chain) => chain.stop()).catch(() => {}));
  const { rpcUrl, contract, faucet, exited } = await starting;
  const failed = exited.then(({ expected }) => (expected ? never() : 'the embedded chain has ended'));
  return { rpcUrl, contract, faucet, failed };
}

/**
 * Opens the embedded chain to callers outside of the service. Returns the URL to announce. For an external chain, that is `target`.
 */
export async function announceChain(config: Config, target: string, serviceUrl: string, stops: Stops): Promise<string> {
  if (!config.chainEmbedded) return target;
  const isAllowed = originRule(config);
  const servicePort = Number(new URL(serviceUrl).port || 80);
  const relay = await startChainRelay({
    target,
    port: config.CHAIN_PORT,
    times: timesOf(config),
    isAllowed: (origin) => isAllowed(origin, servicePort),
  });
  stops.push(() => relay.close());
  return relay.url;
}
