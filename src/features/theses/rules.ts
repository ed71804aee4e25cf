import { buyPrice, sellPrice } from '../../values/curve.js';
import { WEI_PER_ETH, type Wei } from '../../values/money.js';
import { DAY_MS, HOUR_MS } from '../../values/time.js';

// Which theses count as calls, and how right a call was. docs/theses.md explains the formulas.

/** Whether a thesis is a call ("counts"), or the first reason why it is not. */
export const eligibilities = ['counts', 'late', 'ownMarket', 'tooSmall', 'joined', 'dailyLimit'] as const;
export type Eligibility = (typeof eligibilities)[number];

/** Times after which a call is judged. */
export const horizons = ['1h', '1d', '7d'] as const;
export type Horizon = (typeof horizons)[number];
export const horizonMs: Readonly<Record<Horizon, number>> = { '1h': HOUR_MS, '1d': DAY_MS, '7d': 7 * DAY_MS };

/** Maximum time between a trade and its thesis. With a later thesis, one could give reasons only for trades that went well. */
export const GIVEN_WITHIN_MS = 10 * 60_000;
/** Minimum price of the traded tickets. Smaller trades cost too little to be taken seriously. */
export const MIN_STAKE: Wei = WEI_PER_ETH / 1000n;
/** Time for which a call is open: it takes in later theses of the author about the same market. */
export const OPEN_MS = DAY_MS;
/** Maximum number of calls of an author per day, UTC. */
export const MAX_CALLS_PER_DAY = 20;

export type GivenThesis = {
  /** The author, and the wallet that receives its fees. */
  readonly own: readonly string[];
  /** The agent whose tickets were traded. */
  readonly agent: string;
  readonly price: Wei;
  /** Time of the block of the trade. */
  readonly tradedAt: Date;
  readonly createdAt: Date;
};

/** An earlier call of the author, or of the wallet that receives its fees. */
export type EarlierCall = Pick<GivenThesis, 'agent' | 'tradedAt'>;

/** Decides whether a thesis is a call. `earlier` are the calls of these wallets that may still be open, and those of its day. */
export function eligibilityOf(thesis: GivenThesis, earlier: readonly EarlierCall[]): Eligibility {
  const { own, agent, price, tradedAt, createdAt } = thesis;
  if (createdAt.getTime() - tradedAt.getTime() > GIVEN_WITHIN_MS) return 'late';
  if (own.includes(agent)) return 'ownMarket';
  if (price < MIN_STAKE) return 'tooSmall';
  const isOpen = (call: EarlierCall) => call.agent === agent && tradedAt.getTime() - call.tradedAt.getTime() < OPEN_MS;
  if (earlier.some(isOpen)) return 'joined';
  const ofDay = earlier.filter((call) => utcDay(call.tradedAt) === utcDay(tradedAt));
  return ofDay.length < MAX_CALLS_PER_DAY ? 'counts' : 'dailyLimit';
}

/** Price from which a call has its full weight. */
const FULL_STAKE: Wei = WEI_PER_ETH / 100n;
/** The lowest price on the curve. Every other price is a multiple of it. */
const PRICE_UNIT = buyPrice(1n, 1n);
/** Weight of a call with `FULL_STAKE`. */
export const FULL_WEIGHT = Number(FULL_STAKE / PRICE_UNIT);

/** How much a call counts: its price, but at most FULL_STAKE. */
export const weightOf = (price: Wei): number => Number((price < FULL_STAKE ? price : FULL_STAKE) / PRICE_UNIT);

/** The day of a time, UTC. */
export const utcDay = (time: Date): string => time.toISOString().slice(0, 10);

/** The part of a horizon at its end over which values are averaged: a tenth of it. A short push of the price then counts little. */
export const windowMs = (horizon: Horizon): number => horizonMs[horizon] / 10;

/** Tickets in circulation, and for how many seconds of the window. */
export type Level = { readonly supply: number; readonly seconds: number };

/** Maximum move, up or down, in natural logarithms: a factor of 4. */
const MAX_MOVE = Math.log(4);

/** What a purchase or a sale of tickets is worth on the curve, if nobody but others traded. */
export type Worth = { readonly start: Wei; readonly at: (supply: number) => Wei };

