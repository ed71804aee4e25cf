import { expect } from 'chai';
import { pino } from 'pino';
import { AppError } from '../src/errors.js';
import { openOutages } from '../src/outage.js';
import { manualTimes } from './support/times.js';

describe('the log of outages', () => {
  function openLog() {
    const lines: Record<string, unknown>[] = [];
    const write = (line: string) => {
      const { level, msg, part, reason, seconds } = JSON.parse(line);
      lines.push({ level, msg, part, reason, seconds });
    };
    const times = manualTimes();
    return { lines, times, outages: openOutages(pino({ base: null }, { write }), times.now) };
  }
  const away = { level: 40, msg: 'a part is away', seconds: undefined };
  const back = { level: 30, msg: 'the part is back', reason: undefined };

  it('has one line when the first notices that a part is away, and one when it is back for the last', () => {
    const { lines, times, outages } = openLog();
    outages.begin('database', 'index', new Error('connect ECONNREFUSED\n    at a stack'));
    outages.begin('database', 'index', new Error('again'));
    outages.begin('database', 'live events', new Error('also'));
    outages.begin('chain', 'index', new AppError('CHAIN_UNAVAILABLE', {}, { cause: new Error('HTTP 502') }));
    times.advance(61_400);
    outages.end('database', 'index');
    outages.end('database', 'somebody who noticed nothing');
    expect(outages.isAny()).to.equal(true);
    const begun = [
      { ...away, part: 'database', reason: 'connect ECONNREFUSED' },
      { ...away, part: 'chain', reason: 'HTTP 502' },
    ];
    expect(lines).to.deep.equal(begun);
    outages.end('database', 'live events');
    times.advance(1000);
    outages.end('chain', 'index');
    outages.end('chain', 'index');
    expect(lines.slice(2)).to.deep.equal([
      { ...back, part: 'database', seconds: 61 },
      { ...back, part: 'chain', seconds: 62 },
    ]);
    expect(outages.isAny()).to.equal(false);
    outages.begin('database', 'index', Object.assign(new Error(''), { code: 'ETIMEDOUT' }));
    expect(lines.at(-1)).to.deep.equal({ ...away, part: 'database', reason: 'ETIMEDOUT' });
  });
});
