import { expect } from 'chai';
import fc from 'fast-check';
import { checkPost, checkThesis, cleanText, hasUrl, postWindow } from '../../../src/core/feed/rules.js';
import { AppError } from '../../../src/errors.js';

const refusal = (run: () => unknown): unknown => {
  try {
    return run();
  } catch (error) {
    if (error instanceof AppError) return { [error.code]: error.params };
    throw error;
  }
};

describe('cleaning text', () => {
  const cases: Record<string, string> = {
    'plain text': 'plain text',
    '  trimmed \n': 'trimmed',
    '<b>bold</b>': 'bold',
    '<a href="x">link</a>': 'link',
    'a<br/>b': 'ab',
    '<!DOCTYPE html>x': 'x',
    '<script>alert(1)</script>': 'alert(1)',
    '<scr<script>ipt>x': 'ipt>x',
    '<<b>script>x<<b>/script>': 'x',
    '<<b>script <i>x</i>>y': 'y',
    '</<i>b>x': 'x',
    '<\n>': '<\n>',
    '<a\nb>x': 'x',
    'a < b': 'a < b',
    'a < b > c': 'a < b > c',
    'a <3 b>': 'a <3 b>',
    '1<2>3': '1<2>3',
    '<b': '<b',
    '<!-- x -->': '<!-- x -->',
    '<>': '<>',
    '</>': '</>',
    ' <i> </i> ': '',
    '<b> x </b>': 'x',
  };
  for (const [raw, clean] of Object.entries(cases)) {
    it(`${JSON.stringify(raw)} becomes ${JSON.stringify(clean)}`, () => expect(cleanText(raw)).to.equal(clean));
  }

  it('equals stripping the pattern until nothing changes', () => {
    const strip = (text: string): string => {
      const next = text.replace(/<[/!]?[A-Za-z][^>]*>/g, '');
      return next === text ? text : strip(next);
    };
    const raw = fc.string({ unit: fc.constantFrom(...'<<<>>/!ab '), maxLength: 40 });
    fc.assert(
      fc.property(raw, (text) => {
        expect(cleanText(text)).to.equal(strip(text).trim());
      }),
      { numRuns: 5000 },
    );
  });

  const size = 20_480;
  const fill = (unit: string, share = 1) => unit.repeat((size * share) / unit.length);
  const nested = (share: number) => '<'.repeat((size * share) / 3) + 'a>'.repeat((size * share) / 3);
  const hostile: Record<string, string> = {
    'only <': fill('<'),
    'tags that never end': fill('<a'),
    'one tag that never ends': `<${fill('a')}`,
    'tags in tags': nested(1),
    'tags in tags, then tags that never end': nested(0.5) + fill('<a', 0.5),
    'tags whose removal makes tags that never end': fill('<<a>b'),
    'dots and letters': fill('a.'),
    'letters that might be a name': `a.${fill('b')}`,
    'names without a slash': fill('a.xn--b'),
    'schemes without slashes': fill('http:/'),
  };
  for (const [name, text] of Object.entries(hostile)) {
    it(`takes little time for 20 KB of ${name}`, () => {
      // The best of some runs: the machine may be busy, a slow algorithm always is.
      const times = [1, 2, 3, 4, 5].map(() => {
        const start = performance.now();
        refusal(() => checkThesis(text));
        return performance.now() - start;
      });
      expect(Math.min(...times)).to.be.below(60);
    });
  }
});

describe('URLs in text', () => {
  const urls = [
    'https://x.y',
    'see http://a',
    'ftp://files',
    'a+b.c://x',
    'www.example.com',
    'WWW.x',
    '(www.a.b)',
    'x.com/',
  ].concat(['example.com/path', 'bit.ly/3x', 'пример.рф/a', 'a.xn--p1ai/', 'example.com:8080/x', 'Sub.Example.CO.UK/']);
  const texts = [
    '',
    'a/b',
    'and/or',
    'node.js is fine',
    'example.com',
    '1.5/2',
    'e.g./i.e.',
    'awww. nice',
    'http:/x',
    'a:// '.slice(1),
  ].concat(['10:30', 'supply up 3.2/day', '// comment', 'a . com/']);
  for (const text of urls) it(`are seen in ${JSON.stringify(text)}`, () => expect(hasUrl(text)).to.equal(true));
  for (const text of texts) it(`are not seen in ${JSON.stringify(text)}`, () => expect(hasUrl(text)).to.equal(false));
});

