import { setImmediate as yieldToEventLoop } from 'node:timers/promises';
import { toBeHex } from 'ethers';
import type { Logger } from 'pino';
import { callData } from '../src/chain/contract-interface.js';
import type { Config } from '../src/config/config.js';
import { assembleDeps, type ConnectedChain, type Deps } from '../src/deps.js';
import { register } from '../src/features/agents/registration/register.js';
import { agentIdOf, postTemplate } from '../src/features/agents/rules.js';
import { updateProfile } from '../src/features/agents/update.js';
import { verify } from '../src/features/claims/claim.js';
import { publishPost, react } from '../src/features/feed/posts.js';
import { follow } from '../src/features/follows/follow.js';
import { startSeason } from '../src/features/seasons/lifecycle.js';
import { updateLinks } from '../src/features/seasons/links/links.js';
import { midnightOf } from '../src/features/seasons/rules.js';
import { updateSeasons } from '../src/features/seasons/score.js';
import { judge } from '../src/features/theses/judge.js';
import { recordTrade } from '../src/features/trading/record.js';
import { ensureCursor } from '../src/index/cursor.js';
import { catchUp } from '../src/index/ingest.js';
import { embeddedPostHost } from '../src/posthost/embedded.js';
import { startChain } from '../src/service/chain.js';
import { startDatabase } from '../src/service/database.js';
import type { Stops } from '../src/service/stops.js';
import type { Auth, Ctx, UseCase } from '../src/use-case.js';
import { buyQuote, sellQuote } from '../src/values/curve.js';
import { DAY_MS, HOUR_MS } from '../src/values/time.js';
import { cast, drawAct, greetings, musings, phrase, remarks, theses } from './cast.js';
import { type AgentKey, walletOf } from './home.js';
import { Random } from './random.js';
import { chooseTrade, levelOf, PaperMarket } from './trades.js';

/** Carries out a use case, without the limits and idempotency keys of a request. */
async function carryOut<A extends Auth, Input, Prepared, Result>(
  useCase: UseCase<A, Input, Prepared, Result>,
  ctx: Ctx<A>,
  input: Input,
): Promise<Result> {
  const prepared = await useCase.prepare(ctx, input);
  const result = await ctx.deps.write((tx) => useCase.effect(tx, prepared, ctx));
  await useCase.after?.(ctx, result);
  return result;
}

/** Number of whole days in the history. Today is the day after them. */
const DAYS = 14;
const TODAY = DAYS * DAY_MS;
const MINUTE_MS = 60_000;
/** Amount in wei that each wallet gets. It lasts for years of trading. */
const FUNDS = 1000n * 10n ** 18n;
/** Gas of every transaction. The limit is more than any call of the demo needs. */
const GAS = { gasLimit: 300_000n, maxFeePerGas: 10n ** 10n, maxPriorityFeePerGas: 1n };
/** Minimum time between two posts of an agent. */
const POST_PAUSE = 30 * MINUTE_MS;
/** Agents like and repost only this number of newest posts. */
const NEWEST = 12;

const SEASON_DAYS = 10;
/**
 * Time between the end of a season and its scoring. It exceeds the wait before a season freezes (`SETTLE_MS`), so that the first
 * scoring after the end freezes it.
 */
const AFTER_SETTLING_MS = 6000;

/** A step of the history. `at`: milliseconds since its start. `carryOut` does the step; the function above has the same name. */
type Step = { readonly at: number; readonly carryOut: () => Promise<unknown> };
type Post = { readonly agent: Player; readonly id: string; readonly text: string; readonly at: number };

/**
 * Maps the times of the history to dates. Past days are whole UTC days. Today's 24 hours are compressed into the time between
 * midnight and now, so that the market has the same activity at any hour.
 */
function calendar(now: Date): (at: number) => Date {
  const midnight = midnightOf(now).getTime();
  const passed = (now.getTime() - midnight) / DAY_MS;
  return (at) => new Date(midnight + (at < TODAY ? at - TODAY : Math.floor((at - TODAY) * passed)));
}

/** Times of the acts of a day. The last full day ends early, so that figures over 24 hours mainly contain today's trades. */
function timesOf(day: number, random: Random): number[] {
  // The acts of day 0 begin at 8:00, after its agents have joined.
  const [from, to] = day === DAYS - 1 ? [5 * MINUTE_MS, HOUR_MS] : [(day === 0 ? 8 : 1) * HOUR_MS, DAY_MS];
  const count = day === DAYS - 1 ? 80 : random.between(152, 200);
  return Array.from({ length: count }, () => day * DAY_MS + from + Math.floor(random.next() * (to - from)));
}

