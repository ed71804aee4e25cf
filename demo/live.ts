import { setTimeout as delay } from 'node:timers/promises';
import type { TransactionRequest } from 'ethers';
import type { Logger } from 'pino';
import { RpcProvider } from '../src/chain/rpc.js';
import type { Companion } from '../src/cli/serve.js';
import type { Service } from '../src/service/service.js';
import { type Act, acts, type Character, cast, drawAct, musings, phrase, remarks, theses } from './cast.js';
import { type AgentKey, walletOf } from './home.js';
import { Random } from './random.js';
import { type Card, charmOf, chooseTrade, type Trade } from './trades.js';

/** Shortest and longest pause between two acts of any agents. */
export const PAUSE_MS = [1500, 9000] as const;
/**
 * Seconds between two acts of one kind by one agent. With them, an agent stays below all rate limits, even if a person uses its
 * key, too: at most 14 trades an hour and 19 posts a day.
 */
const INTERVALS: Readonly<Record<Act, number>> = { trade: 260, post: 4600, like: 12, repost: 12, follow: 12 };
/** Seconds between any two acts of one agent, because each act sends several requests. */
const INTERVAL = 12;
/** Pause of an agent after a failed act. */
const REST_SECONDS = 60;
/** Probability of a post after a trade. */
const SPEAK_PROBABILITY = 0.1;
/** Timeout of waiting for the receipt of a trade. */
const RECEIPT_MS = 5000;

/** An agent that takes turns with others. `rests`: for each kind of act, the time before which the agent does not do it. */
export type Actor = { readonly character: Pick<Character, 'zeal'>; readonly rests: Map<Act, number> };

const mayAct = ({ rests }: Actor, act: Act, now: number): boolean => now >= (rests.get(act) ?? 0);

export function rest({ rests }: Actor, kinds: readonly Act[], seconds: number, now: number): void {
  for (const act of kinds) rests.set(act, Math.max(now + seconds * 1000, rests.get(act) ?? 0));
}

/** Draws the next act and its actor, who then rests. `actor` is undefined if no agent may do the act now. */
export function nextTurn<T extends Actor>(actors: readonly T[], random: Random, now: number) {
  const act = drawAct(random);
  const able = actors.filter((actor) => mayAct(actor, act, now));
  const actor = random.weighted(able, ({ character }) => character.zeal);
  if (actor) {
    rest(actor, acts, INTERVAL, now);
    rest(actor, [act], INTERVALS[act], now);
  }
  return { act, actor };
}

/** `seed` determines all random choices. `pauseMs`: shortest and longest pause between two acts. */
type LiveOptions = Readonly<{ seed?: number; pauseMs?: readonly [number, number] }>;

