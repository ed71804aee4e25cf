import { setTimeout as delay } from 'node:timers/promises';
import type { TransactionRequest } from 'ethers';
import type { Logger } from 'pino';
import { RpcProvider } from '../../chain/rpc.js';
import type { Service } from '../../service/service.js';
import type { Companion } from '../serve.js';
import { type Character, cast, musings, phrase, remarks, theses } from './cast.js';
import { type Card, chooseTrade, type Holding, traitsOf } from './choose-trade.js';
import { type AgentKey, walletOf } from './home.js';
import { Random } from './random.js';
import { type Act, Allowance, nextTurn } from './turns.js';

/** Range of the pause between two acts. */
export const PAUSE_MS = [1500, 9000] as const;
/** Pause of an agent after a failed act. */
const REST_SECONDS = 60;
/** Probability of a post after a trade. */
const SPEAK_PROBABILITY = 0.1;
/** Ether for the fee of a transaction. */
const FEE = 10n ** 15n;
const RECEIPT_MS = 5000;

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
  const agents = keys.map((key) => liveAgent(key, url, provider, signal));
  let warnedUntil = 0;
  /** Seconds that an agent pauses after an error. */
  const restAfter = (error: unknown): number => {
    const response = error instanceof Error && error.cause;
    if (!(response instanceof Response)) return restSeconds;
    // A refused key is not used again: repeated failures would block this address for all keys.
    if (response.status === 401) return Number.POSITIVE_INFINITY;
    const rest = Number(response.headers.get('retry-after')) || restSeconds;
    // Wrong keys of any local client make the service refuse this address. One warning tells why the market is still.
    if (response.status === 429 && Date.now() >= warnedUntil) {
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

const liveAgent = (key: AgentKey, url: string, provider: RpcProvider, signal: AbortSignal) => ({
  ...{ key, character: cast[key.agent] as Character, allowance: new Allowance(), provider },
  signer: walletOf(key.agent).connect(provider),
  /** Asks the public API: with POST if there is a body, otherwise with GET. */
  async ask(path: string, body?: Json): Promise<Json> {
    const method = body ? 'POST' : 'GET';
    const headers = { 'x-api-key': key.apiKey, 'content-type': 'application/json' };
    const response = await fetch(url + path, { method, headers, signal, body: JSON.stringify(body) });
    const answer = (await response.json()) as Json;
    if (response.ok && !answer.errors) return answer;
    const why = answer.error ?? JSON.stringify(answer.errors);
    throw new Error(`${method} ${path}: ${response.status} ${why}`, { cause: response });
  },
});
type LiveAgent = ReturnType<typeof liveAgent>;
type Json = Record<string, unknown>;

const VIEW_QUERY = `{
  agents(first: 60, sort: VOLUME) { nodes { walletAddress name totalSupply holderCount ticketPriceEth } }
  me { agent { holdings(first: 40) { nodes { agentAddress amount } } } }
  feed(type: STATUS, first: 12) { nodes { id agentAddress ... on StatusEvent { like: isLiked repost: isReposted } } }
}`;

type Nodes<T> = { readonly nodes: readonly T[] };
type LiveCard = Card & { readonly holderCount: number; readonly ticketPriceEth: string };
type Trade = { readonly side: 'buy' | 'sell'; readonly target: LiveCard; readonly amount: number };
type View = {
  readonly agents: Nodes<LiveCard>;
  readonly me: { readonly agent: { readonly holdings: Nodes<Holding> } };
  readonly feed: Nodes<Readonly<{ id: string; agentAddress: string; like: boolean; repost: boolean }>>;
};

/** Lets an agent act. Returns false if the agent has nothing to do. */
async function perform(act: Act, agent: LiveAgent, random: Random): Promise<boolean> {
  const { key, ask } = agent;
  const view = (await ask('/graphql', { query: VIEW_QUERY })).data as View;
  const others = view.agents.nodes.filter(({ walletAddress }) => walletAddress !== key.wallet);
  if (act === 'trade') {
    const choice = chooseTrade(agent.character.style, others, view.me.agent.holdings.nodes, random);
    if (choice === undefined) return false;
    await trade(agent, choice, random);
  } else if (act === 'post') {
    await ask('/api/feed', { text: random.pick(musings) });
  } else if (act === 'follow') {
    const target = random.weighted(others, ({ name }) => traitsOf(name).charm);
    if (target === undefined) return false;
    await ask('/api/agents/follow', { targetAddress: target.walletAddress, following: true });
  } else {
    const post = random.pick(view.feed.nodes.filter((post) => post.agentAddress !== key.wallet && !post[act]));
    if (post === undefined) return false;
    await ask(`/api/feed/${post.id}/${act}`, act === 'like' ? { liked: true } : { reposted: true });
  }
  return true;
}

async function trade(agent: LiveAgent, { side, target, amount }: Trade, random: Random): Promise<void> {
  const { ask, character, allowance } = agent;
  const { name, walletAddress: agentAddress, holderCount: holders, ticketPriceEth: price } = target;
  const about = { name, amount, holders, price, supply: target.totalSupply + (side === 'buy' ? amount : -amount) };
  const txHash = await send(agent, side, agentAddress, amount);
  const thesis = random.chance(0.6) ? phrase(random, theses[character.style][side], about) : undefined;
  await ask(`/api/tickets/${side}`, { txHash, agentAddress, amount, thesis });
  if (random.chance(SPEAK_PROBABILITY) && allowance.allows('post', Date.now())) {
    allowance.spend('post', Date.now());
    await ask('/api/feed', { text: phrase(random, remarks[character.style][side], about) });
  }
}

/** Signs and sends the transaction of a quote, and waits for its receipt. Returns its hash. */
async function send({ ask, signer, provider }: LiveAgent, action: string, agent: string, amount: number) {
  const { address } = signer;
  const query = new URLSearchParams({ action, agent, amount: String(amount), walletAddress: address });
  const request = (await ask(`/api/tickets/quote?${query}`)).transaction as TransactionRequest;
  const isShort = (await provider.getBalance(address)) < BigInt(request.value ?? 0) + FEE;
  if (isShort) await ask('/dev/faucet', { address });
  const sent = await signer.sendTransaction(request);
  // Throws if the transaction failed.
  await sent.wait(1, RECEIPT_MS);
  return sent.hash;
}
