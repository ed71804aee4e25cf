import { expect } from 'chai';
import { ticketMarket } from '../../../../../src/chain/contract-interface.js';
import { revertReason, revertReasons } from '../../../../../src/features/trading/prices/quote.js';
import { mismatchReason, type TradeParts } from '../../../../../src/features/trading/record.js';

describe('the reason why a transaction does not prove a trade', () => {
  const meant: TradeParts = { sale: false, trader: 'me', agent: 'ada', amount: 2 };
  const not = (...trades: Partial<TradeParts>[]) =>
    mismatchReason(
      trades.map((trade) => ({ ...meant, ...trade })),
      meant,
    );

  it('is the first field that differs, in order of precedence', () => {
    expect(not(), 'no trade').to.equal('WRONG_EVENT');
    expect(not({ sale: true, trader: 'you', agent: 'bob', amount: 3 })).to.equal('WRONG_EVENT');
    expect(not({ trader: 'you', agent: 'bob', amount: 3 })).to.equal('NOT_YOURS');
    expect(not({ agent: 'bob', amount: 3 })).to.equal('WRONG_AGENT');
  });

  it('refers to the closest trade of the transaction', () => {
    expect(not({ sale: true }, { amount: 3 }, { trader: 'you' })).to.equal('WRONG_AMOUNT');
    expect(not({ trader: 'you' }, { agent: 'bob', amount: 3 })).to.equal('WRONG_AGENT');
    expect(not({ sale: true }, { trader: 'you', amount: 3 })).to.equal('NOT_YOURS');
  });
});

describe('the reason of a refused trade', () => {
  it('exists only for errors that the contract has', () => {
    const missing = Object.keys(revertReasons).filter((name) => ticketMarket.getError(name) === null);
    expect(missing).to.deep.equal([]);
  });

  it('contains the error with its arguments, also if it is unknown', () => {
    expect(revertReason({ name: 'CostAboveMax', args: ['12', '10'] })).to.equal(
      'the price rose above maxCost; ask for a new quote. CostAboveMax(12, 10)',
    );
    expect(revertReason({ name: 'FeesBelowMinimum', args: ['1', '2'] })).to.equal('FeesBelowMinimum(1, 2)');
  });
});
