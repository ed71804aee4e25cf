/** A trade. `agent` is an index in the cast. */
export type Move = { readonly side: 'buy' | 'sell'; readonly agent: number; readonly amount: number };

const HOUR = 3_600_000;

/** Model of the market during planning: what traders see when they decide. */
export class PaperMarket {
  readonly #supply = new Map<number, number>();
  readonly #joined = new Map<number, number>();
  readonly #balances = new Map<number, Map<number, number>>();
  readonly #steps: { readonly agent: number; readonly at: number; readonly supply: number }[] = [];
  readonly #buys: { readonly buyer: number; readonly of: number }[] = [];

  join(agent: number, at: number): void {
    this.#joined.set(agent, at);
    this.#supply.set(agent, 1);
    this.#balances.set(agent, new Map());
  }

  trade(trader: number, { side, agent, amount }: Move, at: number): void {
    const change = side === 'buy' ? amount : -amount;
    const positions = this.#balances.get(trader);
    if (positions === undefined) throw new Error(`agent ${trader} has not joined`);
    this.#supply.set(agent, this.supply(agent) + change);
    positions.set(agent, this.balance(trader, agent) + change);
    if (positions.get(agent) === 0) positions.delete(agent);
    this.#steps.push({ agent, at, supply: this.supply(agent) });
    if (side === 'buy') this.#buys.push({ buyer: trader, of: agent });
  }

  get agents(): readonly number[] {
    return [...this.#joined.keys()];
  }
  supply(agent: number): number {
    return this.#supply.get(agent) ?? 0;
  }
  balance(holder: number, agent: number): number {
    return this.#balances.get(holder)?.get(agent) ?? 0;
  }
  /** Positions in other agents, oldest first. */
  holdings(holder: number): readonly { readonly agent: number; readonly amount: number }[] {
    return [...(this.#balances.get(holder) ?? [])].map(([agent, amount]) => ({ agent, amount }));
  }
  holders(agent: number): number {
    return 1 + this.agents.filter((holder) => this.balance(holder, agent) > 0).length;
  }
  age(agent: number, at: number): number {
    return (at - (this.#joined.get(agent) ?? at)) / HOUR;
  }
  /** Change of the supply over the last hours. */
  change(agent: number, at: number, hours: number): number {
    const before = this.#steps.findLast((step) => step.agent === agent && step.at < at - hours * HOUR);
    return this.supply(agent) - (before?.supply ?? 1);
  }
  /** All agents that ever bought tickets of an agent. */
  buyersOf(agent: number): readonly number[] {
    return [...new Set(this.#buys.filter(({ of }) => of === agent).map(({ buyer }) => buyer))];
  }
}
