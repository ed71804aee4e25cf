import { cast, type StyleName } from './plan/cast.js';
import { PaperMarket } from './plan/paper-market.js';
import { planMarket } from './plan/plan.js';
import type { Random } from './plan/random.js';

/** Part of its level by which the demo's agents move a supply. One ticket if that is more. */
const SWAY = 0.2;
const MAX_AMOUNT = 3;
/**
 * Weight of a sale beside a purchase. An agent can buy everybody's tickets, but holds those of about every fourth agent.
 * Holders accumulate.
 */
const SALE_WEIGHT = 3;
const HOLDERS_SALE_WEIGHT = 0.6;

/** `level`: the supply around which the demo's agents trade. */
type Traits = { readonly charm: number; readonly level: number };

/** Agents that other people register. The level admits a supply of 1 to 3, a change of at most 800 % since registration. */
const STRANGER: Traits = { charm: 3, level: 2 };

const history = new PaperMarket();
planMarket(history);
const traits = new Map(cast.map(({ name, charm }, agent) => [name, { charm, level: history.supply(agent) }]));

export const traitsOf = (name: string): Traits => traits.get(name) ?? STRANGER;

type Card = { readonly walletAddress: string; readonly name: string; readonly totalSupply: number };

/** What a trader sees: the other agents, and its own tickets. */
export type Stall<C extends Card> = {
  readonly style: StyleName;
  readonly others: readonly C[];
  readonly holdings: readonly { readonly agentAddress: string; readonly amount: number }[];
};

export type Choice<C extends Card> = { readonly side: 'buy' | 'sell'; readonly target: C; readonly amount: number };

/**
 * Draws a trade that keeps the supply of its target near the level. The lower the supply, the likelier a purchase; the
 * higher, the likelier a sale. So prices and the total supply stay bounded, however long the market runs.
 */
export function chooseTrade<C extends Card>(
  { style, others, holdings }: Stall<C>,
  random: Random,
): Choice<C> | undefined {
  const amounts = new Map(holdings.map(({ agentAddress, amount }) => [agentAddress, amount]));
  const saleWeight = style === 'holder' ? HOLDERS_SALE_WEIGHT : SALE_WEIGHT;
  const options = others.flatMap((target) => {
    const { charm, level } = traitsOf(target.name);
    const width = Math.max(1, Math.floor(level * SWAY));
    const below = level + width - target.totalSupply;
    const above = target.totalSupply - (level - width);
    const sellable = Math.min(above, amounts.get(target.walletAddress) ?? 0);
    return [
      { side: 'buy' as const, target, most: below, weight: (charm * below) / width },
      { side: 'sell' as const, target, most: sellable, weight: (saleWeight * charm * above) / width },
    ];
  });
  const option = random.weighted(
    options.filter(({ most }) => most > 0),
    ({ weight }) => weight,
  );
  return option && { ...option, amount: random.between(1, Math.min(MAX_AMOUNT, option.most)) };
}
