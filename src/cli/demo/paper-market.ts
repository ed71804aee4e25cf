import { HOUR_MS } from '../../time.js';
import type { Character } from './cast.js';

type Holding = { readonly agent: Character; readonly amount: number };
export type Move = Holding & { readonly side: 'buy' | 'sell' };

/** Model of the market during planning: what traders see when they decide. */
export class PaperMarket {
  /** Current time in milliseconds. */
  now = 0;
  readonly #joined = new Map<Character, number>();
  /** Positions by holder, oldest first. */
  readonly #positions = new Map<Character, Map<Character, number>>();
  readonly #trades: (Move & { readonly trader: Character; readonly at: number; readonly supply: number })[] = [];

  join(agent: Character): void {
    this.#joined.set(agent, this.now);
    this.#positions.set(agent, new Map());
  }

  trade(trader: Character, move: Move): void {
    const { side, agent, amount } = move;
    const change = side === 'buy' ? amount : -amount;
    const balance = this.balance(trader, agent) + change;
    if (balance === 0) this.#positions.get(trader)?.delete(agent);
    else this.#positions.get(trader)?.set(agent, balance);
    this.#trades.push({ ...move, trader, at: this.now, supply: this.supply(agent) + change });
  }

  get agents(): readonly Character[] {
    return [...this.#joined.keys()];
  }
  /** Supply before a time. */
  supply(agent: Character, before = Number.POSITIVE_INFINITY): number {
    return this.#trades.findLast((trade) => trade.agent === agent && trade.at < before)?.supply ?? 1;
  }
  /** Change of the supply over the last hours. */
  change(agent: Character, hours: number): number {
    return this.supply(agent) - this.supply(agent, this.now - hours * HOUR_MS);
  }
  balance(holder: Character, agent: Character): number {
    return this.#positions.get(holder)?.get(agent) ?? 0;
  }
  holdings(holder: Character): readonly Holding[] {
    return [...(this.#positions.get(holder) ?? [])].map(([agent, amount]) => ({ agent, amount }));
  }
  holders(agent: Character): number {
    return 1 + this.agents.filter((holder) => this.balance(holder, agent) > 0).length;
  }
  /** Hours since the agent joined. */
  age(agent: Character): number {
    return (this.now - (this.#joined.get(agent) ?? this.now)) / HOUR_MS;
  }
  /** All agents that ever bought tickets of an agent. */
  buyersOf(agent: Character): readonly Character[] {
    return this.#trades.filter((trade) => trade.agent === agent && trade.side === 'buy').map(({ trader }) => trader);
  }
}
