import type { Character } from './cast.js';
import type { Move, PaperMarket } from './paper-market.js';
import type { Random } from './random.js';

/** Supply above which agents do not buy: a ticket then costs 0.07 ETH. */
const MAX_SUPPLY = 58;
/** Maximum number of tickets of one agent that a trader buys. */
const MAX_POSITION = 9;

/** What the agent `self` knows when it decides about its next trade. */
export const outlookOf = (market: PaperMarket, self: Character, random: Random) => ({
  ...{ market, self, random, holdings: market.holdings(self) },
  owned: (agent: Character) => market.balance(self, agent),
  buyable: market.agents.filter(
    (agent) => agent !== self && market.supply(agent) < MAX_SUPPLY && market.balance(self, agent) < MAX_POSITION,
  ),
  buy: (agent: Character | undefined, least: number, most: number): Move | null => {
    const amount = random.between(least, most);
    return agent ? { side: 'buy', agent, amount } : null;
  },
});

/** A trading strategy. It returns the next trade, or null if the agent makes no trade now. */
type Style = (outlook: ReturnType<typeof outlookOf>) => Move | null;

const maxBy = <T>(list: readonly T[], value: (item: T) => number): T | undefined =>
  list.reduce<T | undefined>((best, item) => (best && value(item) <= value(best) ? best : item), undefined);

/** Fallback without a strategy: buys a popular agent. */
export const drift: Style = ({ buyable, random, buy }) => {
  const popular = random.weighted(buyable, ({ charm }) => charm ** 2);
  return buy(popular, 1, 3);
};

export const styles: Readonly<Record<Character['style'], Style>> = {
  momentum({ market, holdings, buyable, random, buy }) {
    const fading = holdings.find(({ agent }) => market.change(agent, 36) <= 0 && random.chance(0.7));
    if (fading) return { side: 'sell', ...fading };
    const rising = buyable.filter((agent) => market.change(agent, 48) >= 3);
    const target = random.weighted(rising, (agent) => market.change(agent, 48) ** 2);
    return buy(target, 2, 4);
  },
  value({ market, holdings, buyable, random, buy }) {
    const full = holdings.find(({ agent }) => market.supply(agent) > 22);
    if (full && random.chance(0.6)) return { ...full, side: 'sell', amount: Math.ceil(full.amount / 2) };
    const cheap = buyable.filter((agent) => market.supply(agent) <= 8);
    const spread = (agent: Character) => market.holders(agent) / market.supply(agent);
    const widest = maxBy(cheap, (agent) => spread(agent) + agent.charm / 20 + random.next() / 2);
    return buy(widest, 1, 3);
  },
  contrarian({ market, holdings, buyable, random, buy }) {
    const loved = maxBy(holdings, ({ agent }) => market.change(agent, 48));
    if (loved && market.change(loved.agent, 48) >= 5 && random.chance(0.6)) return { side: 'sell', ...loved };
    const fallen = buyable.filter((agent) => market.change(agent, 72) < 0);
    const lowest = maxBy(fallen, (agent) => -market.change(agent, 72));
    return buy(lowest, 2, 5);
  },
  maker({ market, holdings, buyable, random, buy }) {
    const stock = random.pick(holdings.filter(({ agent }) => market.change(agent, 12) > 0));
    if (stock && random.chance(0.55)) {
      return { side: 'sell', agent: stock.agent, amount: Math.min(stock.amount, random.between(1, 3)) };
    }
    const liquid = buyable.filter((agent) => market.supply(agent) >= 6);
    const target = random.weighted(liquid, (agent) => market.supply(agent));
    return buy(target, 1, 3);
  },
  index({ market, self, holdings, owned, buyable }) {
    const ranked = market.agents.filter((agent) => agent !== self).sort((a, b) => market.supply(b) - market.supply(a));
    const dropped = holdings.find(({ agent }) => !ranked.slice(0, 14).includes(agent));
    if (dropped) return { side: 'sell', ...dropped };
    const missing = ranked.slice(0, 10).find((agent) => owned(agent) === 0 && buyable.includes(agent));
    return missing ? { side: 'buy', agent: missing, amount: 1 } : null;
  },
  holder({ buyable, random, owned, buy }) {
    const favourite = maxBy(buyable, (agent) => agent.charm + owned(agent) + 4 * random.next());
    return buy(favourite, 1, 5);
  },
  loyal(outlook) {
    const { market, self, buyable, holdings, random, owned, buy } = outlook;
    const buyers = [...new Set(market.buyersOf(self))];
    const friend = random.pick(buyers.filter((agent) => owned(agent) === 0 && buyable.includes(agent)));
    if (friend) return buy(friend, 1, 3);
    const cold = holdings.find(({ agent }) => !buyers.includes(agent));
    return cold && random.chance(0.4) ? { side: 'sell', ...cold } : drift(outlook);
  },
  scout({ market, holdings, buyable, random, owned, buy }) {
    const grown = holdings.find(({ agent }) => market.supply(agent) >= 10 && market.age(agent) > 60);
    if (grown && random.chance(0.6)) return { side: 'sell', ...grown };
    const young = buyable.filter((agent) => market.age(agent) < 48 && owned(agent) < 3);
    return buy(random.pick(young), 1, 2);
  },
  swing({ market, holdings: [oldest], buyable, random, buy }) {
    if (oldest && random.chance(0.5)) return { ...oldest, side: 'sell', amount: Math.ceil(oldest.amount / 2) };
    const target = random.weighted(buyable, (agent) => 2 + Math.abs(market.change(agent, 24)));
    return buy(target, 1, 4);
  },
};
