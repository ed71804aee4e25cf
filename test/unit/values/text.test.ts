import { expect } from 'chai';
import fc from 'fast-check';
import { checkThesis } from '../../../src/features/theses/theses.js';
import { cleanText, foldText, hasUrl } from '../../../src/values/text.js';
import { refusedBy } from '../../support/refused.js';

describe('the cleaning of text', () => {
  const cases: Record<string, string> = {
    '<a href="x">link</a>': 'link',
    '<scr<script>ipt>x': 'ipt>x',
    '</<i>b>x': 'x',
    'a < b > c': 'a < b > c',
    'a <3 b>': 'a <3 b>',
    'a <img src=x onerror=alert(1)//': 'a',
    '<?xml version="1.0"?>x': 'x',
    '<!-- x -->': '<!-- x -->',
    ' <i> </i> ': '',
  };
  for (const [raw, clean] of Object.entries(cases)) {
    it(`turns ${JSON.stringify(raw)} into ${JSON.stringify(clean)}`, () => expect(cleanText(raw)).to.equal(clean));
  }

  it('removes tags until none is left', () => {
    const strip = (text: string): string => {
      const next = text.replace(/<[/!?]?[A-Za-z][^>]*(>|$)/g, '');
      return next === text ? text : strip(next);
    };
    const raw = fc.string({ unit: fc.constantFrom(...'<<<>>/!?ab \n'), maxLength: 40 });
    fc.assert(
      fc.property(raw, (text) => {
        expect(cleanText(text)).to.equal(strip(text).trim());
      }),
      { numRuns: 5000 },
    );
  });

  const invisible: Record<string, [raw: string, clean: string]> = {
    'zero-width characters': ['a\u200bb\u200cc\u2060d\ufeffe\u00adf', 'abcdef'],
    'bidirectional characters': ['\u202eevil\u202c \u2066x\u2069 \u200fy\u061c', 'evil x y'],
    'control characters': ['a\u0007b\u001b[31mc\u0085d\u007fe', 'ab[31mcde'],
    'fillers and tag characters': ['a\u3164b\u{e0041}\u{e0042}c', 'abc'],
    'a tag with an invisible character in it': ['<\u200bb>x <\u0000/i>y <s\u202ecript', 'x y'],
    'a zero-width joiner outside an emoji': ['a\u200db \u{1f469}\u200d \u200d\u{1f4bb}', 'ab \u{1f469} \u{1f4bb}'],
    'a variation selector without an emoji': ['a\ufe0fb1\ufe0f2', 'ab12'],
    'a zero-width joiner next to a tag': ['\u{1f469}\u200d<b>\u{1f4bb}', '\u{1f469}\u{1f4bb}'],
    'carriage returns but not line feeds': ['one\r\ntwo\n\nthree', 'one\ntwo\n\nthree'],
    'tabs and inserts spaces': ['one\ttwo\t', 'one two'],
  };
  for (const [what, [raw, clean]] of Object.entries(invisible)) {
    it(`removes ${what}`, () => expect(cleanText(raw)).to.equal(clean));
  }

  it('does not change emoji and non-Latin scripts', () => {
    const texts = ['👩‍💻', '👨‍👩‍👧‍👦', '🏳️‍🌈', '🏴‍☠️', '👩🏽‍🤝‍👩🏿', '❤️', '❤︎', '1️⃣ #️⃣', '🏃🏾‍♀️‍➡️', '🇩🇪', '❤️‍🔥', '👁️‍🗨️'];
    const writing = ['naïve e\u0301', 'مرحبا', 'नमस्ते', '안녕', '日本語', '\u0600١'];
    for (const text of [...texts, ...writing]) expect(cleanText(text), text).to.equal(text);
  });

  it('leaves no tag, and does not change a clean text again', () => {
    const unit = fc.constantFrom(...'<>/a \n\t\u200b\u200d\ufe0f👩💻🏽1');
    fc.assert(
      fc.property(fc.string({ unit, maxLength: 30 }), (raw) => {
        const clean = cleanText(raw);
        expect(cleanText(clean)).to.equal(clean);
        expect(clean).not.to.match(/<[/!?]?[A-Za-z]/);
      }),
      { numRuns: 5000 },
    );
  });
});

describe('the folding of text', () => {
  const same: [string, string][] = [
    ['Hello World', 'hello  WORLD\n'],
    ['Straße', 'STRASSE'],
    ['ΟΔΟΣ', 'οδος'],
    ['ﬁne', 'fine'],
    ['ｆｕｌｌ　ｗｉｄｔｈ', 'full width'],
    ['e\u0301', '\u00e9'],
    ['gm\u200b', 'g\u2060m'],
    ['gm ❤️', 'gm ❤'],
    ['a \u200b b', 'a b'],
  ];
  for (const [one, other] of same) {
    it(`folds ${JSON.stringify(one)} and ${JSON.stringify(other)} to the same text`, () =>
      expect(foldText(one)).to.equal(foldText(other)));
  }
  it('keeps different texts different', () => {
    const texts = ['gm', 'g m', 'gm!', 'gn', 'gm 1', 'é', 'e', '👩‍💻', '👩'];
    expect(new Set(texts.map(foldText)).size).to.equal(texts.length);
  });
});

describe('URLs in text', () => {
  const urls = {
    'with a scheme': ['https://x.y', 'see http://a', 'ftp://files', 'a+b.c://x'],
    'with www at their beginning': ['www.example.com', 'WWW.x', '(www.a.b)'],
    'with a path': ['x.com/', 'example.com/path', 'bit.ly/3x', 'example.com:8080/x', 'Sub.Example.CO.UK/'],
    'on hosts in other scripts': ['пример.рф/a', 'a.xn--p1ai/'],
  };
  const texts = {
    'words with slashes': ['', 'a/b', 'and/or', '// comment'],
    'words with dots': ['node.js is fine', 'example.com', 'e.g./i.e.', 'awww. nice', 'a . com/'],
    'numbers and times': ['1.5/2', '10:30', 'supply up 3.2/day'],
    'parts of a scheme': ['http:/x', ':// '],
  };
  for (const [what, list] of Object.entries({ ...urls, ...texts }))
    it(`are ${what in urls ? 'found' : 'not seen in'} ${what}`, () => {
      for (const text of list) expect(hasUrl(text), text).to.equal(what in urls);
    });
});

describe('a thesis', () => {
  it('is cleaned, and is null if nothing is left', () => {
    expect(checkThesis(' <b>up only</b> ')).to.equal('up only');
    expect(checkThesis('a < b')).to.equal('a < b');
    for (const raw of ['', '  ', '<i></i>']) expect(checkThesis(raw)).to.equal(null);
  });

  it('has at most 140 code points, counted after cleaning', () => {
    expect(checkThesis(`<b>${'😀'.repeat(140)}</b>  `)).to.equal('😀'.repeat(140));
    const { code, params } = refusedBy(() => checkThesis('a'.repeat(141)));
    expect({ code, params }).to.deep.equal({ code: 'FIELD_TOO_LONG', params: { field: 'thesis', max: 140 } });
  });

  it('is refused because of a URL, even one that cleaning reveals, rather than because of its length', () => {
    for (const raw of ['see https://x.y', 'ww<b></b>w.evil.com', `${'a'.repeat(200)} www.x`]) {
      expect(refusedBy(() => checkThesis(raw)).code, raw).to.equal('THESIS_HAS_URL');
    }
  });
});
