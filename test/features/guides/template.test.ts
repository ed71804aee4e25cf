import { expect } from 'chai';
import { fill, readTexts, variantsFor } from '../../../src/features/guides/guides.js';

describe('the template of the guides', () => {
  it('replaces each placeholder in all texts', () => {
    const texts = { first: '{{url}}/a, at most {{max}}', second: 'See {{url}}.' };
    expect(fill(texts, { url: 'http://x', max: 3 })).to.deep.equal({
      first: 'http://x/a, at most 3',
      second: 'See http://x.',
    });
  });

  it('inserts values unchanged, also those that look like patterns or placeholders', () => {
    expect(fill({ text: '{{a}}' }, { a: "$& $1 $$ {{b}} <b> `x` | '" }).text).to.equal("$& $1 $$ {{b}} <b> `x` | '");
  });

  it('leaves other braces alone', () => {
    const text = '`{ "a": { "b": {} }}` and $name and {address}';
    expect(fill({ text }, {}).text).to.equal(text);
  });

  it('refuses a placeholder without a value and names the file', () => {
    expect(() => fill({ errors: 'a {{limit}} b' }, {})).to.throw('errors.md: unknown {{limit}}');
    expect(() => fill({ errors: '{{toString}}' }, {})).to.throw('errors.md: unknown {{toString}}');
  });

  it('refuses a placeholder with spaces, without an end or without a name', () => {
    for (const text of ['{{ max }}', '{{max}', '{{max', '{{}}', '{{max\n}}']) {
      expect(() => fill({ text: `${text} {{max}}` }, { max: 1 }), text).to.throw('text.md: unknown {{');
    }
  });

  it('refuses a value that no text uses', () => {
    expect(() => fill({ first: '{{a}}', second: '{{b}}' }, { a: 1, b: 2, c: 3, d: 4 })).to.throw(
      'no text uses the placeholder c, d',
    );
  });

  it('refuses a file that is missing', () => {
    expect(() => readTexts('docs', ['missing'])).to.throw(/ENOENT.*missing\.md/);
  });
});

describe('the variants of a text', () => {
  const text =
    '# Title\n\n## funding: CHAIN=own\n\nFree.\n\n- ## no heading\n\n## funding: CHAIN=other\n\nBuy.\n\n## note: CHAIN=own\n';

  it('are the sections with the settings of the service', () => {
    expect(variantsFor(text, { CHAIN: 'own' })).to.deep.equal({ funding: 'Free.\n\n- ## no heading', note: '' });
    expect(variantsFor(text, { CHAIN: 'other' })).to.deep.equal({ funding: 'Buy.' });
  });

  it('refuse a heading of another form and an unknown setting', () => {
    expect(() => variantsFor('## funding\n', { CHAIN: 'own' })).to.throw('unknown variant: funding');
    expect(() => variantsFor('## funding: LANE=own\n', { CHAIN: 'own' })).to.throw(
      'unknown variant: funding: LANE=own',
    );
  });
});
