import { expect } from 'chai';
import fc from 'fast-check';
import type { Fact } from '../../../src/chain/logs/facts.js';
import {
  applyRegistration,
  applyTrade,
  type Book,
  emptyBook,
  InconsistentHistory,
  replayCandles,
  replayPositions,
} from '../../../src/index/rules.js';
import type { Trade } from '../../../src/values/trade.js';
import { histories } from '../../support/market/histories.js';

const runs = process.env.DEEP_TESTS === undefined ? 50 : 500;
const seed = Number(process.env.TEST_SEED ?? 20_261_121);

const isTrade = (fact: Fact): fact is Fact & Trade => fact.kind === 'bought' || fact.kind === 'sold';

/** The book after all facts. Withdrawals do not change it. */
function play(facts: readonly Fact[]): Book {
  const book = emptyBook();
  for (const fact of facts) {
    if (fact.kind === 'registered') applyRegistration(book, fact);
    else if (isTrade(fact)) applyTrade(book, fact);
  }
  return book;
}

describe('the rules of trading', () => {
  it('replay positions and candles from their trades alone', () => {
    fc.assert(
      fc.property(histories(80), ({ facts }) => {
        const book = play(facts);
        const trades = facts.filter(isTrade);
        // The book still has the first `sold` lots, which are used up. A replay drops them.
        const expected = Array.from(book.positions, ([agent, holder, position]) => [
          agent,
          holder,
          { ...position, lots: position.lots.slice(position.sold), sold: 0 },
        ]);
        const registrations = facts.filter((fact) => fact.kind === 'registered');
        // Replays the trades in several pages. `pages` are the places where the later pages begin.
        const replayed = (facts: readonly (Fact & Trade)[], ...pages: number[]) => {
          const replayed = emptyBook();
          for (const registration of registrations) applyRegistration(replayed, registration);
          for (const [i, from] of [0, ...pages].entries()) replayPositions(replayed, facts.slice(from, pages[i]));
          return [...replayed.positions];
        };
        expect(replayed(trades)).to.have.deep.members(expected);
        expect(replayed(trades, Math.floor(trades.length / 3), trades.length - 1)).to.have.deep.members(expected);
        expect([...replayCandles(trades)]).to.deep.equal([...book.candles]);
      }),
      { seed, numRuns: runs },
    );
  });

  it('refuse a history with a gap, a duplicate or a sale of missing tickets', () => {
    const at = { blockNumber: 1, logIndex: 0, time: new Date(0) };
    const money = { price: 5n, protocolFee: 1n, agentFee: 1n };
    const buy = { kind: 'bought' as const, trader: '0xb', agent: '0xa', amount: 2, supply: 3, ...money, ...at };
    const opened = () => {
      const book = emptyBook();
      applyRegistration(book, { agent: '0xa', ...at });
      return book;
    };
    expect(() => applyTrade(emptyBook(), buy)).to.throw(InconsistentHistory, 'has not registered');
    expect(() => applyRegistration(opened(), { agent: '0xa', ...at })).to.throw(InconsistentHistory, 'registered twice');
    expect(() => applyTrade(opened(), { ...buy, supply: 4 })).to.throw(InconsistentHistory, 'supply of 0xa is 1');
    const book = opened();
    applyTrade(book, buy);
    expect(() => applyTrade(book, buy)).to.throw(InconsistentHistory, 'supply of 0xa is 3');
    const sale = { ...buy, kind: 'sold' as const, trader: '0xc', amount: 1, supply: 2 };
    expect(() => applyTrade(book, sale)).to.throw(InconsistentHistory, 'sells 1 of 0 tickets');
  });
});
