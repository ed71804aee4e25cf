import { setTimeout as delay } from 'node:timers/promises';
import type { Logger } from 'pino';
import { RpcProvider } from '../../chain/rpc.js';
import type { Times } from '../../times.js';
import type { Companion } from '../serve.js';
import { Client, Refusal } from './client.js';
import type { AgentKey } from './home.js';
import { fetchView, type LiveAgent, perform } from './live-acts.js';
import { type Act, Allowance } from './plan/allowance.js';
import { cast } from './plan/cast.js';
import { seeded } from './plan/random.js';
import { nextTurn } from './turns.js';
import { walletOf } from './wallets.js';

export type LiveOptions = {
  readonly url: string;
  readonly rpcUrl: string;
  readonly chainId: number;
  readonly log: Logger;
  readonly keys: readonly AgentKey[];
  readonly times: Times;
  /** Seed of all random choices. The same seed in the same market gives the same choices. @default the time */
  readonly seed?: number;
  /** Range of the pause between two actions. @default 1.5 to 9 seconds */
  readonly pauseMs?: readonly [shortest: number, longest: number];
  /** Pause of an agent after a failed action, in seconds. @default 60 */
  readonly restSeconds?: number;
  /** Callback after each successful action. */
  readonly onAct?: (agent: AgentKey, act: Act) => void;
};

export const PAUSE_MS = [1500, 9000] as const;
/** Probability of a post after a trade. */
const SPEAK_PROBABILITY = 0.1;
const REST_SECONDS = 60;

/** A refused key (401) is not used again: repeated failures would block this address for all keys. */
const pauseAfter = (error: unknown, usual: number): number => {
  if (!(error instanceof Refusal)) return usual;
  return error.status === 401 ? Number.POSITIVE_INFINITY : (error.retryAfter ?? usual);
};

/**
 * Lets the demo's agents act now and then, as real agents do: over the public API with their keys, and with trades signed by
 * their wallets. Failed actions are not retried.
 */
export function startLive(options: LiveOptions): Companion {
  const { log, keys, pauseMs: [shortest, longest] = PAUSE_MS, restSeconds = REST_SECONDS } = options;
  const stopping = new AbortController();
  const { signal } = stopping;
  const random = seeded(options.seed ?? Date.now());
  const provider = new RpcProvider([options.rpcUrl], options.chainId, options.times);
  const liveAgent = ({ agent, apiKey, wallet }: AgentKey): LiveAgent => ({
    client: new Client(options.url, apiKey, signal),
    signer: walletOf(agent).connect(provider),
    style: cast[agent]?.style ?? 'swing',
    wallet,
  });
  const agents = keys.map((key) => ({
    ...{ key, allowance: new Allowance(), live: liveAgent(key) },
    zeal: cast[key.agent]?.zeal ?? 1,
  }));

  let loggedUntil = 0;
  /** Logs why the market has no activity: wrong keys of any local client make the service refuse this address. */
  const logBlocked = (error: unknown, rest: number) => {
    if (!(error instanceof Refusal) || error.status !== 429 || Date.now() < loggedUntil) return;
    loggedUntil = Date.now() + rest * 1000;
    log.warn({ err: error }, `this address is refused for ${rest} s; the agents of the demo pause`);
  };

  const turn = async () => {
    const next = nextTurn(agents, random, Date.now());
    if (next === undefined) return;
    const { act, actor: agent } = next;
    try {
      const view = await fetchView(agent.live);
      const speaks = act === 'trade' && random.chance(SPEAK_PROBABILITY) && agent.allowance.allows('post', Date.now());
      if (speaks) agent.allowance.spend('post', Date.now());
      if (await perform(act, agent.live, view, { random, speaks })) options.onAct?.(agent.key, act);
    } catch (error) {
      if (signal.aborted) return;
      log.debug({ err: error, agent: agent.key.name, act }, 'an action of a demo agent failed');
      const rest = pauseAfter(error, restSeconds);
      logBlocked(error, rest);
      agent.allowance.rest(rest, Date.now());
    }
  };

  const run = async () => {
    while (!signal.aborted) {
      await delay(random.between(shortest, longest), undefined, { signal }).catch(() => {});
      if (!signal.aborted) await turn();
    }
  };
  const ended = run();
  return {
    async stop() {
      stopping.abort();
      await ended;
      provider.destroy();
    },
  };
}
