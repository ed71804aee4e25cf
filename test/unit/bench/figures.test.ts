import { expect } from 'chai';
import { chart } from '../../../bench/support/chart.js';
import { median, quantile } from '../../../bench/support/figures.js';
import { bytesOf } from '../../../bench/support/load.js';
import { markdown, table } from '../../../bench/support/report.js';
import type { Line } from '../../../bench/support/result.js';
import { combine } from '../../../bench/support/runs.js';

const line = (given: Partial<Line>): Line => ({
  row: 'row',
  work: '`GET /x`',
  against: 'A & B',
  product: '10/s',
  peer: '5/s',
  value: 2,
  target: { at: 'least', value: 1.5, unit: 'times' },
  note: 'a|b',
  ...given,
});
const slow = line({ row: 'slow', work: 'Slow', value: 80, target: { at: 'most', value: 50, unit: 'ms' } });

describe('the benchmark figures', () => {
  it('are the medians of the rounds', () => {
    expect(median([9, 1, 5])).to.equal(5);
    expect(median([4, 1, 100, 2])).to.equal(3);
    expect(() => median([])).to.throw(RangeError);
  });

  it('combine several runs into medians, each with its minimum and maximum', () => {
    const runs = [
      [line({ value: 2, cpuRatio: 1.5, product: 'first' }), slow],
      [line({ value: 1, cpuRatio: 1.9, product: 'second' }), slow],
      [line({ value: 4, cpuRatio: 1.6, product: 'third' }), slow],
    ];
    const [times, milliseconds] = combine(runs);
    expect(times).to.deep.include({ value: 2, cpuRatio: 1.6, product: 'first' });
    expect(times?.spread).to.deep.equal({ value: [1, 4], cpuRatio: [1.5, 1.9] });
    expect(milliseconds).to.not.have.property('cpuRatio');
    expect(table(combine(runs))).to.match(/2\.00× \(1\.00× to 4\.00×\)/);
    const results = {
      rows: { row: { at: 'now', quick: false, seconds: 1, lines: combine(runs) } },
      machine: '',
      versions: {},
    };
    expect(markdown(results, ['row'], new Map())).to.include('1.60× (1.50× to 1.90×)');
    expect(combine([[slow]])).to.deep.equal([slow]);
  });

  it('compute a quantile as the smallest value that covers the given share of the values', () => {
    const values = Array.from({ length: 100 }, (_, i) => 100 - i);
    expect(quantile(values, 0.99)).to.equal(99);
    expect(quantile(values, 0.5)).to.equal(50);
    expect(quantile([7], 0.99)).to.equal(7);
  });

  it('print as a table with three digits, and with a verdict that counts the exact limit as reached', () => {
    const least = [1.49, 1.5, 1.51].map((value) => line({ value }));
    const most = [49.94, 50, 219.6].map((value) => ({ ...slow, value }));
    expect(table([...least, ...most]).split('\n')).to.deep.equal([
      'Work    Against  Measured  Target',
      'GET /x  A & B    1.49×     ≥ 1.50×    missed',
      'GET /x  A & B    1.50×     ≥ 1.50×    reached',
      'GET /x  A & B    1.51×     ≥ 1.50×    reached',
      'Slow    A & B    49.9 ms   ≤ 50.0 ms  reached',
      'Slow    A & B    50.0 ms   ≤ 50.0 ms  reached',
      'Slow    A & B    220 ms    ≤ 50.0 ms  missed',
    ]);
  });

  it('print as Markdown, with the known limitation of a target only if it is missed', () => {
    const rows = {
      row: { at: 'today', quick: false, seconds: 5, lines: [line({})] },
      slow: { at: 'today', quick: true, seconds: 1, lines: [slow] },
    };
    const limits = new Map([
      ['slow', 'it is slow'],
      ['row', 'never shown'],
    ]);
    const text = markdown({ rows, machine: 'A machine', versions: { Node: '24' } }, ['slow', 'row', 'none'], limits);
    expect(text).to.include('1 of 2 targets are reached');
    expect(text).to.include('| `GET /x` | A & B | **2.00×** | ≥ 1.50× | reached |   | 10/s | 5/s | a\\|b |');
    expect(text).to.include('- **slow**: it is slow');
    expect(text).not.to.include('never shown');
    expect(text.indexOf('Slow')).to.be.lessThan(text.indexOf('GET /x'));
  });

  it('are drawn as one bar per line, longer for a better result, with escaped names', () => {
    const svg = chart([line({}), slow, line({ value: 1000 })]);
    // A bar is 200 pixels long at its target, and at most 400.
    const bars = [...svg.matchAll(/class="(reached|missed)" x="390" y="\d+" width="([\d.]+)"/g)];
    expect(bars.map(([, kind, width]) => [kind, Number(width)])).to.deep.equal([
      ['reached', 266.7],
      ['missed', 125],
      ['reached', 400],
    ]);
    expect(svg).to.include('A &#38; B');
    expect(svg).to.include('prefers-color-scheme: dark');
  });

  it('are measured with complete HTTP requests', () => {
    expect(bytesOf({ path: '/x', headers: { 'cache-control': 'no-cache' } }, 'host:1').toString()).to.equal(
      'GET /x HTTP/1.1\r\nhost: host:1\r\ncache-control: no-cache\r\n\r\n',
    );
    expect(bytesOf({ path: '/x', body: '{"é":1}' }, 'host:1').toString()).to.equal(
      'POST /x HTTP/1.1\r\nhost: host:1\r\ncontent-type: application/json\r\ncontent-length: 8\r\n\r\n{"é":1}',
    );
  });
});
