import { expect } from 'chai';
import fc from 'fast-check';
import type { Fact } from '../../src/chain/logs/facts.js';
import {
  applyRegistration,
  applyTrade,
  type Book,
  emptyBook,
  InconsistentHistory,
  replayCandles,
  replayPositions,
  type TradeOutcome,
} from '../../src/index/rules.js';
import type { Trade } from '../../src/trade.js';
import { histories } from '../support/market/histories.js';
import { oracle, type Row } from '../support/market/oracle.js';

const runs = process.env.DEEP_TESTS === undefined ? 100 : 1000;
const seed = Number(process.env.TEST_SEED ?? 20_261_121);

const isTrade = (fact: Fact): fact is Fact & Trade => fact.kind === 'bought' || fact.kind === 'sold';

function play(facts: readonly Fact[]): { book: Book; outcomes: Map<Fact, TradeOutcome> } {
  const book = emptyBook();
  const outcomes = new Map<Fact, TradeOutcome>();
  for (const fact of facts) {
    if (fact.kind === 'registered') applyRegistration(book, fact);
    else if (isTrade(fact)) outcomes.set(fact, applyTrade(book, fact));
  }
  return { book, outcomes };
}

const only = (rows: readonly Row[] | undefined, ...names: string[]) =>
  (rows ?? []).map((row) => names.map((name) => row[name]));

describe('the rules of trading', () => {
  it(`compute the same rows as the oracle, in ${runs} runs`, () => {
    fc.assert(
      fc.property(histories(150), ({ facts }) => {
        const expected = oracle(facts);
        const { book, outcomes } = play(facts);
        const markets = [...book.markets].map(([wallet, market]) => [
          wallet,
          ...[market.supply, market.holderCount, market.feesEarned, market.tradeCount, market.volume].map(String),
        ]);
        expect(markets).to.have.deep.members(
          only(expected.market, 'wallet', 'supply', 'holder_count', 'fees_earned', 'trade_count', 'volume'),
        );
        const held = [...book.positions].filter(([, , { amount }]) => amount > 0);
        expect(
          held.map(([agent, holder, { amount, cost, since }]) => [
            agent,
            holder,
            String(amount),
            String(cost),
            since.toISOString(),
          ]),
        ).to.have.deep.members(only(expected.ticket_holding, 'agent', 'holder', 'amount', 'cost', 'since'));
        const lots = held.flatMap(([agent, holder, position]) =>
          position.lots
            .filter(({ remaining }) => remaining > 0)
            .map((lot) => [agent, holder, ...[lot.blockNumber, lot.logIndex, lot.remaining, lot.cost].map(String)]),
        );
        expect(lots).to.have.deep.members(
          only(expected.ticket_lot, 'agent', 'holder', 'block_number', 'log_index', 'remaining', 'cost'),
        );
        const ledgers = [...book.ledgers].map(([wallet, { tradeCount, sellCount, bought, realized }]) => [
          wallet,
          ...[tradeCount, sellCount, bought, realized].map(String),
        ]);
        expect(ledgers).to.have.deep.members(
          only(expected.wallet_ledger, 'wallet', 'trade_count', 'sell_count', 'bought', 'realized'),
        );
        const trades = [...outcomes].map(([{ txHash, ordinal }, { type, costBasis, realizedPnl }]) => [
          txHash,
          String(ordinal),
          type,
          costBasis === null ? null : String(costBasis),
          realizedPnl === null ? null : String(realizedPnl),
        ]);
        expect(trades).to.have.deep.members(
          only(expected.transaction, 'tx_hash', 'ordinal', 'type', 'cost_basis', 'realized_pnl'),
        );
        const candles = [...book.candles].map(([agent, hour, candle]) => [
          agent,
          new Date(hour).toISOString(),
          ...[candle.open, candle.high, candle.low, candle.close, candle.volume, candle.trades].map(String),
        ]);
        const columns = ['agent', 'hour', 'open', 'high', 'low', 'close', 'volume', 'trades'];
        expect(candles).to.have.deep.members(only(expected.candle, ...columns));
      }),
      { seed, numRuns: runs },
    );
  });

  it('replay positions and candles from their trades alone', () => {
    fc.assert(
      fc.property(histories(80), ({ facts }) => {
        const { book } = play(facts);
        const trades = facts.filter(isTrade);
        const expected = Array.from(book.positions, ([agent, holder, position]) => [
          ...[agent, holder],
          { ...position, lots: position.lots.slice(position.sold), sold: 0 },
        ]);
        const registrations = facts.filter((fact) => fact.kind === 'registered');
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
      { seed, numRuns: runs / 2 },
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
    expect(() => applyRegistration(opened(), { agent: '0xa', ...at })).to.throw(
      InconsistentHistory,
      'registered twice',
    );
    expect(() => applyTrade(opened(), { ...buy, supply: 4 })).to.throw(InconsistentHistory, 'supply of 0xa is 1');
    const book = opened();
    applyTrade(book, buy);
    expect(() => applyTrade(book, buy)).to.throw(InconsistentHistory, 'supply of 0xa is 3');
    const sale = { ...buy, kind: 'sold' as const, trader: '0xc', amount: 1, supply: 2 };
    expect(() => applyTrade(book, sale)).to.throw(InconsistentHistory, 'sells 1 of 0 tickets');
  });
});
