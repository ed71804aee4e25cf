import { seeded, shuffle } from '../support/random.js';

// Plans all trades as numbers. The number of an agent is its rank in popularity: 0 is the most popular. Numbers from `agents`
// upwards are wallets without an agent, which trade, too.

export type Size = {
  readonly agents: number;
  readonly trades: number;
  /** Number of open positions at the end, including each agent's first ticket. */
  readonly holdings: number;
  /** Number of trades of the heavy trader. A light trader makes LIGHT_TRADES. */
  readonly heavyTrades: number;
};

export const sizes = {
  quick: { agents: 500, trades: 20_000, holdings: 3_000, heavyTrades: 2_000 },
  small: { agents: 10_000, trades: 1_000_000, holdings: 100_000, heavyTrades: 100_000 },
  large: { agents: 100_000, trades: 5_000_000, holdings: 500_000, heavyTrades: 100_000 },
} as const satisfies Record<string, Size>;
export type SizeName = keyof typeof sizes;

export const LIGHT_TRADES = 100;
/** Number of positions of the heavy trader, and of the light one. Only their numbers of trades differ. */
const SPECIAL_PAIRS = 20;

export const heavyAgent = ({ agents }: Size): number => Math.floor(agents / 2);
export const lightAgent = (size: Size): number => heavyAgent(size) + 1;

/** The trades. A position is a pair: the numbers of its agent and of its trader stand at the same index of two arrays. */
export type Plan = {
  readonly pairAgent: Int32Array;
  readonly pairTrader: Int32Array;
  /** Index of the first position that is closed when the history ends. All later positions are closed, too. */
  readonly firstClosed: number;
  /** For each trade, in order: the index of its position in `pairAgent` and `pairTrader`. */
  readonly order: Int32Array;
  /** Number of wallets, with and without agents. */
  readonly wallets: number;
};

export function makePlan(size: Size, random = seeded(8)): Plan {
  const { agents, trades, holdings, heavyTrades } = size;
  const others = holdings - agents;
  const closed = Math.floor(others / 10);
  const wallets = agents + Math.floor(agents / 2);
  const [heavy, light] = [heavyAgent(size), lightAgent(size)];
  // The positions in order: common positions, those of the heavy and of the light trader, and from `others` on those that get
  // closed.
  const pairs = others + closed;
  const pairAgent = new Int32Array(pairs);
  const pairTrader = new Int32Array(pairs);
  const used = new Set<number>();
  const draw = (pair: number, trader: () => number) => {
    for (;;) {
      // Squaring the random number makes a few agents popular: 1 % of them have 10 % of the positions.
      const [agent, who] = [Math.floor(agents * random() ** 2), trader()];
      const key = agent * wallets + who;
      if (agent === who || used.has(key)) continue;
      used.add(key);
      pairAgent[pair] = agent;
      pairTrader[pair] = who;
      return;
    }
  };
  const anybody = () => {
    for (;;) {
      const who = Math.floor(wallets * random());
      if (who !== heavy && who !== light) return who;
    }
  };
  const common = others - 2 * SPECIAL_PAIRS;
  for (let pair = 0; pair < pairs; pair++) {
    if (pair < common || pair >= others) draw(pair, anybody);
    else draw(pair, () => (pair - common < SPECIAL_PAIRS ? heavy : light));
  }
  sortByAgent(pairAgent, pairTrader, common);
  const order = new Int32Array(trades);
  let filled = 0;
  const add = (pair: number, times: number) => {
    order.fill(pair, filled, filled + times);
    filled += times;
  };
  for (let pair = 0; pair < common; pair++) add(pair, 1);
  for (let i = 0; i < SPECIAL_PAIRS; i++) {
    add(common + i, heavyTrades / SPECIAL_PAIRS);
    add(common + SPECIAL_PAIRS + i, LIGHT_TRADES / SPECIAL_PAIRS);
  }
  // The trades of a closed position alternate between buys and sales, so their number is even.
  for (let pair = others; pair < pairs; pair++) add(pair, 2 + 2 * (pair % 3));
  if (filled > trades) throw new RangeError('more positions than trades');
  for (; filled < trades; filled++) order[filled] = Math.floor(common * random() ** 2);
  shuffle(order, random);
  return { pairAgent, pairTrader, firstClosed: others, order, wallets };
}

function sortByAgent(agents: Int32Array, traders: Int32Array, count: number): void {
  const sequence = Array.from({ length: count }, (_, i) => i).sort((a, b) => (agents[a] as number) - (agents[b] as number));
  const [sortedAgents, sortedTraders] = [sequence.map((i) => agents[i] as number), sequence.map((i) => traders[i] as number)];
  agents.set(sortedAgents);
  traders.set(sortedTraders);
}

/** Change of a position by its next trade: tickets bought, or negative if sold. A position does not become negative. */
export function nextStep(balance: number, staysOpen: boolean, random: () => number): number {
  if (balance === 0) return 1 + Math.floor(random() * 3);
  if (!staysOpen) return -balance;
  const sells = balance >= 20 || (balance > 1 && random() < 0.5);
  return sells ? -Math.min(balance - 1, 1 + Math.floor(random() * 3)) : 1 + Math.floor(random() * 3);
}
