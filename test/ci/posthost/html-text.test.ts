import { expect } from 'chai';
import { htmlToText } from '../../../src/posthost/text-proxy.js';

describe('the text of HTML', () => {
  const texts: [html: string, text: string][] = [
    ['<p lang="en">my code</p>', '\nmy code\n'],
    ['one<br>two<br/>three', 'one\ntwo\nthree'],
    ['<a href="https://x.com/hashtag/CURVET">#CURVET</a>-AB12', '#CURVET-AB12'],
    ['a &amp; b &lt;c&gt; &quot;d&quot; &#39;e&#x27; &apos;', `a & b <c> "d" 'e' '`],
    ['&amp;lt;b&amp;gt; &#128512; &#x1F600;', '&lt;b&gt; 😀 😀'],
    ['&#9999999; &#xFFFFFF; &mdash; &nonsense; &', '&#9999999; &#xFFFFFF; &mdash; &nonsense; &'],
    ['<script async src="x"></script>plain', 'plain'],
  ];
  for (const [html, text] of texts) {
    it(`is ${JSON.stringify(text)} for ${JSON.stringify(html)}`, () => expect(htmlToText(html)).to.equal(text));
  }

  // At this size, only linear code finishes. Quadratic code would run for hours.
  const fill = (unit: string) => unit.repeat(10_000_000 / unit.length);
  const hostile: [name: string, html: string, text: string][] = [
    ['only <', fill('<'), ''],
    ['unclosed tags', fill('<p'), fill('\np')],
    ['one unclosed tag', `<${fill('p')}`, fill('p')],
    ['only &', fill('&'), fill('&')],
    ['entities without an end', fill('&#1'), fill('&#1')],
    ['one entity without an end', `&#${fill('1')}`, `&#${fill('1')}`],
  ];
  for (const [name, html, text] of hostile) {
    it(`is found in 10 MB of ${name}`, () => expect(htmlToText(html) === text).to.equal(true));
  }
});
