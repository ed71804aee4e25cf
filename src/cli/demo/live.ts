import { setTimeout as delay } from 'node:timers/promises';
import type { Logger } from 'pino';
import { RpcProvider } from '../../chain/rpc.js';
import type { Companion } from '../serve.js';
import { Client, Refusal } from './client.js';
import type { AgentKey } from './home.js';
import { type LiveAgent, look, perform } from './live-acts.js';
import { type Act, Allowance } from './plan/allowance.js';
import { cast } from './plan/cast.js';
import { seeded } from './plan/random.js';
import { walletOf } from './wallets.js';

export type LiveOptions = {
  readonly url: string;
  readonly rpcUrl: string;
  readonly chainId: number;
  readonly log: Logger;
  readonly keys: readonly AgentKey[];
  /** Of what they do and when: the same seed, the same choices in the same market. */
  readonly seed?: number;
  /** The shortest and the longest time between two actions. */
  readonly pauseMs?: readonly [shortest: number, longest: number];
  /** An agent whose action failed, for whatever reason, leaves the market to the others for so long. */
  readonly restSeconds?: number;
  /** Told of everything that was done. */
  readonly done?: (agent: AgentKey, act: Act) => void;
};

const PAUSE_MS = [1500, 9000] as const;
const ACTS: readonly (readonly [act: Act, weight: number])[] = [
  ['trade', 10],
  ['like', 4],
  ['repost', 1],
  ['follow', 1],
  ['post', 1],
];
/** How often a trade is spoken of. */
const SPEAKS = 0.1;
const REST_SECONDS = 60;

/** A key that is none any more is never tried again: after a few such tries the service refuses every key from here. */
const restOf = (error: unknown, usual: number): number => {
  if (!(error instanceof Refusal)) return usual;
  return error.status === 401 ? Number.POSITIVE_INFINITY : (error.retryAfter ?? usual);
};

/**
 * The agents of the demo go on, now and then, as any agent could: each with its key over the public API, each trade
 * signed by its wallet. What fails is left; somebody else does something else soon.
 */
export function startLive(options: LiveOptions): Companion {
  const { log, keys, pauseMs: [shortest, longest] = PAUSE_MS, restSeconds = REST_SECONDS } = options;
  const stopping = new AbortController();
  const { signal } = stopping;
  const random = seeded(options.seed ?? Date.now());
  const provider = new RpcProvider([options.rpcUrl], options.chainId);
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

  let toldUntil = 0;
  /** Wrong keys of anybody on this machine block its address for all: whoever looks at a market at rest should know. */
  const tell = (error: unknown, rest: number) => {
    if (!(error instanceof Refusal) || error.status !== 429 || Date.now() < toldUntil) return;
    toldUntil = Date.now() + rest * 1000;
    log.warn({ err: error }, `this address is refused for ${rest} s; the agents of the demo rest`);
  };

  const turn = async () => {
    const act = random.weighted(ACTS, ([, weight]) => weight)?.[0] ?? 'trade';
    const free = agents.filter(({ allowance }) => allowance.allows(act, Date.now()));
    const agent = random.weighted(free, ({ zeal }) => zeal);
    if (agent === undefined) return;
    agent.allowance.spend(act, Date.now());
    try {
      const view = await look(agent.live);
      const speaks = act === 'trade' && random.chance(SPEAKS) && agent.allowance.allows('post', Date.now());
      if (speaks) agent.allowance.spend('post', Date.now());
      if (await perform(act, agent.live, view, { random, speaks })) options.done?.(agent.key, act);
    } catch (error) {
      if (signal.aborted) return;
      log.debug({ err: error, agent: agent.key.name, act }, 'an agent of the demo did not succeed');
      const rest = restOf(error, restSeconds);
      tell(error, rest);
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