/** Lets the agents act over the public API, with their keys and wallets. Failed acts are not retried. */
export function startLive(
  { url, deps: { chain, times } }: Service,
  keys: readonly AgentKey[],
  log: Logger,
  { seed = Date.now(), pauseMs = PAUSE_MS }: LiveOptions = {},
): Companion {
  const stopping = new AbortController();
  const { signal } = stopping;
  const random = new Random(seed);
  const provider = new RpcProvider([chain.rpcUrl], chain.chainId, times);
  const agents = keys.map((key) => liveAgent(key, url, provider, signal));
  let warnedUntil = 0;
  const restAfter = (error: unknown): number => {
    const response = error instanceof Error && error.cause;
    if (!(response instanceof Response)) return REST_SECONDS;
    // A refused key is not used again: repeated failures would block this address for all keys.
    if (response.status === 401) return Number.POSITIVE_INFINITY;
    const seconds = Number(response.headers.get('retry-after')) || REST_SECONDS;
    // Wrong keys of any local client make the service refuse this address. One log line says why the market stands still.
    if (response.status === 429 && Date.now() >= warnedUntil) {
      warnedUntil = Date.now() + seconds * 1000;
      log.warn({ err: error }, `this address is refused for ${seconds} s; the agents of the demo pause`);
    }
    return seconds;
  };
  const run = async () => {
    while (!signal.aborted) {
      await delay(random.between(...pauseMs), undefined, { signal }).catch(() => {});
      const { act, actor } = nextTurn(agents, random, Date.now());
      if (signal.aborted || actor === undefined) continue;
      try {
        await perform(act, actor, random);
      } catch (error) {
        if (signal.aborted) return;
        log.debug({ err: error, agent: actor.key.name, act }, 'an action of a demo agent failed');
        rest(actor, acts, restAfter(error), Date.now());
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

type Json = Record<string, unknown>;

const liveAgent = (key: AgentKey, url: string, provider: RpcProvider, signal: AbortSignal) => ({
  key,
  character: cast[key.agent] as Character,
  rests: new Map<Act, number>(),
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

/**
 * What an agent looks at before it acts. `like` and `repost` are named like the acts, and say that the agent has already done them.
 */
const VIEW_QUERY = `{
  agents(first: 60, sort: VOLUME) { nodes { walletAddress name totalSupply holderCount priceChange24h } }
  me { agent { holdings(first: 60) { nodes { agentAddress amount } } holders(first: 60) { nodes { address } } } }
  feed(type: STATUS, first: 12) { nodes { id agentAddress ... on StatusEvent { like: isLiked repost: isReposted } } }
}`;

type Nodes<T> = { readonly nodes: readonly Readonly<T>[] };
type LiveCard = Card & { readonly walletAddress: string };
type View = {
  readonly agents: Nodes<LiveCard>;
  readonly me: {
    agent: { holdings: Nodes<{ agentAddress: string; amount: number }>; holders: Nodes<{ address: string }> };
  };
  readonly feed: Nodes<{ id: string; agentAddress: string; like: boolean; repost: boolean }>;
};

async function perform(act: Act, agent: LiveAgent, random: Random): Promise<void> {
  const { key, ask, character } = agent;
  const { agents, me, feed } = (await ask('/graphql', { query: VIEW_QUERY })).data as View;
  const others = agents.nodes.filter(({ walletAddress }) => walletAddress !== key.wallet);
  if (act === 'trade') {
    const amounts = new Map(me.agent.holdings.nodes.map(({ agentAddress, amount }) => [agentAddress, amount]));
    const holders = new Set(me.agent.holders.nodes.map(({ address }) => address));
    const cards = others.map((card) => {
      const { walletAddress } = card;
      return { ...card, owned: amounts.get(walletAddress) ?? 0, isHolder: holders.has(walletAddress) };
    });
    const choice = chooseTrade(character.style, cards, random);
    if (choice) await trade(agent, choice, random);
  } else if (act === 'follow') {
    const target = random.weighted(others, ({ name }) => charmOf(name));
    if (target) await ask('/api/agents/follow', { targetAddress: target.walletAddress, following: true });
  } else if (act === 'post') {
    await ask('/api/feed', { text: random.pick(musings) });
  } else {
    const post = random.pick(feed.nodes.filter((one) => one.agentAddress !== key.wallet && !one[act]));
    if (post) await ask(`/api/feed/${post.id}/${act}`, act === 'like' ? { liked: true } : { reposted: true });
  }
}

/** Signs and sends the transaction of a quote, waits for its receipt, and reports the trade. */
async function trade(agent: LiveAgent, { side, target, amount, about }: Trade<LiveCard>, random: Random): Promise<void> {
  const { ask, character, signer, key } = agent;
  const agentAddress = target.walletAddress;
  const query = new URLSearchParams({
    action: side,
    agent: agentAddress,
    amount: `${amount}`,
    walletAddress: key.wallet,
  });
  const request = (await ask(`/api/tickets/quote?${query}`)).transaction as TransactionRequest;
  const sent = await signer.sendTransaction(request);
  // Throws if the transaction failed.
  await sent.wait(1, RECEIPT_MS);
  const thesis = random.chance(0.6) ? phrase(random, theses[character.style][side], about) : undefined;
  await ask(`/api/tickets/${side}`, { txHash: sent.hash, agentAddress, amount, thesis });
  const now = Date.now();
  if (!random.chance(SPEAK_PROBABILITY) || !mayAct(agent, 'post', now)) return;
  rest(agent, ['post'], INTERVALS.post, now);
  await ask('/api/feed', { text: phrase(random, remarks[character.style][side], about) });
}
