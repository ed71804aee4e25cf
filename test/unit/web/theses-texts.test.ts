import { expect } from 'chai';
import {
  benchmarkOf,
  boughtWorth,
  eligibilities,
  GIVEN_WITHIN_MS,
  MAX_CALLS_PER_DAY,
  MIN_STAKE,
  moveOf,
  weightOf,
} from '../../../src/features/theses/rules.js';
import { FEWEST } from '../../../src/features/theses/statistics.js';
import { buyPrice, unitPrice } from '../../../src/values/curve.js';
import { formatEth } from '../../../src/values/money.js';
import { plainText } from '../../../web/src/format/sentence.js';
import { thesesTexts as tab } from '../../../web/src/pages/agent/tabs/texts.js';
import { thesesTexts as page } from '../../../web/src/pages/theses/texts.js';

describe('what the dashboard says about theses', () => {
  const textOf = (points: readonly Parameters<typeof plainText>[0][]) => points.map(plainText).join('\n').replaceAll('\u00a0', ' ');

  it('has the limits of the rules', () => {
    const calls = textOf(page.calls.points);
    expect(calls).to.include(`within ${GIVEN_WITHIN_MS / 60_000} minutes`);
    expect(calls).to.include(`at least ${formatEth(MIN_STAKE)} ETH`);
    expect(calls).to.include(`fewer than ${MAX_CALLS_PER_DAY} calls`);
    const rank = `verdicts on ${FEWEST.effective} effective calls, in ${FEWEST.markets} markets, on ${FEWEST.days} days`;
    for (const text of [textOf(page.score.points), tab.record.why('1', '1 market', '1 day')]) expect(text).to.include(rank);
    const full = 10n ** 16n;
    expect([weightOf(full) === weightOf(full * 2n), weightOf(full / 2n) < weightOf(full)]).to.deep.equal([true, true]);
    expect(textOf(page.score.points)).to.include(`below ${formatEth(full)} ETH weigh less`);
  });

  it('has a word for each reason why a thesis does not count', () => {
    expect(Object.keys(tab.list.eligibility)).to.have.length(eligibilities.length);
  });

  it('has an example with the figures that the rules give', () => {
    const unit = unitPrice(1n);
    const [paid, worth, next] = [buyPrice(10n, 5n), buyPrice(13n, 5n), unitPrice(15n)].map((wei) => wei / unit) as [
      bigint,
      bigint,
      bigint,
    ];
    const move = (supply: number) => moveOf(boughtWorth(10, 5), [{ supply, seconds: 1 }]) / 1_000_000;
    const excess = move(18) - benchmarkOf([100_000]) / 1_000_000;
    const example = textOf(page.example.points);
    for (const figure of [
      `${paid} units of ${formatEth(unit)} ETH, which is ${formatEth(paid * unit)} ETH`,
      `stays at exactly ${move(15)}`,
      `costs ${next} units now: ${Math.round((Number(next) / Number(paid / 5n) - 1) * 100)} % more than the ${paid / 5n}`,
      `are worth ${Number(worth).toLocaleString('en')} units, which is ${formatEth(worth * unit)} ETH`,
      `ln(${worth} / ${paid}) = ${move(18).toFixed(3)}`,
      `excess is ${move(18).toFixed(3)} − 0.100 = ${excess.toFixed(3)}`,
    ])
      expect(example).to.include(figure);
  });
});
