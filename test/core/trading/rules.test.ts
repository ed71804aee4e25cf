import { expect } from 'chai';
import fc from 'fast-check';
import type { Fact } from '../../../src/chain/logs/facts.js';
import { positionOf, TradeColumns } from '../../../src/core/trading/fifo.js';
import {
  applyRegistration,
  applyTrade,
  type Book,
  emptyBook,
  InconsistentHistory,
  replayCandles,
  type TradeOutcome,
} from '../../../src/core/trading/rules.js';
import type { Trade } from '../../../src/trade.js';
import { histories } from '../../support/market/histories.js';
import { oracle, type Row } from '../../support/market/oracle.js';

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

/** A trade in the text form in which the database returns it for a replay. */
const textOf = ({ kind, amount, blockNumber, logIndex, time, price, protocolFee, agentFee }: Trade): string =>
  `${kind === 'sold' ? -amount : amount} ${blockNumber} ${logIndex} ${time.getTime() / 1000} ${price + protocolFee + agentFee}`;

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

  it('replay a position and the candles from their trades alone', () => {
    fc.assert(
      fc.property(histories(80), ({ facts }) => {
        const { book } = play(facts);
        for (const [agent, holder, { amount, ...position }] of book.positions) {
          const registration = facts.find(
            (fact) => fact.kind === 'registered' && fact.agent === agent && agent === holder,
          );
          const trades = facts.filter(isTrade).filter((trade) => trade.agent === agent && trade.trader === holder);
          const columns = new TradeColumns();
          // The trades of another position precede those of this position, as in a replay of many positions.
          columns.add('3 1 1 1 7 -2 1 2 1 4');
          columns.add(trades.map(textOf).join(' '));
          const replayed = positionOf(
            columns,
            2,
            columns.count,
            registration as (Fact & { kind: 'registered' }) | undefined,
          );
          if (amount === 0) expect(replayed).to.equal(undefined);
          else
            expect(replayed).to.deep.equal({ amount, ...position, lots: position.lots.slice(position.sold), sold: 0 });
        }
        expect([...replayCandles(facts.filter(isTrade))]).to.deep.equal([...book.candles]);
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

  it('replay costs to the wei up to the largest possible cost, and refuse larger costs', () => {
    const wei = fc.oneof(
      fc.bigInt(0n, 45n * 10n ** 27n),
      fc.bigInt(0n, 10n ** 15n),
      fc.constantFrom(0n, 10n ** 14n - 1n),
    );
    const step = fc.record({ amount: fc.integer({ min: 1, max: 20 }), sells: fc.boolean(), wei });
    fc.assert(
      fc.property(fc.array(step, { maxLength: 60, size: 'max' }), (steps) => {
        const columns = new TradeColumns();
        const lots: { remaining: bigint; cost: bigint }[] = [];
        let held = 0;
        for (const [i, { amount, sells, wei }] of steps.entries()) {
          if (!sells) {
            held += amount;
            lots.push({ remaining: BigInt(amount), cost: wei });
            columns.add(`${amount} ${i} 0 ${i} ${wei}`);
            continue;
          }
          const sold = Math.min(amount, held);
          if (sold === 0) continue;
          held -= sold;
          columns.add(`${-sold} ${i} 0 ${i} ${wei}`);
          for (let left = BigInt(sold); left > 0n; ) {
            const lot = lots[0] as (typeof lots)[number];
            const taken = left < lot.remaining ? left : lot.remaining;
            lot.cost -= (lot.cost * taken) / lot.remaining;
            lot.remaining -= taken;
            left -= taken;
            if (lot.remaining === 0n) lots.shift();
          }
        }
        const position = positionOf(columns, 0, columns.count, undefined);
        expect(position?.cost ?? 0n).to.equal(lots.reduce((sum, { cost }) => sum + cost, 0n));
        expect((position?.lots ?? []).map(({ remaining, cost }) => `${remaining} ${cost}`)).to.deep.equal(
          lots.map(({ remaining, cost }) => `${remaining} ${cost}`),
        );
      }),
      { seed, numRuns: runs * 5 },
    );
    for (const wei of [45n * 10n ** 27n + 10n ** 14n, 10n ** 40n, 2n ** 256n - 1n]) {
      expect(() => new TradeColumns().add(`1 1 1 1 ${wei}`)).to.throw(RangeError, String(wei));
    }
  });
});
