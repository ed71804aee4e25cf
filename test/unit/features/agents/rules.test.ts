import { expect } from 'chai';
import fc from 'fast-check';
import { type Activity, rankByTrend } from '../../../../src/features/agents/activity.js';
import { agentIdOf, checkName, containsCode, isReserved, makeCode, parsePostUrl } from '../../../../src/features/agents/rules.js';
import { codeOf } from '../../../support/refused.js';

describe('agent names', () => {
  const cases: Record<string, string> = {
    // The length is checked before the characters, as in the contract. So one wrong character gives the error of the length.
    '!': 'NAME_LENGTH',
    '😀': 'NAME_LENGTH',
    '😀😀': 'NAME_CHARACTERS',
    'a\nb': 'NAME_CHARACTERS',
    'ab\n': 'NAME_CHARACTERS',
    'a\u00a0b': 'NAME_CHARACTERS',
    'Kelvin\u212a': 'NAME_CHARACTERS',
  };
  for (const [name, expected] of Object.entries(cases)) {
    it(`are refused with ${expected} in the case of ${JSON.stringify(name)}`, () =>
      expect(codeOf(() => checkName(name))).to.equal(expected));
  }

  it('are valid with exactly 2 to 15 allowed characters and without leading, trailing or double spaces', () => {
    fc.assert(
      fc.property(fc.string({ unit: fc.constantFrom(...'aZ0 _-!é'), maxLength: 17 }), (name) => {
        const good = /^[a-zA-Z0-9 _-]*$/.test(name) && !/^ | $| {2}/.test(name);
        const expected = name.length < 2 || name.length > 15 ? 'NAME_LENGTH' : good ? 'accepted' : 'NAME_CHARACTERS';
        expect(codeOf(() => checkName(name))).to.equal(expected);
      }),
    );
  });

  it('become an agentId in lower case with an underscore for each space', () => {
    expect(agentIdOf('Alpha Bot 7-X_y')).to.equal('alpha_bot_7-x_y');
  });

  it('are reserved if they are words of authority or path segments of the router', () => {
    const authority = `admin administrator api system root support help official moderator mod staff team security null
      undefined me status verify follow claim claim-info graphql health metrics docs feed trending leaderboard search
      seasons season tickets price wallet agent agents anonymous everyone here`;
    const segments = 'me status verify follow claim-info followers following holdings pnl trades candles balance';
    for (const id of `${authority} ${segments}`.split(/\s+/)) expect(isReserved(id), id).to.equal(true);
    for (const id of ['alpha', 'admin_2', 'Admin', '', 'constructor']) expect(isReserved(id), id).to.equal(false);
  });

  it('are reserved if they have only words of authority, also in plural or with digits for letters', () => {
    const words = 'admin administrator system root support help official moderator mod staff team security curvet';
    const digits: Record<string, string> = { o: '0', l: '1', i: '1', s: '5', e: '3', a: '4' };
    const word = fc.constantFrom(...words.split(' '));
    const disguised = fc
      .tuple(word, fc.infiniteStream(fc.boolean()))
      .map(([text, coins]) => [...text].map((c) => (digits[c] && coins.next().value ? digits[c] : c)).join(''));
    const separator = fc.constantFrom('', '_', '-', '__', '-_', 's', 's_');
    const sequence = (other: fc.Arbitrary<string>) =>
      fc
        .tuple(fc.array(fc.tuple(disguised, separator)), other, fc.array(fc.tuple(separator, disguised)))
        .map(([before, middle, after]) => `${before.flat().join('')}${middle}${after.flat().join('')}`);
    fc.assert(fc.property(sequence(disguised), (agentId) => isReserved(agentId)));
    fc.assert(fc.property(sequence(fc.constantFrom('cat', 'x', '47', 'bot')), (agentId) => !isReserved(agentId)));
    // A digit does not count as a plural `s`, and a word with additional letters counts as another word.
    for (const id of ['team_5', 'openai', 'adminton', 'curvett', 'helper', '0', '--']) {
      expect(isReserved(id), id).to.equal(false);
    }
  });
});