/** The worth of bought tickets. `before` is the supply before the purchase; `at` takes the supply with these tickets. */
export const boughtWorth = (before: number, amount: number): Worth => ({
  start: buyPrice(BigInt(before), BigInt(amount)),
  at: (supply) => buyPrice(BigInt(supply - amount), BigInt(amount)),
});

/** The worth of sold tickets. `before` is the supply before the sale; `at` takes the supply without these tickets. */
export const soldWorth = (before: number, amount: number): Worth => ({
  start: sellPrice(BigInt(before), BigInt(amount)),
  at: (supply) => buyPrice(BigInt(supply), BigInt(amount)),
});

/** Mean of ln(worth / start) over the window, between -ln 4 and ln 4, in millionths. 0 if the supply did not change. */
export function moveOf({ start, at }: Worth, levels: readonly Level[]): number {
  let [sum, time] = [0, 0];
  // One order of the levels gives one sum, to the last digit.
  for (const { supply, seconds } of levels.toSorted((a, b) => a.supply - b.supply)) {
    const worth = at(supply);
    sum += seconds * (worth === 0n ? -MAX_MOVE : Math.log(Number(worth) / Number(start)));
    time += seconds;
  }
  return millionths(Math.max(-MAX_MOVE, Math.min(MAX_MOVE, sum / time)));
}

/** Mean of the moves of comparable markets, in millionths. 0 if there are none. */
export const benchmarkOf = (moves: readonly number[]): number =>
  moves.length === 0 ? 0 : Math.round(moves.reduce((sum, move) => sum + move, 0) / moves.length);

const MILLION = 1_000_000;
/** Whether the market went the way of a call more than comparable markets did. */
export const hasFollowed = ({ excess }: { readonly excess: number }): boolean => excess > 0;

// `+ 0` turns -0 into 0.
export const millionths = (value: number): number => Math.round(value * MILLION) + 0;
export const fromMillionths = (value: number): number => value / MILLION;
export const sixDecimals = (value: number): number => fromMillionths(millionths(value));

/** Sum of the worth over the window, in wei times seconds, and its length in seconds. */
export type WorthSum = { readonly sum: Wei; readonly seconds: bigint };

export function worthSum({ at }: Worth, levels: readonly Level[]): WorthSum {
  return levels.reduce<WorthSum>(
    (total, { supply, seconds }) => ({
      sum: total.sum + at(supply) * BigInt(seconds),
      seconds: total.seconds + BigInt(seconds),
    }),
    { sum: 0n, seconds: 0n },
  );
}

type Settlement = {
  readonly sale: boolean;
  /** What the buyer paid with fees, or the seller received after fees. */
  readonly paid: Wei;
  /** Fees and price of another trade at the end of the horizon: the fee rate of that time. */
  readonly rate: { readonly fees: Wei; readonly price: Wei };
};

/**
 * Whether a trade paid after the fees of both ways. A purchase paid if selling the tickets at their mean worth brings more than
 * they cost. A sale paid if it brought more than buying them back costs. Exact: it multiplies instead of dividing.
 */
export function hasPaid({ sale, paid, rate }: Settlement, { sum, seconds }: WorthSum): boolean {
  const total = paid * seconds * rate.price;
  return sale ? total > sum * (rate.price + rate.fees) : sum * (rate.price - rate.fees) > total;
}

/** A trade, as far as it decides what it costs to fake its success. `after` is the supply after it. */
export type Faked = {
  readonly sale: boolean;
  readonly price: Wei;
  readonly protocolFee: Wei;
  readonly after: number;
};

/**
 * Fees of the protocol that it takes to push the supply from that after the trade to where it stood in the window, and back. The fees
 * of the agent may return to accomplices, so these do not count.
 */
export function fakeCostOf({ sale, price, protocolFee, after }: Faked, levels: readonly Level[]): Wei {
  const pushed = (supply: number): Wei => {
    const [low, high] = sale ? [supply, after] : [after, supply];
    return high > low ? buyPrice(BigInt(low), BigInt(high - low)) : 0n;
  };
  const { sum, seconds } = worthSum({ start: price, at: pushed }, levels);
  return (2n * protocolFee * sum) / (price * seconds);
}
