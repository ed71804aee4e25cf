import { expect } from 'chai';
import { coverageProblems } from '../../../scripts/coverage.js';

const row = (name: string, lines: string, branches: string) =>
  `| ${name} | ${lines} | 10.00% (1/10) | ${branches} | 100.00% (1/1) |\n|---|---|---|---|---|\n`;
const table = (...rows: string[]) =>
  `Analysing\n╭---+---╮\n| File | % Lines | % Statements | % Branches | % Funcs |\n+===+===+\n${rows.join('')}╰---+---╯\n`;
const market = row('contracts/TicketMarket.sol', '100.00% (90/90)', '100.00% (20/20)');
const total = row('Total', '99.00% (99/100)', '96.00% (24/25)');

describe('the check of contract coverage', () => {
  it('passes above 95 % in every row', () => {
    const curve = row('contracts/BondingCurve.sol', '95.01% (9501/10000)', '100.00% (0/0)');
    expect(coverageProblems(table(curve, market, total))).to.deep.equal([]);
  });

  it('fails for an untested contract', () => {
    const extra = row('contracts/Extra.sol', '0.00% (0/4)', '0.00% (0/2)');
    expect(coverageProblems(table(extra, market, total))).to.deep.equal([
      'contracts/Extra.sol: 0.00% (0/4) of lines and 0.00% (0/2) of branches are covered, not above 95 %',
    ]);
  });

  for (const [what, name, lines, branches] of [
    ['lines at exactly 95 %', 'contracts/TicketBook.sol', '95.00% (95/100)', '100.00% (2/2)'],
    ['branches at exactly 95 %', 'contracts/TicketBook.sol', '100.00% (2/2)', '95.00% (19/20)'],
    ['a malformed cell', 'contracts/TicketBook.sol', '100.00% (2/2)', 'n/a'],
    ['a total at exactly 95 %', 'Total', '95.00% (95/100)', '95.00% (19/20)'],
  ] as const) {
    it(`fails for ${what}`, () => {
      expect(coverageProblems(table(market, total, row(name, lines, branches)))).to.have.length(1);
    });
  }

  it('fails without contracts or a total', () => {
    expect(coverageProblems('')).to.deep.equal(['the coverage shows no contract', 'the coverage shows no total']);
    expect(coverageProblems(table(market))).to.deep.equal(['the coverage shows no total']);
  });
});
