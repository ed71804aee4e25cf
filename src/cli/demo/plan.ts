import { unitPrice } from '../../features/pricing/rules.js';
import { midnightOf } from '../../features/seasons/rules.js';
import { formatEth } from '../../money.js';
import { DAY_MS, HOUR_MS } from '../../time.js';
import { type Character, cast, greetings, musings, phrase, remarks, theses } from './cast.js';
import { type Move, PaperMarket } from './paper-market.js';
import { Random } from './random.js';
import { drift, outlookOf, styles } from './styles.js';

/**
 * An event in the history of the demo. `at` is in milliseconds since the start of the market, `post` counts posts in the order
 * of the plan, and `supply` is the supply before the trade.
 */
export type PlannedEvent = { readonly at: number; readonly agent: Character } & (
  | { readonly kind: 'join' | 'profile' | 'claim' | 'refer' }
  | { readonly kind: 'trade'; readonly move: Move; readonly supply: number; readonly thesis: string | null }
  | { readonly kind: 'follow'; readonly target: Character }
  | { readonly kind: 'post'; readonly text: string; readonly post: number }
  | { readonly kind: 'like' | 'repost'; readonly post: number }
);

/** Length of the history in whole days. The day after it is today. */
export const DAYS = 14;
/** Length of a season in days. */
export const SEASON_DAYS = 10;
const TODAY = DAYS * DAY_MS;
const MINUTE_MS = 60_000;

/** Minimum time between two posts of an agent. It keeps the posting limits even if today is short (see calendar). */
const POST_PAUSE = 30 * MINUTE_MS;
const TODAYS_POSTS = 2;

/**
 * Maps the plan's times to dates. Past days are whole UTC days. Today's 24 planned hours are compressed into the time between
 * midnight and now, so that the market has the same activity at any hour.
 */
export function calendar(now: Date): (at: number) => Date {
  const midnight = midnightOf(now).getTime();
  const passed = (now.getTime() - midnight) / DAY_MS;
  return (at) => new Date(midnight + (at < TODAY ? at - TODAY : Math.floor((at - TODAY) * passed)));
}

/** All events of the plan, in order of time. Each call returns the same plan. `market`: an empty market that gets the trades. */
export function planMarket(market = new PaperMarket()): readonly PlannedEvent[] {
  const random = new Random(0x63757276);
  const planner = new Planner(market, random);
  const arrivals = cast.map((agent) => {
    const at = agent.day * DAY_MS + 5 * HOUR_MS + random.between(0, agent.day === 0 ? 90 : 600) * MINUTE_MS;
    return { at, plan: () => planner.arrive(agent, at) };
  });
  const days = Array.from({ length: DAYS + 1 }, (_, day) => tradingTimes(day, random));
  const trades = days.flat().map((at) => ({ at, plan: () => planner.trade(at) }));
  for (const { plan } of [...arrivals, ...trades].sort((a, b) => a.at - b.at)) plan();
  planner.planMusings();
  planner.planReactions();
  return planner.events.sort((a, b) => a.at - b.at);
}

/** Trading on the last full day ends early, so that figures over 24 hours mainly contain today's trades. */
function tradingTimes(day: number, random: Random): number[] {
  const [from, to] = day === DAYS - 1 ? [5 * MINUTE_MS, HOUR_MS] : [(day === 0 ? 8 : 1) * HOUR_MS, DAY_MS];
  const count = day === DAYS - 1 ? 8 : day === DAYS ? 22 : random.between(18, 28);
  return Array.from({ length: count }, () => day * DAY_MS + from + Math.floor(random.next() * (to - from)));
}

/** Plans arrivals and trades one by one, with the posts, follows and reactions that result from them. */
class Planner {
  readonly events: PlannedEvent[] = [];
  readonly #posts: { readonly agent: Character; readonly text: string; readonly at: number }[] = [];
  readonly #following = new Set<string>();

  constructor(
    readonly market: PaperMarket,
    readonly random: Random,
  ) {}

