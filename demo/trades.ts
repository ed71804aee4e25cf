import { priceChange, unitPrice } from '../src/values/curve.js';
import { formatEth } from '../src/values/money.js';
import { DAY_MS } from '../src/values/time.js';
import { type Character, cast, type Values } from './cast.js';
import type { Random } from './random.js';

/** What a trader sees of another agent. `owned`: number of the agent's tickets that the trader holds. */
export type Card = {
  readonly name: string;
  readonly totalSupply: number;
  readonly holderCount: number;
  readonly priceChange24h: number;
  readonly owned: number;
  /** Whether the agent holds tickets of the trader. */
  readonly isHolder: boolean;
};

/** How much a trading style likes an agent. Each point makes a purchase e times as likely, and a sale e times less likely. */
const likings: Readonly<Record<Character['style'], (card: Card) => number>> = {
  momentum: ({ priceChange24h }) => 2 * Math.sign(priceChange24h),
  contrarian: ({ priceChange24h }) => -2 * Math.sign(priceChange24h),
  value: ({ holderCount, totalSupply }) => 4 * (holderCount / totalSupply) - 2,
  maker: ({ priceChange24h, owned }) => (owned > 2 && priceChange24h > 0 ? -2 : 0),
  index: ({ owned }) => (owned === 0 ? 2 : -1),
  holder: ({ owned }) => (owned > 0 ? 3 : 2),
  loyal: ({ isHolder }) => (isHolder ? 3 : -2),
  scout: ({ totalSupply }) => (totalSupply < 8 ? 2 : -2),
  swing: ({ owned }) => (owned > 0 ? -2 : 1),
};

/** The agents move a supply around its level (`levelOf`) by up to this share of the level, or by one ticket if that is more. */
const SWAY = 0.2;
const MAX_AMOUNT = 3;
/**
 * Weight of a sale relative to a purchase. It makes up for fewer chances: an agent can buy everybody's tickets, but holds those of
 * only about every fourth agent.
 */
const SALE_WEIGHT = 3;
/**
 * Values for agents outside the cast, which other people register. The level admits a supply of 1 to 3, so the price rises by at
 * most 800 % after the registration.
 */
const STRANGER = { charm: 3, level: 2 };

const byName = new Map(cast.map((agent) => [agent.name, agent]));

export const charmOf = (name: string): number => byName.get(name)?.charm ?? STRANGER.charm;

/**
 * The supply around which the agents trade. It rises in waves during the history, and is constant after it. `progress`: the
 * fraction of the agent's history that has passed.
 */
export function levelOf(name: string, progress = 1): number {
  // A charm of 0 marks an agent outside the cast.
  const { charm, day } = byName.get(name) ?? { charm: 0, day: 0 };
  if (charm === 0) return STRANGER.level;
  const wave = 1 + 0.6 * (1 - progress) * Math.sin(14 * progress + 3 * day + charm);
  return 1 + Math.round((3 + 0.4 * charm ** 2) * progress * wave);
}

/** A trade that a trader decides to make. `about`: values for texts about the trade. */
export type Trade<C> = Readonly<{ side: 'buy' | 'sell'; target: C; amount: number; about: Values }>;

/**
 * Draws a trade that keeps the supply of its target near the level. The lower the supply, the likelier a purchase; the
 * higher, the likelier a sale. So prices and the total supply stay bounded, however long the market runs.
 */
export function chooseTrade<C extends Card>(
  style: Character['style'],
  cards: readonly C[],
  random: Random,
  level: (card: C) => number = ({ name }) => levelOf(name),
): Trade<C> | undefined {
  const options = cards.flatMap((target) => {
    const width = Math.max(1, Math.floor(level(target) * SWAY));
    const below = level(target) + width - target.totalSupply;
    const above = target.totalSupply - (level(target) - width);
    // Divided by the width, so that `below` and `above` count as shares of the range in which the supply moves.
    const [charm, liking] = [charmOf(target.name) / width, Math.exp(likings[style](target))];
    return [
      { side: 'buy' as const, target, most: below, weight: charm * below * liking },
      {
        side: 'sell' as const,
        target,
        most: Math.min(above, target.owned),
        weight: (SALE_WEIGHT * charm * above) / liking,
      },
    ];
  });
  const possible = options.filter(({ most }) => most > 0);
  const option = random.weighted(possible, ({ weight }) => weight);
  if (option === undefined) return undefined;
  const { side, target, most } = option;
  const amount = random.between(1, Math.min(MAX_AMOUNT, most));
  const supply = target.totalSupply + (side === 'buy' ? amount : -amount);
  const price = formatEth(unitPrice(BigInt(supply)));
  return { side, target, amount, about: { name: target.name, amount, supply, holders: target.holderCount, price } };
}

/** Model of the market while the history is built. It shows what traders see when they decide. */
export class PaperMarket<Agent extends { readonly name: string }> {
  /** Number of tickets by agent and holder. Each agent begins as the holder of its first ticket. */
  readonly #tickets = new Map<Agent, Map<Agent, number>>();
  readonly #log: { readonly at: number; readonly agent: Agent; readonly supply: number }[] = [];

  get agents(): readonly Agent[] {
    return [...this.#tickets.keys()];
  }

  join(agent: Agent): void {
    this.#tickets.set(agent, new Map([[agent, 1]]));
  }

  /** Changes the tickets that a trader holds: by a positive number for a purchase, by a negative one for a sale. */
  trade(trader: Agent, agent: Agent, change: number, at: number): void {
    const holders = this.#tickets.get(agent);
    const owned = (holders?.get(trader) ?? 0) + change;
    if (owned === 0) holders?.delete(trader);
    else holders?.set(trader, owned);
    this.#log.push({ at, agent, supply: this.supply(agent) });
  }

  supply(agent: Agent): number {
    return [...(this.#tickets.get(agent)?.values() ?? [])].reduce((sum, amount) => sum + amount, 0);
  }

  /** What the trader sees of every other agent at the time `now`. */
  cards(trader: Agent, now: number): (Card & { readonly agent: Agent })[] {
    const others = [...this.#tickets].filter(([agent]) => agent !== trader);
    return others.map(([agent, holders]) => {
      const totalSupply = this.supply(agent);
      const before = this.#log.findLast((entry) => entry.agent === agent && entry.at <= now - DAY_MS)?.supply ?? 1;
      const isHolder = this.#tickets.get(trader)?.has(agent) ?? false;
      const seen = { totalSupply, holderCount: holders.size, priceChange24h: priceChange(before, totalSupply) };
      return { agent, name: agent.name, ...seen, owned: holders.get(trader) ?? 0, isHolder };
    });
  }
}
