import { expect } from 'chai';
import fc from 'fast-check';
import { isoTime, parseSqlTime } from '../../../src/values/time.js';

const times = fc.date({
  min: new Date('0001-01-01T00:00:00Z'),
  max: new Date('9999-12-31T23:59:59.999Z'),
  noInvalidDate: true,
});

describe('the conversion of times', () => {
  it('formats times like toISOString', () => {
    fc.assert(fc.property(times, (time) => isoTime(time) === time.toISOString()));
    // ±8.64e15 are the first and the last time of a `Date`. 253402300800000 begins the year 10000, which toISOString writes with a
    // sign and six digits.
    for (const milliseconds of [-8.64e15, -1, 0, 999, 253402300800000, 8.64e15]) {
      expect(isoTime(new Date(milliseconds))).to.equal(new Date(milliseconds).toISOString());
    }
  });

  it('refuses invalid times like toISOString', () => {
    expect(() => isoTime(new Date(Number.NaN))).to.throw(RangeError);
  });

  it('parses the times of PostgreSQL with zero to six fractional digits', () => {
    fc.assert(
      fc.property(times, fc.nat(999), fc.nat(6), (time, microseconds, length) => {
        const iso = time.toISOString();
        const fraction = `${iso.slice(20, 23)}${String(microseconds).padStart(3, '0')}`.slice(0, length);
        const seconds = iso.slice(0, 19);
        const text = `${seconds.replace('T', ' ')}${fraction && `.${fraction}`}+00`;
        // A `Date` has milliseconds, so the microseconds are dropped.
        const parsed = new Date(`${seconds}.${fraction.slice(0, 3).padEnd(3, '0')}Z`);
        expect(parseSqlTime(text)).to.deep.equal(parsed);
      }),
    );
  });

  it('parses times of other zones', () => {
    expect(parseSqlTime('2026-01-15 12:00:00.5+02')).to.deep.equal(new Date('2026-01-15T10:00:00.500Z'));
    expect(parseSqlTime('2026-01-15 12:00:00+05:30')).to.deep.equal(new Date('2026-01-15T06:30:00.000Z'));
  });
});
