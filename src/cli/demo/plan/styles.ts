import { cast, type StyleName } from './cast.js';
import type { Move, PaperMarket } from './paper-market.js';
import type { Random } from './random.js';

/** A trading strategy. It returns the next trade of the agent `self`, or null if the agent makes no trade now. */
type Style = (market: PaperMarket, self: number, at: number, random: Random) => Move | null;

/** Supply above which agents do not buy: a ticket then costs 0.07 ETH. */
const MAX_SUPPLY = 58;
/** Maximum number of tickets of one agent that a trader buys. */
const MAX_POSITION = 9;

const buy = (agent: number | undefined, amount: number): Move | null =>
  agent === undefined ? null : { side: 'buy', agent, amount };
const sell = (agent: number | undefined, amount: number): Move | null =>
  agent === undefined ? null : { side: 'sell', agent, amount };

const buyable = (market: PaperMarket, self: number): readonly number[] =>
  market.agents.filter(
    (agent) => agent !== self && market.supply(agent) < MAX_SUPPLY && market.balance(self, agent) < MAX_POSITION,
  );

const maxBy = <T>(list: readonly T[], value: (item: T) => number): T | undefined =>
  list.reduce<T | undefined>(
    (best, item) => (best === undefined || value(item) > value(best) ? item : best),
    undefined,
  );

const charmOf = (agent: number): number => cast[agent]?.charm ?? 1;

/** Fallback without a strategy: buys a popular agent. */
export const drift: Style = (market, self, _at, random) =>
  buy(
    random.weighted(buyable(market, self), (agent) => charmOf(agent) ** 2),
    random.between(1, 3),
  );

const momentum: Style = (market, self, at, random) => {
  const fading = market.holdings(self).find(({ agent }) => market.change(agent, at, 36) <= 0 && random.chance(0.7));
  if (fading) return sell(fading.agent, fading.amount);
  const rising = buyable(market, self).filter((agent) => market.change(agent, at, 48) >= 3);
  return buy(
    random.weighted(rising, (agent) => market.change(agent, at, 48) ** 2),
    random.between(2, 4),
  );
};

const value: Style = (market, self, _at, random) => {
  const full = market.holdings(self).find(({ agent }) => market.supply(agent) > 22);
  if (full && random.chance(0.6)) return sell(full.agent, Math.ceil(full.amount / 2));
  const cheap = buyable(market, self).filter((agent) => market.supply(agent) <= 8);
  return buy(
    maxBy(cheap, (agent) => market.holders(agent) / market.supply(agent) + charmOf(agent) / 20 + random.next() / 2),
    random.between(1, 3),
  );
};

const contrarian: Style = (market, self, at, random) => {
  const loved = maxBy(market.holdings(self), ({ agent }) => market.change(agent, at, 48));
  if (loved && market.change(loved.agent, at, 48) >= 5 && random.chance(0.6)) return sell(loved.agent, loved.amount);
  const fallen = buyable(market, self).filter((agent) => market.change(agent, at, 72) < 0);
  return buy(
    maxBy(fallen, (agent) => -market.change(agent, at, 72)),
    random.between(2, 5),
  );
};

const maker: Style = (market, self, at, random) => {
  const stock = market.holdings(self).filter(({ agent }) => market.change(agent, at, 12) > 0);
  const sold = random.pick(stock);
  if (sold && random.chance(0.55)) return sell(sold.agent, Math.min(sold.amount, random.between(1, 3)));
  const liquid = buyable(market, self).filter((agent) => market.supply(agent) >= 6);
  return buy(
    random.weighted(liquid, (agent) => market.supply(agent)),
    random.between(1, 3),
  );
};

const index: Style = (market, self) => {
  const ranked = market.agents.filter((agent) => agent !== self).sort((a, b) => market.supply(b) - market.supply(a));
  const top = ranked.slice(0, 10);
  const dropped = market.holdings(self).find(({ agent }) => !ranked.slice(0, 14).includes(agent));
  if (dropped) return sell(dropped.agent, dropped.amount);
  return buy(
    top.find((agent) => market.balance(self, agent) === 0 && market.supply(agent) < MAX_SUPPLY),
    1,
  );
};

const holder: Style = (market, self, _at, random) =>
  buy(
    maxBy(buyable(market, self), (agent) => charmOf(agent) + market.balance(self, agent) + 4 * random.next()),
    random.between(1, 5),
  );

const loyal: Style = (market, self, at, random) => {
  const owed = market
    .buyersOf(self)
    .filter((agent) => market.balance(self, agent) === 0 && market.supply(agent) < MAX_SUPPLY);
  const friend = random.pick(owed.filter((agent) => agent !== self));
  if (friend !== undefined) return buy(friend, random.between(1, 3));
  const cold = market.holdings(self).find(({ agent }) => !market.buyersOf(self).includes(agent));
  return cold && random.chance(0.4) ? sell(cold.agent, cold.amount) : drift(market, self, at, random);
};

const scout: Style = (market, self, at, random) => {
  const grown = market.holdings(self).find(({ agent }) => market.supply(agent) >= 10 && market.age(agent, at) > 60);
  if (grown && random.chance(0.6)) return sell(grown.agent, grown.amount);
  const young = buyable(market, self).filter((agent) => market.age(agent, at) < 48 && market.balance(self, agent) < 3);
  return buy(random.pick(young), random.between(1, 2));
};

const swing: Style = (market, self, at, random) => {
  const [oldest] = market.holdings(self);
  if (oldest && random.chance(0.5)) return sell(oldest.agent, Math.ceil(oldest.amount / 2));
  return buy(
    random.weighted(buyable(market, self), (agent) => 2 + Math.abs(market.change(agent, at, 24))),
    random.between(1, 4),
  );
};

export const styles: Readonly<Record<StyleName, Style>> = {
  momentum,
  value,
  contrarian,
  maker,
  index,
  holder,
  loyal,
  scout,
  swing,
};
