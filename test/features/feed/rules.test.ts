import { expect } from 'chai';
import fc from 'fast-check';
import { checkPost, postWindow } from '../../../src/features/feed/rules.js';
import { refusedBy } from '../../support/refused.js';

describe('a post', () => {
  it('is stripped of HTML tags and may contain a URL', () => {
    expect(checkPost(' <b>gm</b> https://example.com/ ')).to.equal('gm https://example.com/');
  });

  it('has 1 to 280 code points after cleaning', () => {
    expect(checkPost('😀'.repeat(280))).to.equal('😀'.repeat(280));
    const { code, params } = refusedBy(() => checkPost('a'.repeat(281)));
    expect({ code, params }).to.deep.equal({ code: 'FIELD_TOO_LONG', params: { field: 'text', max: 280 } });
    for (const raw of ['', ' \n ', '<p></p>']) {
      expect(refusedBy(() => checkPost(raw)).code, JSON.stringify(raw)).to.equal('MISSING_FIELD');
    }
  });
});

describe('the post limits', () => {
  const start = Date.UTC(2025, 5, 1, 12);

  it('allow a post exactly when both windows have room, and return the first second with room', () => {
    const ms = fc.integer({ min: 0, max: 26 * 3_600_000 });
    const recent = fc.integer({ min: 0, max: 25 * 60_000 });
    const ages = fc.array(fc.oneof(ms, recent), { maxLength: 30 });
    const MINUTE = 60_000;
    const hours = Array.from({ length: 20 }, (_, hour) => (24 - hour) * 60 * MINUTE);
    // A post leaves a window at its end. One at the time of the last trade still counts.
    const examples: [number[], number | null][] = [
      [[], null],
      [[20 * MINUTE, 2 * MINUTE, MINUTE], null],
      [[20 * MINUTE - 1, 2 * MINUTE, MINUTE], null],
      [[3 * MINUTE, 3 * MINUTE, 3 * MINUTE], 3 * MINUTE],
      [[3 * MINUTE, 3 * MINUTE, 3 * MINUTE], 3 * MINUTE - 1],
      [hours, null],
      [hours.map((age) => age - 1), 0],
    ];
    fc.assert(
      fc.property(ages, fc.option(recent), (postAges, tradeAge) => {
        const posts = postAges.map((age) => new Date(start - age));
        const trade = tradeAge === null ? null : new Date(start - tradeAge);
        const passes = (now: number) => {
          const within = (span: number) => posts.map(Number).filter((time) => time > now - span);
          const counted = within(20 * 60_000).filter((time) => trade === null || time >= trade.getTime());
          return counted.length < 3 && within(24 * 3_600_000).length < 20;
        };
        const verdict = postWindow(posts, trade, new Date(start));
        expect(verdict.allowed).to.equal(passes(start));
        if (verdict.allowed) return void expect(verdict.retryAfter).to.equal(0);
        expect(passes(start + verdict.retryAfter * 1000)).to.equal(true);
        expect(passes(start + (verdict.retryAfter - 1) * 1000)).to.equal(false);
      }),
      { examples, numRuns: 500 },
    );
  });
});
