import { createHash } from 'node:crypto';
import type { Fact, Registered, Traded } from '../../../src/chain/logs/facts.js';
import type { Reason } from './call-history.js';

// The record of theses, computed from its formulas (docs/theses.md) without the code of the service: from all facts in memory.

const HOUR = 3_600_000;
const DAY = 24 * HOUR;
const HORIZONS = { '1h': HOUR, '1d': DAY, '7d': 7 * DAY };
const UNIT = 20_000_000_000_000n;

export type ExpectedOutcome = {
  readonly horizon: string;
  readonly move: number;
  readonly benchmark: number | null;
  readonly paid: boolean | null;
  readonly value: string;
  readonly weight: number;
  readonly controls: readonly number[] | null;
  readonly fakeCost: string | null;
  readonly soldHalf: boolean;
};
export type ExpectedThesis = { readonly eligibility: string | null; readonly outcomes: readonly ExpectedOutcome[] };

/** C(n): the sum of the squares below n. */
const squares = (n: number): bigint => {
  const s = BigInt(n);
  return (s * (s - 1n) * (2n * s - 1n)) / 6n;
};
/** Price of the tickets between two supplies, in wei. */
const between = (low: number, high: number): bigint => (squares(high) - squares(low)) * UNIT;

type Placed = Traded & { readonly index: number };

