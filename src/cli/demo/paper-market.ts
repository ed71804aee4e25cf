import { priceChange } from '../../features/pricing/rules.js';
import { DAY_MS } from '../../time.js';
import type { Card } from './trades.js';

/** Model of the market during planning: what traders see when they decide. */
export class PaperMarket<Agent extends { readonly name: string }> {
  /** Tickets by agent and holder. Each agent holds its first ticket. */
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

  /** What a trader sees of all other agents. */
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
