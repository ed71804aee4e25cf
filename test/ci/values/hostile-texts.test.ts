import { expect } from 'chai';
import { checkThesis } from '../../../src/features/theses/theses.js';
import { MAX_REQUEST_BYTES } from '../../../src/server/document-limits.js';

describe('a hostile text of 10 MB', () => {
  // At this size, only linear code finishes. Quadratic code would run for hours.
  const fill = (unit: string) => unit.repeat(10_000_000 / unit.length);
  /** Cleaning removes all of these texts. */
  const empty: Record<string, string> = {
    'unclosed tags': fill('<a'),
    'one unclosed tag': `<${fill('a')}`,
    'tags whose removal creates unclosed tags': fill('<<a>b'),
    'invisible characters': fill('\u200b'),
    'zero-width joiners': fill('\u200d'),
    'tags with invisible characters in them': fill('<\u200ba'),
  };
  /** Cleaning leaves more of these texts than the 140 characters of a thesis. */
  const long: Record<string, string> = {
    'only <': fill('<'),
    'dots and letters': fill('a.'),
    'letters that may be a host name': `a.${fill('b')}`,
    'host names without a slash': fill('a.xn--b'),
    'schemes without slashes': fill('http:/'),
    'emoji and zero-width joiners': fill('\u{1f469}\u200d'),
  };
  for (const [name, text] of Object.entries(empty)) {
    it(`with ${name} is empty after cleaning`, () => expect(checkThesis(text)).to.equal(null));
  }
  for (const [name, text] of Object.entries(long)) {
    it(`with ${name} is refused as too long`, () => expect(() => checkThesis(text)).to.throw('thesis is too long'));
  }
});

/**
 * Counts the characters that the regular expressions of `work` pass over. A match counts up to its end,
 * a failed search all of the text that is left.
 */
function charactersRead(work: () => void): number {
  const { exec } = RegExp.prototype;
  let count = 0;
  RegExp.prototype.exec = function (text) {
    const from = this.global || this.sticky ? this.lastIndex : 0;
    const match = exec.call(this, text);
    if (match) count += match.index + match[0].length - from;
    else if (!this.sticky) count += text.length - from;
    return match;
  };
  try {
    work();
  } finally {
    RegExp.prototype.exec = exec;
  }
  return count;
}

describe('the longest text of a request', () => {
  // `cleanText` copies the text once for each level of nested tags. With 10 MB, the copies would take too long, so these texts have
  // the maximum size of a request.
  const nested = (length: number) => '<'.repeat(length / 3) + 'a>'.repeat(length / 3);
  const unclosed = '<a'.repeat(MAX_REQUEST_BYTES / 4);
  for (const [name, text] of [
    ['nested tags', nested(MAX_REQUEST_BYTES)],
    ['nested tags, then unclosed tags', nested(MAX_REQUEST_BYTES / 2) + unclosed],
  ] as const) {
    it(`is not read again for each level of ${name}`, () => {
      let clean: string | null | undefined;
      // Cleaning runs a few regular expressions over the whole text, so 20 readings of each character are more than enough. Reading
      // the whole text again for each level would be thousands.
      expect(charactersRead(() => (clean = checkThesis(text)))).to.be.below(20 * text.length);
      expect(clean).to.equal(null);
    });
  }
});