describe('verification codes', () => {
  it('map each random number to a different character, so that all are equally likely', () => {
    const codes = Array.from({ length: 36 }, (_, number) => {
      return makeCode((below) => {
        expect(below).to.equal(36);
        return number;
      });
    });
    expect(new Set(codes).size).to.equal(36);
  });

  it('are found only in upper case, and not next to a letter, digit, underscore or hyphen', () => {
    const touching = /[A-Za-z0-9_-]/;
    const neighbour = fc.string({ unit: fc.constantFrom(...'aZ9_- .#<é\n'), maxLength: 3 });
    fc.assert(
      fc.property(neighbour, neighbour, (before, after) => {
        const whole = !touching.test(before.slice(-1)) && !touching.test(after.slice(0, 1));
        expect(containsCode(`${before}CURVET-AB12${after}`, 'CURVET-AB12')).to.equal(whole);
      }),
    );
    expect(containsCode('xCURVET-AB12 CURVET-AB12', 'CURVET-AB12')).to.equal(true);
    expect(containsCode('curvet-ab12 CURVET- AB12', 'CURVET-AB12')).to.equal(false);
  });
});

describe('the parser of post URLs', () => {
  const post = { handle: 'Alice_1', postId: '123', canonical: 'https://x.com/Alice_1/status/123' };
  const origins = ['https://x.com', 'https://twitter.com', 'https://www.x.com', 'https://mobile.twitter.com', 'HTTPS://X.com'];
  for (const origin of origins) {
    it(`accepts the origin ${origin}`, () => expect(parsePostUrl(`${origin}/Alice_1/status/123`)).to.deep.equal(post));
  }
  // A post id with leading zeros names the same post, which must not claim a second agent.
  for (const end of ['123/', '123?s=20&t=abc', '123/#top', '000123']) {
    it(`accepts a URL that ends in ${end}`, () => expect(parsePostUrl(`https://x.com/Alice_1/status/${end}`)).to.deep.equal(post));
  }

  it('accepts post ids up to 64 bits', () => {
    expect(parsePostUrl('https://x.com/a/status/18446744073709551615').postId).to.equal('18446744073709551615');
    expect(codeOf(() => parsePostUrl('https://x.com/a/status/18446744073709551616'))).to.equal('INVALID_POST_URL');
  });

  const hosts = `x.com.evil.com evilx.com m.x.com www.mobile.x.com x.com. x.com:443 x.com@evil.com x.com\\@evil.com`;
  const paths = `/alice/status/1 alice/status/ alice/status/abc alice/status/1// alice/status/1/photo/1 alice/Status/1
    alice/../status/1 al-ice/status/1 ali%63e/status/1 sixteencharacter/status/1 alice/status/123456789012345678901
    alice/status/000000000000000000001 alice/status/١٢`;
  const refused = [
    '',
    'x.com/alice/status/1',
    'http://x.com/alice/status/1',
    'ht\ntps://x.com/alice/status/1',
    ' https://x.com/alice/status/1',
    'https://x.com/alice/status/1\n',
    'https://x.com/alice/status/1?a\nb',
    ...hosts.split(' ').map((host) => `https://${host}/alice/status/1`),
    ...paths.split(/\s+/).map((path) => `https://x.com/${path}`),
  ];
  for (const url of refused) {
    it(`refuses ${JSON.stringify(url)}`, () => expect(codeOf(() => parsePostUrl(url))).to.equal('INVALID_POST_URL'));
  }

  it('parses its own canonical form to the same post', () => {
    const handle = fc.stringMatching(/^[A-Za-z0-9_]{1,15}$/);
    fc.assert(
      fc.property(handle, fc.bigInt(0n, 2n ** 64n - 1n), (name, id) => {
        const parsed = parsePostUrl(`https://mobile.twitter.com/${name}/status/${id}?s=1`);
        expect(parsed).to.deep.equal({
          handle: name,
          postId: `${id}`,
          canonical: `https://x.com/${name}/status/${id}`,
        });
        expect(parsePostUrl(parsed.canonical)).to.deep.equal(parsed);
      }),
    );
  });
});

