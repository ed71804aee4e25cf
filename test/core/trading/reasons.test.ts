import { expect } from 'chai';
import { matchesSubmission, mismatchReason, type TradeParts } from '../../../src/core/trading/reasons.js';

describe('why a transaction does not prove a trade', () => {
  const meant: TradeParts = { sale: false, trader: 'me', agent: 'ada', amount: 2 };
  const not = (...trades: Partial<TradeParts>[]) =>
    mismatchReason(
      trades.map((trade) => ({ ...meant, ...trade })),
      meant,
    );

  it('is the part that differs', () => {
    expect(not()).to.equal('WRONG_EVENT');
    expect(not({ sale: true })).to.equal('WRONG_EVENT');
    expect(not({ trader: 'you' })).to.equal('NOT_YOURS');
    expect(not({ agent: 'bob' })).to.equal('WRONG_AGENT');
    expect(not({ amount: 3 })).to.equal('WRONG_AMOUNT');
  });

  it('is the first part that differs, when several do', () => {
    expect(not({ sale: true, trader: 'you', agent: 'bob', amount: 3 })).to.equal('WRONG_EVENT');
    expect(not({ trader: 'you', agent: 'bob', amount: 3 })).to.equal('NOT_YOURS');
    expect(not({ agent: 'bob', amount: 3 })).to.equal('WRONG_AGENT');
  });

  it('is of the closest trade, when there are several', () => {
    expect(not({ sale: true }, { amount: 3 }, { trader: 'you' })).to.equal('WRONG_AMOUNT');
    expect(not({ trader: 'you' }, { agent: 'bob', amount: 3 })).to.equal('WRONG_AGENT');
    expect(not({ sale: true }, { trader: 'you', amount: 3 })).to.equal('NOT_YOURS');
  });

  it('is none where a trade is the one that is meant', () => {
    expect(matchesSubmission(meant, meant)).to.equal(true);
    for (const other of [{ sale: true }, { trader: 'you' }, { agent: 'bob' }, { amount: 3 }]) {
      expect(matchesSubmission({ ...meant, ...other }, meant)).to.equal(false);
    }
    expect(() => not({}, { amount: 3 })).to.throw('matches the submission');
  });
});
