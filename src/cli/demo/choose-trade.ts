import { type Character, cast } from './cast.js';
import { PaperMarket } from './paper-market.js';
import { planMarket } from './plan.js';
import type { Random } from './random.js';

/** Part of its level by which the demo's agents move a supply. One ticket if that is more. */
const SWAY = 0.2;
const MAX_AMOUNT = 3;
/** Weight of a sale beside a purchase. An agent can buy everybody's tickets, but holds those of about every fourth agent. */
const SALE_WEIGHT = 3;
/** Holders accumulate. */
const HOLDERS_SALE_WEIGHT = 0.6;
/** Agents that other people register. The level admits a supply of 1 to 3, a change of at most 800 % since registration. */
const STRANGER = { charm: 3, level: 2 };

const history = new PaperMarket();
planMarket(history);
const traits = new Map(cast.map((agent) => [agent.name, { charm: agent.charm, level: history.supply(agent) }]));

/** `level`: the supply around which the demo's agents trade. */
export const traitsOf = (name: string) => traits.get(name) ?? STRANGER;

export type Card = { readonly walletAddress: string; readonly name: string; readonly totalSupply: number };
export type Holding = { readonly agentAddress: string; readonly amount: number };

/**
 * Draws a trade that keeps the supply of its target near the level. The lower the supply, the likelier a purchase; the
 * higher, the likelier a sale. So prices and the total supply stay bounded, however long the market runs.
 */
export function chooseTrade<C extends Card>(
  style: Character['style'],
  others: readonly C[],
  holdings: readonly Holding[],
  random: Random,
) {
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
  const possible = options.filter(({ most }) => most > 0);
  const option = random.weighted(possible, ({ weight }) => weight);
  return option && { ...option, amount: random.between(1, Math.min(MAX_AMOUNT, option.most)) };
}