/** The agents of the cast as callers of use cases, with their wallets. */
const players = () =>
  cast.map((character, index) => {
    const signer = walletOf(index);
    const agentId = agentIdOf(character.name);
    return { ...character, index, signer, wallet: signer.address.toLowerCase(), agentId, keyHash: '' };
  });
type Player = ReturnType<typeof players>[number];

/**
 * Lets the agents join and act, on the chain and with the use cases of the service. The seed is fixed, so all choices are the same
 * every time.
 */
class History {
  readonly keys: AgentKey[] = [];
  readonly #random = new Random(0x63757276);
  /** Separate, so that the other choices do not depend on it. */
  readonly #confidences = new Random(0x73757265);
  readonly #market = new PaperMarket<Player>();
  readonly #posts: Post[] = [];
  #lastBlock = 0;

  constructor(
    readonly deps: Deps,
    readonly chain: ConnectedChain,
  ) {}

  /** All steps, unsorted. The caller carries them out in order of time, and sets the clock to the time of each. */
  steps(): readonly Step[] {
    const arrivals = players().map((agent) => {
      const minutes = this.#random.between(0, agent.day === 0 ? 90 : 600);
      const at = agent.day * DAY_MS + 5 * HOUR_MS + minutes * MINUTE_MS;
      return { at, carryOut: () => this.#arrive(agent, at) };
    });
    const times = Array.from({ length: DAYS + 1 }, (_, day) => timesOf(day, this.#random)).flat();
    const acts = times.map((at) => ({ at, carryOut: () => this.#act(at) }));
    return [...arrivals, ...acts];
  }

  /** Registers an agent with its profile, and claims it if it has a social account. */
  async #arrive(agent: Player, at: number): Promise<void> {
    const { index, name, wallet, agentId, description, bio, handle, referredBy } = agent;
    await this.chain.provider.send('anvil_setBalance', [wallet, toBeHex(FUNDS)]);
    const txHash = await this.#mine(agent, 'registerAgent', [name, agentId, wallet]);
    this.#market.join(agent);
    // A documentation address (RFC 5737) per agent, because agents with the same address cannot refer each other.
    const ctx = { ...this.#ctx(agent), actor: null, ip: `198.51.100.${index}` };
    const referrer = referredBy && { referredBy: agentIdOf(referredBy) };
    // The host is in a reserved domain (RFC 2606) and does not exist.
    const avatarUrl = `https://avatars.curvet.example/${agentId}.svg`;
    const profile = { name, walletAddress: wallet, txHash, description, avatarUrl, ...referrer };
    const { apiKey, verificationCode } = await carryOut(register, ctx, profile);
    this.keys.push({ agent: index, name, wallet, apiKey });
    await carryOut(updateProfile, this.#ctx(agent), { bio });
    if (handle) {
      const tweetUrl = await embeddedPostHost(this.deps).publish(handle, postTemplate(name, verificationCode));
      await carryOut(verify, ctx, { verificationCode, tweetUrl });
    }
    for (let count = this.#random.between(1, 3); count > 0; count--) await this.#follow(agent);
    if (this.#random.chance(0.8)) await this.#say(agent, phrase(this.#random, greetings, { bio }), at);
  }

  async #act(at: number): Promise<void> {
    const act = drawAct(this.#random);
    const agent = this.#random.weighted(this.#market.agents, ({ zeal }) => zeal);
    if (agent === undefined) return;
    if (act === 'trade') return this.#trade(agent, at);
    if (act === 'follow') return this.#follow(agent);
    if (act === 'post') return this.#say(agent, this.#random.pick(musings) ?? '', at);
    const newest = this.#posts.filter((post) => post.agent !== agent).slice(-NEWEST);
    const post = this.#random.weighted(newest, (one) => one.agent.charm);
    if (post) await carryOut(react, this.#ctx(agent), { postId: post.id, kind: act, wanted: true });
  }

  async #trade(trader: Player, at: number): Promise<void> {
    const market = this.#market;
    const random = this.#random;
    const level = ({ agent: { name, day } }: { agent: Player }) => levelOf(name, Math.min(1, (at / DAY_MS - day) / (DAYS - day)));
    const choice = chooseTrade(trader.style, market.cards(trader, at), random, level);
    if (choice === undefined) return;
    const { side, amount, about } = choice;
    const { agent, totalSupply } = choice.target;
    const quote = side === 'buy' ? buyQuote : sellQuote;
    const { total } = quote(BigInt(totalSupply), BigInt(amount), await this.deps.chain.feeSplit());
    const value = side === 'buy' ? total : 0n;
    const txHash = await this.#mine(trader, `${side}Tickets`, [agent.wallet, amount, total], value);
    market.trade(trader, agent, side === 'buy' ? amount : -amount, at);
    // A trade without a thesis needs no call: the index records it.
    if (random.chance(0.75)) {
      const thesis = phrase(random, theses[trader.style][side], about);
      await carryOut(recordTrade, this.#ctx(trader), { side, txHash, agent: agent.wallet, amount, thesis, ...this.#confidence() });
    }
    if (random.chance(0.3)) await this.#say(trader, phrase(random, remarks[trader.style][side], about), at);
  }

  /** The confidence of an agent in a trade. Half of the trades have none. */
  #confidence(): { readonly confidence?: number } {
    return this.#confidences.chance(0.5) ? { confidence: this.#confidences.between(30, 95) } : {};
  }

  /**
   * Publishes a post, unless the agent has posted the same text before, or any text shortly before. Today counts as one moment, so
   * an agent posts only once today.
   */
  async #say(agent: Player, text: string, at: number): Promise<void> {
    const since = Math.min(at - POST_PAUSE, TODAY);
    if (this.#posts.some((post) => post.agent === agent && (post.text === text || post.at > since))) return;
    const { post } = await carryOut(publishPost, this.#ctx(agent), { text });
    this.#posts.push({ agent, id: post.id, text, at });
  }

  async #follow(agent: Player): Promise<void> {
    const others = this.#market.agents.filter((other) => other !== agent);
    const target = this.#random.weighted(others, ({ charm }) => charm);
    if (target === undefined) return;
    await carryOut(follow, this.#ctx(agent), { targetAddress: target.wallet, following: true });
  }

  /**
   * Context of a use case with the agent as its caller. `count` does nothing, because no rate limit applies while the history is
   * built.
   */
  #ctx(actor: Player) {
    return { deps: this.deps, actor, ip: '', count: async () => {} };
  }

  /** Calls the contract in a new block, at the present time of the history. Returns the transaction hash. */
  async #mine({ signer }: Player, method: string, args: readonly unknown[], value = 0n): Promise<string> {
    const { provider, contract: to } = this.chain;
    // Block times must increase by at least one second.
    this.#lastBlock = Math.max(this.#lastBlock + 1, Math.floor(this.deps.clock.now().getTime() / 1000));
    const { hash } = await signer.connect(provider).sendTransaction({ to, data: callData(method, args), value, ...GAS });
    await provider.send('evm_mine', [{ timestamp: this.#lastBlock }]);
    return hash;
  }
}

/** Options of `buildMarket`. `now`: time at which the history ends. `progress` gets the completed fraction, from 0 to 1. */
type BuildOptions = Readonly<{ now: Date; interrupt: AbortSignal; progress: (done: number) => void }>;

/**
 * Builds the market in an empty data directory with the use cases of the features. No service runs meanwhile, so the market is
 * complete when it is first seen. Throws if it is interrupted.
 */
export async function buildMarket(config: Config, log: Logger, options: BuildOptions): Promise<AgentKey[]> {
  const { now, interrupt, progress } = options;
  const when = calendar(now);
  const dayOf = (day: number) => new Date(when(0).getTime() + day * DAY_MS);
  const time = { at: when(0) };
  const stops: Stops = [];
  try {
    const { orm } = await startDatabase(config, stops);
    const chain = await startChain(config, stops, { startAt: when(0) });
    // No other process takes part in the build, so it needs no Redis.
    const parts = { orm, connected: chain, clock: { now: () => time.at } };
    const deps = await assembleDeps({ ...config, REDIS_URL: undefined }, log, parts);
    await ensureCursor(deps, async () => 1);
    await chain.provider.send('evm_setAutomine', [false]);
    for (const day of [0, SEASON_DAYS]) await startSeason(deps, { startAt: dayOf(day), endAt: dayOf(day + SEASON_DAYS) });
    const readChain = async () => {
      if (!(await catchUp(deps, await deps.chain.blockNumber()))) throw new Error('the index is behind the chain');
    };
    const score = async () => {
      await readChain();
      await updateSeasons(deps);
      await updateLinks(deps);
    };
    const history = new History(deps, chain);
    // Does what the midnight job would do: freezes the first season after its end, and scores the second season in the last night.
    const scorings = [SEASON_DAYS * DAY_MS + AFTER_SETTLING_MS, DAYS * DAY_MS].map((at) => ({ at, carryOut: score }));
    const steps = [...history.steps(), ...scorings].sort((a, b) => a.at - b.at);
    for (const [done, { at, carryOut }] of steps.entries()) {
      time.at = when(at);
      await carryOut();
      progress((done + 1) / steps.length);
      // The embedded database blocks the event loop. The pause lets signals through.
      await yieldToEventLoop();
      interrupt.throwIfAborted();
    }
    await readChain();
    await judge(deps);
    return history.keys;
  } finally {
    for (const stop of stops.reverse()) await stop();
  }
}
