// CI: it cleans texts of 10 MB.
import { expect } from 'chai';
import { checkThesis } from '../../../src/core/text/rules.js';
import { MAX_REQUEST_BYTES } from '../../../src/faces/document-limits.js';

describe('a hostile text of 10 MB', () => {
  // At this size only linear code finishes. Quadratic code would run for hours.
  const fill = (unit: string) => unit.repeat(10_000_000 / unit.length);
  const empty: Record<string, string> = {
    'unclosed tags': fill('<a'),
    'one unclosed tag': `<${fill('a')}`,
    'tags whose removal creates unclosed tags': fill('<<a>b'),
    'invisible characters': fill('\u200b'),
    'zero-width joiners': fill('\u200d'),
    'tags with invisible characters in them': fill('<\u200ba'),
  };
  const long: Record<string, string> = {
    'only <': fill('<'),
    'dots and letters': fill('a.'),
    'letters that may be a host name': `a.${fill('b')}`,
    'host names without a slash': fill('a.xn--b'),
    'schemes without slashes': fill('http:/'),
    'emoji and zero-width joiners': fill('\u{1f469}\u200d'),
  };
  for (const [name, text] of Object.entries(empty)) {
    it(`is empty after cleaning: ${name}`, () => expect(checkThesis(text)).to.equal(null));
  }
  for (const [name, text] of Object.entries(long)) {
    it(`is cleaned and searched for URLs: ${name}`, () =>
      expect(() => checkThesis(text)).to.throw('thesis is too long'));
  }
});

describe('the longest text of a request', () => {
  // Each level of nested tags copies the text once, so these texts cannot be longer.
  const nested = (length: number) => '<'.repeat(length / 3) + 'a>'.repeat(length / 3);
  const unclosed = '<a'.repeat(MAX_REQUEST_BYTES / 4);
  it('may have nested tags, with unclosed tags after them', () => {
    expect(checkThesis(nested(MAX_REQUEST_BYTES))).to.equal(null);
    expect(checkThesis(nested(MAX_REQUEST_BYTES / 2) + unclosed)).to.equal(null);
  });
});