const NOW = new Date('2026-06-01T12:00:00.000Z');
const hoursAgo = (hours: number) => new Date(NOW.getTime() - hours * 3_600_000);
const once = { supply: 1, volume: 10n, txCount: 1, uniqueTraders: 1, priceChange24h: 0, newHolders24h: 0 };
const activity = (wallet: string, given: Partial<Activity> = {}): Activity => {
  return { wallet, ...once, lastTradeAt: NOW, ...given };
};
const scores = (...candidates: Activity[]) => rankByTrend(candidates, NOW).map(({ wallet, trendScore }) => [wallet, trendScore]);

describe('the trend score', () => {
  it('is the weighted sum of its parts, each relative to the highest candidate', () => {
    const busy = { volume: 200n, uniqueTraders: 4, priceChange24h: 50, lastTradeAt: hoursAgo(6), newHolders24h: 1 };
    const fresh = { volume: 50n, uniqueTraders: 2, priceChange24h: 100, lastTradeAt: NOW, newHolders24h: 4 };
    // The score of `busy` is 30 * 1 + 25 * 1 + 20 * 0.5 + 15 * 0.75 + 10 * 0.25 = 78.75. That of `fresh` is 30 *
    // 0.25 + 25 * 0.5 + 20 * 1 + 15 * 1 + 10 * 1 = 65.
    expect(scores(activity('0xb', fresh), activity('0xa', busy))).to.deep.equal([
      ['0xa', 79],
      ['0xb', 65],
    ]);
  });

  it('counts a part as zero when no candidate has a value in it, or when the price drops', () => {
    // 30 for the volume, 25 for the traders and 15 for the recency.
    expect(scores(activity('0xa', { priceChange24h: -30 }))).to.deep.equal([['0xa', 70]]);
  });

  it('scales recency like the other parts, and treats a future block time as now', () => {
    const old = activity('0xa', { lastTradeAt: hoursAgo(18) });
    const older = activity('0xb', { lastTradeAt: hoursAgo(21) });
    // The recency of a trade 18 hours ago is 0.25, and that of 21 hours ago is 0.125. Recency is scaled to its maximum, so it adds
    // 15 * 1 and 15 * 0.5 to the 55 for volume and traders.
    expect(scores(old, older)).to.deep.equal([
      ['0xa', 70],
      ['0xb', 63],
    ]);
    expect(scores(activity('0xc', { lastTradeAt: hoursAgo(-1) }), activity('0xd'))).to.deep.equal([
      ['0xc', 70],
      ['0xd', 70],
    ]);
  });

  it('breaks ties by the number of trades, then by wallet address', () => {
    const tied = [activity('0xc'), activity('0xb', { txCount: 2 }), activity('0xa')];
    expect(scores(...tied).map(([wallet]) => wallet)).to.deep.equal(['0xb', '0xa', '0xc']);
  });

  it('is an integer from 0 to 100 and does not depend on the order of the candidates', () => {
    const candidates = fc.uniqueArray(
      fc.record({
        supply: fc.integer({ min: 1, max: 1000 }),
        wallet: fc.string({ minLength: 1 }),
        volume: fc.bigInt(0n, 2n ** 100n),
        txCount: fc.nat(),
        uniqueTraders: fc.nat(),
        priceChange24h: fc.double({ min: -100, max: 1e9, noNaN: true }),
        lastTradeAt: fc.integer({ min: -1, max: 24 }).map(hoursAgo),
        newHolders24h: fc.nat(),
      }),
      { selector: ({ wallet }) => wallet, maxLength: 20 },
    );
    fc.assert(
      fc.property(candidates, (given) => {
        const ranked = rankByTrend(given, NOW);
        expect(rankByTrend([...given].reverse(), NOW)).to.deep.equal(ranked);
        for (const { trendScore } of ranked) {
          expect(Number.isInteger(trendScore)).to.equal(true);
          expect(trendScore).to.be.within(0, 100);
        }
      }),
    );
  });
});
