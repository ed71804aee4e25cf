import { readFileSync } from 'node:fs';
import { expect } from 'chai';
import fc from 'fast-check';
import { formatEth } from '../../../src/money.js';

// Computes the figures of the documents with plain loops over the curve, without the functions of the service.

const SQUARE = 10n ** 18n / 50_000n;
const squares = (supply: number, amount: number): bigint => {
  let sum = 0n;
  for (let i = supply; i < supply + amount; i++) sum += BigInt(i * i);
  return sum;
};
/** Cost with fees of 10 %, in wei. */
const cost = (supply: number, amount: number) => (squares(supply, amount) * SQUARE * 11n) / 10n;
/** Payout after fees of 10 %, of selling down to `supply`. */
const payout = (supply: number, amount: number) => (squares(supply, amount) * SQUARE * 9n) / 10n;

/** An attacker buys before a purchase of `amount` tickets at the supply, and sells after it. */
const gain = (supply: number, amount: number, attack: number) => payout(supply + amount, attack) - cost(supply, attack);
/** How much more the victim pays, in percent. */
const dearer = (supply: number, amount: number, attack: number) =>
  (Number(cost(supply + attack, amount)) / Number(cost(supply, amount)) - 1) * 100;

describe('a sandwich around a purchase of 20 tickets at a supply of 100', () => {
  it('of 2 tickets gains 0.078 ETH within the bound of a quote, which 3 tickets exceed, and one of 1 ticket within 3 %', () => {
    expect(formatEth(gain(100, 20, 2))).to.equal('0.078316');
    expect(dearer(100, 20, 2))
      .to.be.within(3.67, 3.68)
      .and.below(5);
    expect(dearer(100, 20, 3)).to.be.above(5);
    expect(formatEth(gain(100, 20, 1))).to.equal('0.0392');
    expect(dearer(100, 20, 1)).to.be.within(1.82, 1.84);
  });

  it('has these figures in the guide and in docs/contract.md', () => {
    const read = (path: string) => readFileSync(path, 'utf8').replace(/\s+/g, ' ');
    const docs = read('src/features/guides/docs/contract-calls.md');
    expect(docs).to.include('At supply 100, you buy 20 tickets with the 5 % of a quote. Somebody buys 2 before you');
    expect(docs).to.include('gains 0.078 ETH; you pay 3.7 % more');
    expect(docs).to.include('it would make your purchase 1.8 % more expensive');
    const page = read('docs/contract.md');
    expect(page).to.include('An attacker that buys 2 tickets raises the victim');
    expect(page).to.include('and gains 0.078 ether');
    expect(page).to.include('not one with a single ticket (1.8 %, 0.039 ether). A bound of 1 % stops both');
  });

  it('never gains if the purchase raises the price of a ticket by less than 10 %, not even for the agent', () => {
    const range = fc.record({
      supply: fc.integer({ min: 1, max: 2000 }),
      amount: fc.integer({ min: 1, max: 20 }),
      attack: fc.integer({ min: 1, max: 60 }),
    });
    /**
     * Gain of an agent that attacks in its own tickets, in squares times 100. The agent fee returns to the agent, so it
     * pays only the protocol fee of 5 %.
     */
    const ofAgent = (supply: number, amount: number, attack: number) =>
      95n * squares(supply + amount, attack) - 105n * squares(supply, attack);
    let safe = 0;
    fc.assert(
      fc.property(range, ({ supply, amount, attack }) => {
        if ((supply + amount) ** 2 >= supply ** 2 * 1.1) return;
        safe += 1;
        expect(ofAgent(supply, amount, attack) < 0n).to.equal(true);
        expect(gain(supply, amount, attack) < 0n).to.equal(true);
      }),
      { numRuns: 2000 },
    );
    expect(safe).to.be.above(1000);
    // A purchase of 6 tickets at a supply of 100 raises it by 12 %.
    expect(ofAgent(100, 6, 1) > 0n).to.equal(true);
  });
});