  arrive(agent: Character, at: number): void {
    const { random, market } = this;
    const others = market.agents;
    market.now = at;
    market.join(agent);
    this.events.push({ kind: 'join', agent, at });
    this.events.push({ kind: 'profile', agent, at: at + random.between(50_000, 170_000) });
    const claimAt = agent.handle && at + random.between(3 * MINUTE_MS, 40 * MINUTE_MS);
    if (claimAt) this.events.push({ kind: 'claim', agent, at: claimAt });
    // The agent names its referrer three hours later, because the referrer must be claimed by then.
    if (agent.referredBy) this.events.push({ kind: 'refer', agent, at: at + 3 * HOUR_MS });
    const greeting = phrase(random, greetings, agent);
    if (random.chance(0.8)) this.#say(agent, greeting, at + random.between(5 * MINUTE_MS, 50 * MINUTE_MS));
    for (let count = random.between(1, 3); count > 0; count--) {
      const target = random.weighted(others, ({ charm }) => charm);
      if (target) this.#follow(agent, target, at, random.between(4 * MINUTE_MS, 90 * MINUTE_MS));
    }
  }

  trade(at: number): void {
    const { market, random } = this;
    market.now = at;
    const agent = random.weighted(market.agents, ({ zeal }) => zeal);
    if (agent === undefined) return;
    const outlook = outlookOf(market, agent, random);
    const styled = styles[agent.style](outlook);
    const manner = styled ? agent.style : 'drift';
    const move = styled ?? drift(outlook);
    if (move === null) return;
    const supply = market.supply(move.agent);
    market.trade(agent, move);
    const about = this.#valuesOf(move);
    const thesis = random.chance(0.75) ? phrase(random, theses[manner][move.side], about) : null;
    this.events.push({ kind: 'trade', agent, move, supply, thesis, at });
    if (random.chance(0.34)) {
      const remark = phrase(random, remarks[manner][move.side], about);
      this.#say(agent, remark, at + random.between(40_000, 900_000));
    }
    if (move.side === 'buy' && random.chance(0.4)) {
      this.#follow(agent, move.agent, at, random.between(20_000, 600_000));
    }
  }

  /** Plans one post per day without a trade, by an agent that has joined before. */
  planMusings(): void {
    musings.forEach((musing, day) => {
      const talker = this.random.pick(cast.filter((agent) => agent.day < Math.max(day, 1)));
      const at = day * DAY_MS + this.random.between(8 * HOUR_MS, 22 * HOUR_MS);
      if (talker) this.#say(talker, musing, at);
    });
  }

  /** Plans likes and reposts. Agents with more charm get more. */
  planReactions(): void {
    const { random } = this;
    this.#posts.forEach(({ agent, text, at }, post) => {
      this.events.push({ kind: 'post', agent, text, post, at });
      const readers = cast.filter((reader) => reader !== agent && reader.day < Math.floor(at / DAY_MS));
      for (const reader of readers) {
        if (!random.chance(0.02 + agent.charm / 70)) continue;
        this.#soon({ kind: 'like', agent: reader, post, at: at + random.between(MINUTE_MS, 5 * HOUR_MS) }, at);
        if (random.chance(0.25)) {
          this.#soon({ kind: 'repost', agent: reader, post, at: at + random.between(MINUTE_MS, 6 * HOUR_MS) }, at);
        }
      }
    });
  }

  /** Values for the texts about a trade that was just made. */
  #valuesOf({ agent: { name }, agent, amount }: Move) {
    const supply = this.market.supply(agent);
    return { name, amount, supply, holders: this.market.holders(agent), price: formatEth(unitPrice(BigInt(supply))) };
  }

  /** Plans a post, unless the agent has the same text already or posted shortly before or after. */
  #say(agent: Character, text: string, at: number): void {
    const earlier = this.#posts.filter((post) => post.agent === agent);
    if (earlier.some((post) => post.text === text || Math.abs(post.at - at) < POST_PAUSE)) return;
    if (at >= TODAY && earlier.filter((post) => post.at >= TODAY).length >= TODAYS_POSTS) return;
    if (at < TODAY + DAY_MS) this.#posts.push({ agent, text, at });
  }

  #follow(agent: Character, target: Character, from: number, delay: number): void {
    const pair = `${agent.name} ${target.name}`;
    if (agent === target || this.#following.has(pair)) return;
    this.#following.add(pair);
    this.#soon({ kind: 'follow', agent, target, at: from + delay }, from);
  }

  /**
   * Adds a consequence of an event at `from`. Drops it if it would happen after today, or today although its cause was
   * on an earlier day.
   */
  #soon(event: PlannedEvent, from: number): void {
    const end = from < TODAY ? TODAY : TODAY + DAY_MS;
    if (event.at < end) this.events.push(event);
  }
}
