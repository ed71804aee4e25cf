import { unitPrice } from '../../../core/pricing/rules.js';
import { formatEth } from '../../../money.js';
import { type Character, cast } from './cast.js';
import type { Move, PaperMarket } from './paper-market.js';
import { DAY, DAYS, HOUR, MINUTE, type PlannedEvent } from './planned-event.js';
import type { Random } from './random.js';
import { drift, styles } from './styles.js';
import { greetings, musings, phrase, remarks, type Subject, theses, ticketsInWords } from './words.js';

/** Minimum time between two posts of an agent. It keeps the posting limits even if today is short (see calendar.ts). */
const POST_PAUSE = 30 * MINUTE;
const TODAYS_POSTS = 2;

const characterOf = (agent: number): Character => cast[agent] as Character;

/** Plans arrivals and trades one by one, with the posts, follows and reactions that result from them. */
export class Planner {
  readonly events: PlannedEvent[] = [];
  readonly #posts: { readonly agent: number; readonly text: string; readonly at: number }[] = [];
  readonly #following = new Set<string>();

  constructor(
    readonly market: PaperMarket,
    readonly random: Random,
  ) {}

  arrive(agent: number, at: number): void {
    const { random, market } = this;
    const { handle, bio, referredBy } = characterOf(agent);
    const others = market.agents;
    market.join(agent, at);
    this.events.push({ kind: 'join', agent, at });
    this.events.push({ kind: 'profile', agent, at: at + random.between(50_000, 170_000) });
    if (handle) this.events.push({ kind: 'claim', agent, at: at + random.between(3 * MINUTE, 40 * MINUTE) });
    // The agent names its referrer three hours later, because the referrer must be claimed by then.
    if (referredBy !== undefined) this.events.push({ kind: 'refer', agent, at: at + 3 * HOUR });
    const greeting = phrase(random, greetings, { bio });
    if (random.chance(0.8)) this.#say(agent, greeting, at + random.between(5 * MINUTE, 50 * MINUTE));
    for (let count = random.between(1, 3); count > 0; count--) {
      const target = random.weighted(others, (other) => characterOf(other).charm);
      if (target !== undefined) this.#follow(agent, target, at, random.between(4 * MINUTE, 90 * MINUTE));
    }
  }

  trade(at: number): void {
    const { market, random } = this;
    const agent = random.weighted(market.agents, (candidate) => characterOf(candidate).zeal);
    if (agent === undefined) return;
    const { style } = characterOf(agent);
    const styled = styles[style](market, agent, at, random);
    const manner = styled ? style : 'drift';
    const move = styled ?? drift(market, agent, at, random);
    if (move === null) return;
    market.trade(agent, move, at);
    const about = this.#subject(move);
    const thesis = random.chance(0.75) ? phrase(random, theses[manner][move.side], about) : null;
    this.events.push({ kind: 'trade', agent, move, thesis, at });
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
      const talkers = [...cast.keys()].filter((agent) => characterOf(agent).day <= day - 1 || day === 0);
      const talker = this.random.pick(talkers.filter((agent) => characterOf(agent).day === 0 || day > 0));
      const at = day * DAY + this.random.between(8 * HOUR, 22 * HOUR);
      if (talker !== undefined) this.#say(talker, musing, at);
    });
  }

  /** Plans likes and reposts. Agents with more charm get more. */
  planReactions(): void {
    const { random } = this;
    this.#posts.forEach(({ agent, text, at }, post) => {
      this.events.push({ kind: 'post', agent, text, post, at });
      for (const reader of cast.keys()) {
        const here = characterOf(reader).day < Math.floor(at / DAY);
        if (reader === agent || !here || !random.chance(0.02 + characterOf(agent).charm / 70)) continue;
        this.#soon({ kind: 'like', agent: reader, post, at: at + random.between(MINUTE, 5 * HOUR) }, at);
        if (random.chance(0.25)) {
          this.#soon({ kind: 'repost', agent: reader, post, at: at + random.between(MINUTE, 6 * HOUR) }, at);
        }
      }
    });
  }

  #subject({ agent, amount }: Move): Subject {
    const supply = this.market.supply(agent);
    const price = formatEth(unitPrice(BigInt(supply)));
    const { name } = characterOf(agent);
    return { name, tickets: ticketsInWords(amount), supply, holders: this.market.holders(agent), price };
  }

  /** Plans a post, unless the agent has the same text already or posted shortly before or after. */
  #say(agent: number, text: string, at: number): void {
    const earlier = this.#posts.filter((post) => post.agent === agent);
    if (earlier.some((post) => post.text === text || Math.abs(post.at - at) < POST_PAUSE)) return;
    if (at >= DAYS * DAY && earlier.filter((post) => post.at >= DAYS * DAY).length >= TODAYS_POSTS) return;
    if (at < (DAYS + 1) * DAY) this.#posts.push({ agent, text, at });
  }

  #follow(agent: number, target: number, from: number, delay: number): void {
    const pair = `${agent} ${target}`;
    if (agent === target || this.#following.has(pair)) return;
    this.#following.add(pair);
    this.#soon({ kind: 'follow', agent, target, at: from + delay }, from);
  }

  /**
   * Adds a consequence of an event at `from`. Drops it if it would happen after today, or today although its cause was
   * on an earlier day.
   */
  #soon(event: PlannedEvent, from: number): void {
    const crosses = from < DAYS * DAY && event.at >= DAYS * DAY;
    if (!crosses && event.at < (DAYS + 1) * DAY) this.events.push(event);
  }
}
