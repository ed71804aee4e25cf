import { expect } from 'chai';
import { type Character, cast } from '../../../src/cli/demo/cast.js';
import { chooseTrade, traitsOf } from '../../../src/cli/demo/choose-trade.js';
import { PAUSE_MS } from '../../../src/cli/demo/live.js';
import { type Move, PaperMarket } from '../../../src/cli/demo/paper-market.js';
import { calendar, planMarket } from '../../../src/cli/demo/plan.js';
import { Random } from '../../../src/cli/demo/random.js';
import { Allowance, nextTurn } from '../../../src/cli/demo/turns.js';
import { priceChange } from '../../../src/features/pricing/rules.js';

const HOUR_MS = 3_600_000;

const plan = planMarket();

/** The market right after a build at the given time. */
function builtMarket(now: Date): PaperMarket {
  const when = calendar(now);
  const market = new PaperMarket();
  for (const event of plan) {
    market.now = when(event.at).getTime();
    if (event.kind === 'join') market.join(event.agent);
    if (event.kind === 'trade') market.trade(event.agent, event.move);
  }
  return market;
}

function choose(market: PaperMarket, trader: Character, random: Random): Move | undefined {
  const others = market.agents
    .filter((agent) => agent !== trader)
    .map((agent) => ({ agent, name: agent.name, walletAddress: agent.name, totalSupply: market.supply(agent) }));
  const holdings = market.holdings(trader).map(({ agent, amount }) => ({ agentAddress: agent.name, amount }));
  const choice = chooseTrade(trader.style, others, holdings, random);
  return choice && { side: choice.side, agent: choice.target.agent, amount: choice.amount };
}

const totalSupply = (market: PaperMarket): number =>
  market.agents.reduce((sum, agent) => sum + market.supply(agent), 0);

const highestChange = (market: PaperMarket): number =>
  Math.max(
    ...market.agents.map((agent) => {
      const supply = market.supply(agent);
      return priceChange(supply - market.change(agent, 24), supply);
    }),
  );

/** One hour of trading. `change`: highest change over 24 hours after it. `drift`: farthest total supply, in percent. */
type Hour = { readonly change: number; readonly drift: number; readonly bought: number; readonly sold: number };

/** Lets the agents take their turns on a market that was just built. */
function simulate(now: Date, seed: number, hours: number): Hour[] {
  const random = new Random(seed);
  const market = builtMarket(now);
  const actors = cast.map((character) => ({ character, allowance: new Allowance() }));
  const initial = totalSupply(market);
  let at = now.getTime();
  return Array.from({ length: hours }, (_, hour) => {
    const end = now.getTime() + (hour + 1) * HOUR_MS;
    let [drift, bought, sold] = [0, 0, 0];
    for (at += random.between(...PAUSE_MS); at <= end; at += random.between(...PAUSE_MS)) {
      const { act, actor } = nextTurn(actors, random, at);
      const move = act === 'trade' && actor ? choose(market, actor.character, random) : undefined;
      if (actor === undefined || move === undefined) continue;
      market.now = at;
      market.trade(actor.character, move);
      if (move.side === 'buy') bought += move.amount;
      else sold += move.amount;
      drift = Math.max(drift, Math.abs((100 * totalSupply(market)) / initial - 100));
    }
    market.now = end;
    return { change: highestChange(market), drift, bought, sold };
  });
}

function expectPlausible(hours: readonly Hour[], title: string): void {
  for (const { change, drift, bought, sold } of hours) {
    expect(change, title).to.be.at.most(1000);
    expect(drift, title).to.be.at.most(20);
    // The agents make about 400 trades per hour.
    expect(bought, title).to.be.above(200);
    expect(bought / sold, title).to.be.within(0.75, 1.33);
  }
}

describe('the trades that live agents choose', () => {
  it('keep the market plausible after an hour, at whatever time it was built', () => {
    for (const time of ['00:00:00', '00:30:00', '15:00:00', '23:30:00']) {
      const now = new Date(`2026-11-20T${time}Z`);
      for (const seed of [1, 2, 3]) expectPlausible(simulate(now, seed, 1), `built at ${time}, seed ${seed}`);
    }
  });

  it('keep the market plausible in each hour of a long run', () => {
    expectPlausible(simulate(new Date('2026-11-20T15:00:00Z'), 4, 8), 'seed 4');
  });

  describe('in a market that people have moved', () => {
    const at = (name: string, totalSupply: number, amount: number) => {
      const others = [{ name, walletAddress: '0x1', totalSupply }];
      const holdings = [{ agentAddress: '0x1', amount }];
      const random = new Random(1);
      return new Set(
        Array.from({ length: 100 }, () => {
          const choice = chooseTrade('swing', others, holdings, random);
          return choice && `${choice.side} ${choice.amount}`;
        }),
      );
    };

    it('lead the supply back to its level', () => {
      const { level } = traitsOf('Marble Fox');
      expect(level).to.equal(22);
      expect([...at('Marble Fox', 60, 9)].sort()).to.deep.equal(['sell 1', 'sell 2', 'sell 3']);
      expect([...at('Marble Fox', 10, 9)].sort()).to.deep.equal(['buy 1', 'buy 2', 'buy 3']);
    });

    it('buy at most two tickets of an agent that has just registered, and keep its last ticket', () => {
      expect([...at('Stranger', 1, 1)].sort()).to.deep.equal(['buy 1', 'buy 2']);
      expect([...at('Stranger', 3, 1)]).to.deep.equal(['sell 1']);
    });

    it('do not exist if nothing is for sale and nobody may be bought', () => {
      expect([...at('Stranger', 5, 0)]).to.deep.equal([undefined]);
    });
  });
});
