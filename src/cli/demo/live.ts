import { setTimeout as delay } from 'node:timers/promises';
import type { Logger } from 'pino';
import { RpcProvider } from '../../chain/rpc.js';
import type { Service } from '../../service.js';
import type { Companion } from '../serve.js';
import { type Character, cast } from './cast.js';
import { Client, Refusal } from './client.js';
import { type AgentKey, walletOf } from './home.js';
import { perform } from './live-acts.js';
import { Random } from './random.js';
import { type Act, Allowance, nextTurn } from './turns.js';

/** Range of the pause between two acts. */
export const PAUSE_MS = [1500, 9000] as const;
/** Pause of an agent after a failed act. */
const REST_SECONDS = 60;

export type LiveOptions = {
  /** Seed of all random choices. The same seed in the same market gives the same choices. @default the time */
  readonly seed?: number;
  readonly pauseMs?: readonly [shortest: number, longest: number];
  readonly restSeconds?: number;
  /** Called after each successful act. */
  readonly onAct?: (agent: AgentKey, act: Act) => void;
};

/**
 * Lets the demo's agents act now and then, as real agents do: over the public API with their keys, and with trades signed by
 * their wallets. Failed acts are not retried.
 */
export function startLive(
  { url, deps: { market, times } }: Service,
  keys: readonly AgentKey[],
  log: Logger,
  { seed = Date.now(), pauseMs = PAUSE_MS, restSeconds = REST_SECONDS, onAct }: LiveOptions = {},
): Companion {
  const stopping = new AbortController();
  const { signal } = stopping;
  const random = new Random(seed);
  const provider = new RpcProvider([market.rpcUrl], market.chainId, times);
  const agents = keys.map((key) => ({
    ...{ key, character: cast[key.agent] as Character, allowance: new Allowance() },
    client: new Client(url, key.apiKey, signal),
    signer: walletOf(key.agent).connect(provider),
  }));

  let warnedUntil = 0;
  /** Seconds that an agent pauses after an error. */
  const restAfter = (error: unknown): number => {
    if (!(error instanceof Refusal)) return restSeconds;
    // A refused key is not used again: repeated failures would block this address for all keys.
    if (error.status === 401) return Number.POSITIVE_INFINITY;
    const rest = error.retryAfter ?? restSeconds;
    // Wrong keys of any local client make the service refuse this address. One warning tells why the market is still.
    if (error.status === 429 && Date.now() >= warnedUntil) {
      warnedUntil = Date.now() + rest * 1000;
      log.warn({ err: error }, `this address is refused for ${rest} s; the agents of the demo pause`);
    }
    return rest;
  };

  const run = async () => {
    while (!signal.aborted) {
      await delay(random.between(...pauseMs), undefined, { signal }).catch(() => {});
      const { act, actor } = nextTurn(agents, random, Date.now());
      if (signal.aborted || actor === undefined) continue;
      try {
        if (await perform(act, actor, random)) onAct?.(actor.key, act);
      } catch (error) {
        if (signal.aborted) return;
        log.debug({ err: error, agent: actor.key.name, act }, 'an action of a demo agent failed');
        actor.allowance.rest(restAfter(error), Date.now());
      }
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
