import { readFileSync } from 'node:fs';
import { expect } from 'chai';
import { type Gas, measureGas } from '../../../scripts/gas.js';
import { ticketMarketAbi } from '../../../src/chain/abi.js';
import { ticketMarketBytecode } from '../../../src/chain/bytecode.js';
import { gasUsed } from '../../../src/chain/gas.js';
import { testChain } from '../../support/chain/chain.js';

/** The gas of the best-known contract with the same kind of market. It has no registration, so only trades are compared. */
const BEST_KNOWN: Gas = {
  'buy 1 by a new holder': 80_394,
  'buy 1 by a holder': 63_294,
  'sell 1 of several': 70_462,
  'sell all': 65_662,
};
/** Limits of the gas of this contract. They leave room for small changes. */
const LIMITS: Gas = {
  'registration, fees to the own wallet': 130_000,
  'registration, fees to another wallet': 134_000,
  'buy 1 by a new holder': 64_000,
  'buy 1 by a holder': 47_000,
  'buy 1 by a holder, surplus returned': 50_600,
  'buy 20 by a holder, surplus returned': 50_600,
  'buy 20 by a new holder, surplus returned': 67_700,
  'buy 20 by a new holder, with a deadline, surplus returned': 67_900,
  'sell 1 of several': 52_000,
  'sell all': 47_500,
};
const snapshot = JSON.parse(readFileSync('contracts/gas.json', 'utf8')) as Gas;
const figure = (gas: number | undefined) => gas?.toLocaleString('en-US') ?? '';

describe('contract gas', () => {
  let gas: Gas;
  before(async () => {
    const chain = await testChain();
    // Gas depends on the state of the accounts, which earlier test files of this process have changed.
    await chain.reset();
    gas = await measureGas(chain.provider, ticketMarketAbi, ticketMarketBytecode);
  });

  it('matches the committed snapshot (npm run contracts updates it)', () => {
    expect(gas).to.deep.equal(snapshot);
  });

  it('matches the figures that the API documents for each call', () => {
    const dearest = (kind: RegExp) => Math.max(...Object.keys(gas).map((name) => (kind.test(name) ? gas[name]! : 0)));
    expect(gasUsed).to.deep.equal({
      registerAgent: dearest(/^registration/),
      registerAgentWithTickets: dearest(/^register and buy/),
      buyTickets: dearest(/^buy /),
      sellTickets: dearest(/^sell /),
    });
  });

  it('stays within its limits', () => {
    for (const [what, limit] of Object.entries(LIMITS)) expect(gas[what], what).to.be.at.most(limit);
  });

  it('is lower for a registration with tickets than for a registration and a purchase', () => {
    const registration = gas['registration, fees to the own wallet']!;
    expect(gas['register and buy 20']).to.be.below(registration + gas['buy 20 by a holder']!);
    const buyWithSurplus = gas['buy 20 by a holder, surplus returned']!;
    expect(gas['register and buy 20, surplus returned']).to.be.below(registration + buyWithSurplus);
  });

  it('is at most 5 % higher for 20 tickets than for one ticket', () => {
    expect(gas['buy 20 by a holder']).to.be.at.most(gas['buy 1 by a holder']! * 1.05);
    expect(gas['buy 20 by a new holder']).to.be.at.most(gas['buy 1 by a new holder']! * 1.05);
    expect(gas['sell 20 of several']).to.be.at.most(gas['sell 1 of several']! * 1.05);
  });

  it('matches the table in docs/contract.md', () => {
    const page = readFileSync('docs/contract.md', 'utf8');
    for (const [what, cost] of Object.entries(gas)) {
      // Operations without a figure in `BEST_KNOWN` have an empty cell.
      expect(page).to.include(`| ${what} | ${figure(cost)} | ${figure(BEST_KNOWN[what])} |`.replace('|  |', '| |'));
    }
  });
});
