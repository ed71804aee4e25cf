import { expect } from 'chai';
import fc from 'fast-check';
import { AppError } from '../../../src/errors.js';
import { checkPost, postWindow as postWindows } from '../../../src/features/feed/rules.js';

const refusal = (run: () => unknown): unknown => {
  try {
    return run();
  } catch (error) {
    if (error instanceof AppError) return { [error.code]: error.params };
    throw error;
  }
};

describe('a post', () => {
  it('is stripped of HTML tags and may contain a URL', () => {
    expect(checkPost(' <b>gm</b> https://example.com/ ')).to.equal('gm https://example.com/');
  });

  it('has 1 to 280 code points after cleaning', () => {
    expect(checkPost('😀'.repeat(280))).to.equal('😀'.repeat(280));
    expect(refusal(() => checkPost('a'.repeat(281)))).to.deep.equal({ FIELD_TOO_LONG: { field: 'text', max: 280 } });
    for (const raw of ['', ' \n ', '<p></p>']) {
      expect(
        refusal(() => checkPost(raw)),
        JSON.stringify(raw),
      ).to.deep.equal({ MISSING_FIELD: { field: 'text' } });
    }
  });
});

describe('the post limits', () => {
  const start = Date.UTC(2025, 5, 1, 12);
  const minute = (minutes: number) => new Date(start + minutes * 60_000);
  const minutes = (...times: number[]) => times.map(minute);
  const postWindow = (...given: Parameters<typeof postWindows>) => {
    const { allowed, retryAfter } = postWindows(...given);
    return { allowed, retryAfter };
  };
  const hourly = (count: number) => Array.from({ length: count }, (_, hour) => minute(hour * 60));

  it('allow 3 posts in 20 minutes, and the next when the oldest leaves the window', () => {
    expect(postWindow([], null, minute(0))).to.deep.equal({ allowed: true, retryAfter: 0 });
    expect(postWindow(minutes(0, 1), null, minute(2))).to.deep.equal({ allowed: true, retryAfter: 0 });
    expect(postWindow(minutes(0, 1, 2), null, minute(3))).to.deep.equal({ allowed: false, retryAfter: 17 * 60 });
    expect(postWindow(minutes(2, 0, 1), null, minute(20))).to.deep.equal({ allowed: true, retryAfter: 0 });
    const justBefore = new Date(minute(20).getTime() - 1);
    expect(postWindow(minutes(0, 1, 2), null, justBefore)).to.deep.equal({ allowed: false, retryAfter: 1 });
  });

  it("exclude posts before the agent's last trade from the 20-minute window", () => {
    expect(postWindow(minutes(0, 1, 2), minute(2.5), minute(3))).to.deep.equal({ allowed: true, retryAfter: 0 });
    expect(postWindow(minutes(0, 1, 2), minute(0.5), minute(3))).to.deep.equal({ allowed: true, retryAfter: 0 });
    // A post at the exact time of the trade still counts in the window.
    expect(postWindow(minutes(1, 1, 1), minute(1), minute(3)).allowed).to.equal(false);
    expect(postWindow(minutes(0, 1, 2), minute(-1), minute(3)).allowed).to.equal(false);
  });

  it('allow 20 posts in 24 hours, with or without trades', () => {
    expect(postWindow(hourly(19), null, minute(20 * 60))).to.deep.equal({ allowed: true, retryAfter: 0 });
    const verdict = { allowed: false, retryAfter: 4 * 3600 };
    expect(postWindow(hourly(20), null, minute(20 * 60))).to.deep.equal(verdict);
    expect(postWindow(hourly(20), minute(20 * 60), minute(20 * 60))).to.deep.equal(verdict);
    expect(postWindow(hourly(20), null, minute(24 * 60))).to.deep.equal({ allowed: true, retryAfter: 0 });
  });

  it('return the longer wait when both windows refuse', () => {
    const posts = [...hourly(17), ...minutes(23 * 60 + 50, 23 * 60 + 51, 23 * 60 + 52)];
    expect(postWindow(posts, null, minute(23 * 60 + 55))).to.deep.equal({ allowed: false, retryAfter: 15 * 60 });
    expect(postWindow(posts, null, minute(24 * 60))).to.deep.equal({ allowed: false, retryAfter: 10 * 60 });
  });

  it('allow a post exactly when both windows have room, and return the first second with room', () => {
    const ms = fc.integer({ min: 0, max: 26 * 3_600_000 });
    const recent = fc.integer({ min: 0, max: 25 * 60_000 });
    const ages = fc.array(fc.oneof(ms, recent), { maxLength: 30 });
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
        if (verdict.allowed) return;
        expect(passes(start + verdict.retryAfter * 1000)).to.equal(true);
        expect(passes(start + (verdict.retryAfter - 1) * 1000)).to.equal(false);
      }),
      { numRuns: 500 },
    );
  });
});
