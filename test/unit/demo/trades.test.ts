import { expect } from 'chai';
import { type Act, acts, type Character, cast } from '../../../demo/cast.js';
import { nextTurn, PAUSE_MS, rest } from '../../../demo/live.js';
import { Random } from '../../../demo/random.js';
import { type Card, chooseTrade, levelOf, PaperMarket } from '../../../demo/trades.js';

const HOUR_MS = 3_600_000;

const actorOf = (character: Character) => ({ character, rests: new Map<Act, number>() });
const [juniper] = cast as [Character];

/** A market in which the supply of each agent is at its level: the supply around which the agents trade (`levelOf`). */
function settledMarket(): PaperMarket<Character> {
  const market = new PaperMarket<Character>();
  for (const agent of cast) market.join(agent);
  for (const [index, agent] of cast.entries()) {
    for (let ticket = 1; ticket < levelOf(agent.name); ticket++) {
      market.trade(cast[(index + ticket) % cast.length] ?? agent, agent, 1, 0);
    }
  }
  return market;
}

const totalSupply = (market: PaperMarket<Character>): number => cast.reduce((sum, agent) => sum + market.supply(agent), 0);

describe('the trades that the agents choose', () => {
  it('keep the market plausible in each hour of a long run', () => {
    const random = new Random(4);
    const market = settledMarket();
    const initial = totalSupply(market);
    const agents = cast.map(actorOf);
    // The settled market made all its trades at time 0. A day later, they no longer count in the figures of the last 24 hours.
    let at = 24 * HOUR_MS;
    for (let hour = 1; hour <= 6; hour++) {
      let [bought, sold] = [0, 0];
      for (; at < (24 + hour) * HOUR_MS; at += random.between(...PAUSE_MS)) {
        const { act, actor } = nextTurn(agents, random, at);
        if (act !== 'trade' || actor === undefined) continue;
        const choice = chooseTrade(actor.character.style, market.cards(actor.character, at), random);
        if (choice === undefined) continue;
        const change = choice.side === 'buy' ? choice.amount : -choice.amount;
        market.trade(actor.character, choice.target.agent, change, at);
        if (change > 0) bought += change;
        else sold -= change;
        expect(Math.abs((100 * totalSupply(market)) / initial - 100), `hour ${hour}`).to.be.at.most(20);
      }
      // The agents make about 400 trades per hour, so fewer bought tickets would be implausible.
      expect(bought, `hour ${hour}`).to.be.above(200);
      expect(bought / sold, `hour ${hour}`).to.be.within(0.75, 1.33);
      const changes = cast.flatMap((agent) => market.cards(agent, at).map(({ priceChange24h }) => priceChange24h));
      expect(Math.max(...changes), `hour ${hour}`).to.be.at.most(1000);
    }
  });

  const card: Card = { name: '', totalSupply: 1, holderCount: 1, priceChange24h: 0, owned: 0, isHolder: false };
  /** The 200 choices of an agent of this style in a market that only has one agent, with these fields. */
  const drawn = (style: Character['style'], fields: Partial<Card>) => {
    const random = new Random(1);
    const choices = Array.from({ length: 200 }, () => chooseTrade(style, [{ ...card, ...fields }], random));
    return choices.map((choice) => choice && `${choice.side} ${choice.amount}`);
  };
  const kinds = (trades: readonly unknown[]) => [...new Set(trades)].sort();

  it('lead a supply back to its level after people have moved it', () => {
    const [name, level] = ['Marble Fox', levelOf('Marble Fox')];
    const sales = ['sell 1', 'sell 2', 'sell 3'];
    expect(kinds(drawn('maker', { name, totalSupply: 3 * level, owned: 9 }))).to.deep.equal(sales);
    expect(kinds(drawn('maker', { name, totalSupply: 3, owned: 9 }))).to.deep.equal(['buy 1', 'buy 2', 'buy 3']);
  });

  it('buy at most two tickets of an agent that has just registered, and keep its last ticket', () => {
    expect(kinds(drawn('maker', { name: 'Stranger', totalSupply: 1, owned: 1 }))).to.deep.equal(['buy 1', 'buy 2']);
    expect(kinds(drawn('maker', { name: 'Stranger', totalSupply: 3, owned: 1 }))).to.deep.equal(['sell 1']);
    // At a supply of 5, an agent without tickets does not trade: it has none to sell, and the supply is too high to buy.
    expect(kinds(drawn('maker', { name: 'Stranger', totalSupply: 5 }))).to.deep.equal([undefined]);
  });
});

describe('the turns of live agents', () => {
  it('leave out an agent that rests', () => {
    const agent = actorOf(juniper);
    // The agent rests for 60 seconds from the time of 1 second on.
    rest(agent, acts, 60, 1000);
    const turn = (now: number) => nextTurn([agent], new Random(1), now).actor;
    expect([turn(60_999), turn(61_000)]).to.deep.equal([undefined, agent]);
  });
});
