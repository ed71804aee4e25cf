import { expect } from 'chai';
import { benchmarkOf, boughtWorth, FULL_WEIGHT, moveOf } from '../../../../src/features/theses/rules.js';
import { luckOf, scoreWithBound } from '../../../../src/features/theses/statistics.js';
import { seed, seeded } from '../../../support/seed.js';

const MARKETS = 80;
const STEPS = 240;
/** Steps from a call to its judgement. */
const HORIZON = 4;

type Call = { readonly move: number; readonly excess: number; readonly naive: number; readonly others: readonly number[] };

/** A market whose supplies return to their means and move together now and then. Nobody knows more about it than others. */
function simulate(random: () => number) {
  const below = (n: number) => Math.floor(random() * n);
  const pick = <T>(list: readonly T[]): T => list[below(list.length)] as T;
  const levels = Array.from({ length: MARKETS }, () => 4 + below(37));
  const supplies = [...levels];
  const history = [[...supplies]];
  for (let step = 0; step < STEPS; step++) {
    const drift = pick([-0.15, 0, 0.15]);
    for (let j = 0; j < MARKETS; j++) {
      for (let i = 0; i < 3; i++) {
        const [level, now] = [levels[j] ?? 0, supplies[j] ?? 0];
        const up = random() < 0.5 + (0.25 * (level - now)) / level + drift;
        supplies[j] = Math.max(2, now + (up ? 1 : -1));
      }
    }
    history.push([...supplies]);
  }
  const moved = (at: number, market: number, amount: number): number => {
    const [before, after] = [history[at]?.[market] ?? 0, history[at + HORIZON]?.[market] ?? 0];
    return moveOf(boughtWorth(before, amount), [{ supply: after + amount, seconds: 1 }]) / 1e6;
  };
  return (): Call => {
    const [at, market, amount] = [below(history.length - 1 - HORIZON), below(MARKETS), pick([1, 1, 2, 5, 10, 20])];
    const before = history[at]?.[market] ?? 0;
    const all = Array.from({ length: MARKETS }, (_, j) => j).filter((j) => j !== market);
    const similar = all.filter((j) => (history[at]?.[j] ?? 0) * 2 >= before && (history[at]?.[j] ?? 0) <= before * 2);
    const controls = (similar.length < 5 ? all : similar).slice(0, 20).map((j) => moved(at, j, amount));
    const benchmark = benchmarkOf(controls.map((move) => Math.round(move * 1e6))) / 1e6;
    const move = moved(at, market, amount);
    // The price of the next ticket after the call, against the price paid for each ticket: the own purchase counts as being right.
    const { start } = boughtWorth(before, amount);
    const naive = ((history[at + HORIZON]?.[market] ?? 0) + amount) ** 2 / (Number(start) / 2e13 / amount) - 1;
    return { move, excess: move - benchmark, naive, others: controls.map((control) => control - benchmark) };
  };
}

const share = <T>(list: readonly T[], holds: (one: T) => boolean): number => list.filter(holds).length / list.length;
const boundOf = (calls: readonly Call[]): number =>
  scoreWithBound(calls.map(({ excess }) => ({ excess, weight: FULL_WEIGHT }))).lowerBound;

describe('the score of theses in a simulated market', () => {
  const random = seeded(seed);
  const sizes = [1, 2, 3, 5, 8, 10, 20, 40, 80];
  let call: () => Call;
  let authors: Call[][];
  before(() => {
    call = simulate(random);
    authors = Array.from({ length: 1500 }, () =>
      Array.from({ length: sizes[Math.floor(random() * sizes.length)] ?? 1 }, () => call()),
    );
  });

  it('is not fooled by own purchases, which make 3 of 4 calls without skill look right', () => {
    const calls = authors.flat();
    expect(share(calls, ({ naive }) => naive > 0)).to.be.above(0.7);
    const mean = calls.reduce((sum, { excess }) => sum + excess, 0) / calls.length;
    expect(Math.abs(mean)).to.be.below(0.02);
  });

  it('has a lower bound above 0 for at most 5 % of the authors without skill and with 10 calls or more', () => {
    const enough = authors.filter(({ length }) => length >= 10);
    expect(enough).to.have.length.above(600);
    expect(share(enough, (calls) => boundOf(calls) > 0)).to.be.at.most(0.05);
  });

  it('has a lower bound above 0 for at least 60 % of the authors with a true mean of 0.10 and 80 calls', () => {
    // The mean of all calls is about 0, so adding 0.1 to each gives this mean.
    const skilled = Array.from({ length: 300 }, () =>
      Array.from({ length: 80 }, () => {
        const made = call();
        return { ...made, excess: made.excess + 0.1 };
      }),
    );
    expect(share(skilled, (calls) => boundOf(calls) > 0)).to.be.at.least(0.6);
  });

  it('finds about as many lucky records as chance gives', () => {
    const many = authors.filter(({ length }) => length >= 20).slice(0, 60);
    const calledAt = new Date('2026-09-01T00:00:00Z');
    const luck = many.map((calls, i) => {
      const judged = calls.map((one) => ({ ...one, agent: 'x', weight: FULL_WEIGHT, calledAt, paid: false, confidence: null }));
      return luckOf(`author ${i}`, judged);
    });
    expect(share(luck, (p) => p <= 0.1)).to.be.at.most(0.2);
    expect(share(luck, (p) => p <= 0.5)).to.be.within(0.25, 0.75);
  });
});