/** The record after the chain has reached `time`, and the clock of the service `now`. By `txHash`. */
export function callOracle(facts: readonly Fact[], reasons: readonly Reason[], time: Date, now: Date) {
  const trades: Placed[] = [];
  const registrations: (Registered & { readonly index: number })[] = [];
  /** Who received the fees of whom from each fact on that changed it. */
  const payments: { readonly index: number; readonly paid: ReadonlyMap<string, string> }[] = [];
  for (const [index, fact] of facts.entries()) {
    if (fact.kind === 'registered') registrations.push({ ...fact, index });
    else if (fact.kind === 'redirected') {
      payments.push({ index, paid: new Map([...(payments.at(-1)?.paid ?? []), [fact.agent, fact.destination]]) });
    } else if (fact.kind === 'bought' || fact.kind === 'sold') trades.push({ ...fact, index });
  }
  const byAgent = Map.groupBy(trades, ({ agent }) => agent);
  const byHash = new Map(trades.map((trade) => [trade.txHash, trade]));
  const sorted = registrations.map(({ agent, index }) => ({ agent, index })).sort((a, b) => (a.agent < b.agent ? -1 : 1));
  const given = reasons
    .flatMap((reason) => {
      const trade = byHash.get(reason.txHash);
      return trade?.trader === reason.author ? [{ trade, at: reason.at }] : [];
    })
    .sort((a, b) => a.trade.index - b.trade.index);
  const found = new Map<string, ExpectedThesis>();
  const calls: Placed[] = [];
  for (const { trade, at } of given) {
    const decided = trade.time < time && trade.time.getTime() < now.getTime() - 20 * 60_000;
    const eligibility = decided ? standing(trade, at) : null;
    if (eligibility === 'counts') calls.push(trade);
    found.set(trade.txHash, { eligibility, outcomes: eligibility === 'counts' ? outcomesOf(trade) : [] });
  }
  return found;

  /** The wallet, the one that gets its fees, and those whose fees go to one of the two, before a fact. */
  function walletsOf(wallet: string, index: number): Set<string> {
    const { paid } = payments.findLast((payment) => payment.index < index) ?? { paid: new Map<string, string>() };
    const ends = [wallet, paid.get(wallet) ?? wallet];
    return new Set([...ends, ...[...paid].flatMap(([agent, to]) => (ends.includes(to) ? [agent] : []))]);
  }

  /** The wallet, and the one that gets its fees before a fact. */
  function chosenBy(wallet: string, index: number): Set<string> {
    const { paid } = payments.findLast((payment) => payment.index < index) ?? { paid: new Map<string, string>() };
    return new Set([wallet, paid.get(wallet) ?? wallet]);
  }

  function standing(trade: Placed, at: Date): string {
    const start = trade.time.getTime();
    if (at.getTime() > start + 600_000) return 'late';
    const wallets = chosenBy(trade.trader, trade.index);
    if (wallets.has(trade.agent)) return 'ownMarket';
    if (trade.price < 10n ** 15n) return 'tooSmall';
    const own = calls.filter(({ trader }) => wallets.has(trader));
    if (own.some((call) => call.agent === trade.agent && start < call.time.getTime() + DAY)) return 'joined';
    const day = (date: Date) => date.toISOString().slice(0, 10);
    return own.filter((call) => day(call.time) === day(trade.time)).length >= 20 ? 'dailyLimit' : 'counts';
  }

  function outcomesOf(call: Placed): ExpectedOutcome[] {
    const ended = Object.entries(HORIZONS).filter(([, length]) => call.time.getTime() + length < time.getTime());
    const controls =
      ended.length > 0 ? controlsOf(call, call.kind === 'sold' ? call.supply + call.amount : call.supply - call.amount) : [];
    return ended.map(([horizon, length]) => outcomeOf(call, { horizon, length, controls }));
  }

  type Horizon = {
    readonly horizon: string;
    readonly length: number;
    readonly controls: readonly { agent: string; supply: number }[];
  };

  function outcomeOf(call: Placed, { horizon, length, controls: markets }: Horizon): ExpectedOutcome {
    const start = call.time.getTime();
    const [from, until] = [start + length - length / 10, start + length];
    const sale = call.kind === 'sold';
    const sign = sale ? -1 : 1;
    const n = call.amount;
    const before = sale ? call.supply + n : call.supply - n;
    const first = sale ? between(before - n, before) : between(before, before + n);
    const worth = (s: number) => (sale ? between(s, s + n) : between(s - n, s));
    const own = walletsOf(call.trader, call.index);
    const stays = staysOf(call.agent, { call, own, from, until });
    const move = sign * moveOf(stays, first, worth);
    const sum = stays.reduce((total, [s, duration]) => total + worth(s) * BigInt(duration), 0n);
    const seconds = BigInt(length / 10 / 1000);
    const value = String(sum / seconds);
    const later = (byAgent.get(call.agent) ?? []).filter(
      (trade) => trade.index > call.index && trade.time.getTime() <= until && !own.has(trade.trader),
    );
    const weight = Number((call.price < 10n ** 16n ? call.price : 10n ** 16n) / UNIT);
    const chosen = chosenBy(call.trader, call.index);
    const sold = (byAgent.get(call.agent) ?? [])
      .filter((trade) => trade.index > call.index && trade.time.getTime() <= until && chosen.has(trade.trader))
      .reduce((count, trade) => count + (trade.kind === 'sold' ? trade.amount : 0), 0);
    const known = { horizon, move: move + 0, value, weight, soldHalf: !sale && sold >= n / 2 };
    const [one] = later.toReversed();
    const ofOne = one && walletsOf(one.trader, call.index);
    if (!later.some(({ trader }) => !ofOne?.has(trader))) {
      return { ...known, benchmark: null, paid: null, controls: null, fakeCost: null };
    }
    const moves = markets.map(({ agent, supply }) => {
      const bought = between(supply, supply + n);
      const levels = staysOf(agent, { call, own, from, until }).map(([s, duration]): [number, number] => [s + n, duration]);
      return moveOf(levels, bought, (s) => between(s - n, s));
    });
    const mean = moves.length === 0 ? 0 : Math.round(moves.reduce((a, b) => a + b, 0) / moves.length);
    const rate = trades.findLast((trade) => trade.time.getTime() <= until) as Placed;
    const fees = rate.protocolFee + rate.agentFee;
    const cost = call.protocolFee + call.agentFee;
    // Compares fractions by their cross products.
    const paid = sale
      ? (call.price - cost) * seconds * rate.price > sum * (rate.price + fees)
      : sum * (rate.price - fees) > (call.price + cost) * seconds * rate.price;
    const controls = horizon === '1d' ? moves.map((one) => sign * one + 0) : null;
    // Pushing the supply from that after the trade to each level and back, with the fee of the protocol on both ways.
    const pushed = stays.reduce((total, [s, duration]) => {
      const [low, high] = sale ? [s, call.supply] : [call.supply, s];
      return total + (high > low ? between(low, high) * BigInt(duration) : 0n);
    }, 0n);
    const fakeCost = paid ? String((2n * call.protocolFee * pushed) / (call.price * seconds)) : null;
    return { ...known, benchmark: sign * mean + 0, paid, controls, fakeCost };
  }

  type Window = { readonly call: Placed; readonly own: ReadonlySet<string>; readonly from: number; readonly until: number };

  /** The supplies in a window and their seconds, as if the author had not traded in this market after the call. */
  function staysOf(agent: string, { call, own, from, until }: Window): [supply: number, seconds: number][] {
    let [supply, added, at] = [1, 0, from];
    const stays: [number, number][] = [];
    for (const trade of byAgent.get(agent) ?? []) {
      const moment = trade.time.getTime();
      if (moment > until) break;
      if (moment > at) {
        stays.push([supply - added, (moment - at) / 1000]);
        at = moment;
      }
      supply = trade.supply;
      if (trade.index > call.index && own.has(trade.trader)) added += trade.kind === 'sold' ? -trade.amount : trade.amount;
    }
    if (until > at) stays.push([supply - added, (until - at) / 1000]);
    const levels = new Map<number, number>();
    for (const [s, duration] of stays) levels.set(s, (levels.get(s) ?? 0) + duration);
    return [...levels].sort(([a], [b]) => a - b);
  }

  function moveOf(stays: readonly [number, number][], first: bigint, worth: (s: number) => bigint): number {
    const most = Math.log(4);
    let [sum, seconds] = [0, 0];
    for (const [s, duration] of stays) {
      const value = worth(s);
      sum += duration * (value === 0n ? -most : Math.log(Number(value) / Number(first)));
      seconds += duration;
    }
    return Math.round(Math.min(most, Math.max(-most, sum / seconds)) * 1e6) + 0;
  }

  function controlsOf(call: Placed, before: number): { agent: string; supply: number }[] {
    const own = walletsOf(call.trader, call.index);
    const markets = sorted
      .filter(({ index }) => index < call.index)
      .map(({ agent }) => {
        const earlier = (byAgent.get(agent) ?? []).filter(({ index }) => index < call.index);
        const week = earlier.filter((trade) => trade.time.getTime() > call.time.getTime() - 7 * DAY);
        const traders = new Set(week.map(({ trader }) => trader));
        for (const wallet of own) traders.delete(wallet);
        const supply = earlier.at(-1)?.supply ?? 1;
        const isOther = agent !== call.agent && !own.has(agent);
        return { agent, supply, isOther, isSimilar: isOther && supply * 2 >= before && supply <= before * 2 && traders.size >= 2 };
      });
    type Market = (typeof markets)[number];
    // 20 draws with replacement: the first right market of the next 50 after a hash. After the last wallet comes the first.
    const draw = (isRight: (market: Market) => boolean): Market[] =>
      Array.from({ length: 20 }, (_, i) => {
        const drawn = `0x${createHash('sha256').update(`${call.txHash}:${call.ordinal}:${i}`).digest('hex').slice(0, 40)}`;
        const [above, below] = [markets.filter(({ agent }) => agent > drawn), markets.filter(({ agent }) => agent <= drawn)];
        return [...above, ...below].slice(0, 50).find(isRight);
      }).filter((market) => market !== undefined);
    const similar = draw(({ isSimilar }) => isSimilar);
    return new Set(similar.map(({ agent }) => agent)).size < 5 ? draw(({ isOther }) => isOther) : similar;
  }
}