describe('a thesis', () => {
  it('is cleaned; nothing left is none', () => {
    expect(checkThesis(' <b>up only</b> ')).to.equal('up only');
    expect(checkThesis('a < b')).to.equal('a < b');
    for (const raw of ['', '  ', '<i></i>']) expect(checkThesis(raw)).to.equal(null);
  });

  it('has at most 140 code points, counted after cleaning', () => {
    expect(checkThesis(`<b>${'😀'.repeat(140)}</b>  `)).to.equal('😀'.repeat(140));
    expect(refusal(() => checkThesis('a'.repeat(141)))).to.deep.equal({
      FIELD_TOO_LONG: { field: 'thesis', max: 140 },
    });
  });

  it('has no URL, not even one that cleaning uncovers, and that is said before its length', () => {
    for (const raw of ['see https://x.y', 'ww<b></b>w.evil.com', `${'a'.repeat(200)} www.x`]) {
      expect(
        refusal(() => checkThesis(raw)),
        raw,
      ).to.deep.equal({ THESIS_HAS_URL: {} });
    }
  });
});

describe('a post', () => {
  it('is cleaned and may have a URL', () => {
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

describe('the limits of posting', () => {
  const start = Date.UTC(2025, 5, 1, 12);
  const minute = (minutes: number) => new Date(start + minutes * 60_000);
  const minutes = (...times: number[]) => times.map(minute);
  const hourly = (count: number) => Array.from({ length: count }, (_, hour) => minute(hour * 60));

  it('let 3 posts pass in 20 minutes, and the next when the first of them leaves', () => {
    expect(postWindow([], null, minute(0))).to.deep.equal({ allowed: true });
    expect(postWindow(minutes(0, 1), null, minute(2))).to.deep.equal({ allowed: true });
    expect(postWindow(minutes(0, 1, 2), null, minute(3))).to.deep.equal({ allowed: false, retryAfterSeconds: 17 * 60 });
    expect(postWindow(minutes(2, 0, 1), null, minute(20))).to.deep.equal({ allowed: true });
    const justBefore = new Date(minute(20).getTime() - 1);
    expect(postWindow(minutes(0, 1, 2), null, justBefore)).to.deep.equal({ allowed: false, retryAfterSeconds: 1 });
  });

  it('do not count posts before the last trade in the short window', () => {
    expect(postWindow(minutes(0, 1, 2), minute(2.5), minute(3))).to.deep.equal({ allowed: true });
    expect(postWindow(minutes(0, 1, 2), minute(0.5), minute(3))).to.deep.equal({ allowed: true });
    // A post of the trade's own time is not before it.
    expect(postWindow(minutes(1, 1, 1), minute(1), minute(3)).allowed).to.equal(false);
    expect(postWindow(minutes(0, 1, 2), minute(-1), minute(3)).allowed).to.equal(false);
  });

  it('let 20 posts pass in 24 hours, trades or not', () => {
    expect(postWindow(hourly(19), null, minute(20 * 60))).to.deep.equal({ allowed: true });
    const verdict = { allowed: false, retryAfterSeconds: 4 * 3600 };
    expect(postWindow(hourly(20), null, minute(20 * 60))).to.deep.equal(verdict);
    expect(postWindow(hourly(20), minute(20 * 60), minute(20 * 60))).to.deep.equal(verdict);
    expect(postWindow(hourly(20), null, minute(24 * 60))).to.deep.equal({ allowed: true });
  });

  it('name the longer wait when both refuse', () => {
    const posts = [...hourly(17), ...minutes(23 * 60 + 50, 23 * 60 + 51, 23 * 60 + 52)];
    expect(postWindow(posts, null, minute(23 * 60 + 55))).to.deep.equal({ allowed: false, retryAfterSeconds: 15 * 60 });
    expect(postWindow(posts, null, minute(24 * 60))).to.deep.equal({ allowed: false, retryAfterSeconds: 10 * 60 });
  });

  it('let exactly those posts pass that leave at most 3 and 20 in each window, and name the first second', () => {
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
        expect(passes(start + verdict.retryAfterSeconds * 1000)).to.equal(true);
        expect(passes(start + (verdict.retryAfterSeconds - 1) * 1000)).to.equal(false);
      }),
      { numRuns: 500 },
    );
  });
});
