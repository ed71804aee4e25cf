import { expect } from 'chai';
import { editsBetween, piecesOf } from '../../../../../src/features/agents/lists/similar.js';

/** All texts that one edit makes of a text: a missing, additional or wrong letter, or two swapped letters. */
function edited(text: string): string[] {
  const letters = ['z', ...new Set(text)];
  return Array.from({ length: text.length + 1 }, (_, i) => [text.slice(0, i), text.slice(i)] as const).flatMap(([head, tail]) => [
    ...letters.map((letter) => head + letter + tail),
    ...(tail === '' ? [] : [head + tail.slice(1), ...letters.map((letter) => head + letter + tail.slice(1))]),
    ...(tail.length < 2 ? [] : [head + tail[1] + tail[0] + tail.slice(2)]),
  ]);
}

const has = (name: string, pieces: readonly string[]): number => pieces.filter((piece) => name.includes(piece)).length;

describe('the similarity of names', () => {
  it('counts wrong, missing, additional and swapped letters', () => {
    for (const [a, b, edits] of [
      ['', '', 0],
      ['otter', 'otter', 0],
      ['otter', 'ottar', 1],
      ['otter', 'oter', 1],
      ['otter', 'ottter', 1],
      ['otter', 'tother', 2],
      ['otter', 'otetr', 1],
      ['otter', 'toter', 1],
      ['abcd', 'badc', 2],
      // Swapped letters are not edited again, so `ca` needs three edits, not a swap and an insertion.
      ['ca', 'abc', 3],
      ['', 'otter', 5],
      ['otter', 'heron', 5],
    ] as const) {
      expect([editsBetween(a, b), editsBetween(b, a)], `${a} ${b}`).to.deep.equal([edits, edits]);
    }
  });

  for (const [text, allowed] of [
    ['abcd', 1],
    ['abcdefg', 1],
    ['aabb', 1],
    ['abcdefgh', 2],
    ['abababab', 2],
    ['abcdefghijk', 2],
  ] as const) {
    it(`finds each name up to an edit distance of ${allowed} by a piece of the text ${text}`, () => {
      const pieces = piecesOf(text, allowed);
      const once = edited(text);
      const names = new Set(allowed === 1 ? once : once.flatMap(edited));
      expect([...names].filter((name) => editsBetween(text, name) <= allowed && has(name, pieces) === 0)).to.be.empty;
      // If two edits are allowed, a name with one edit contains at least two pieces. So it is the
      // last to fall out of a limited list of candidates.
      if (allowed === 2) expect(once.filter((name) => has(name, pieces) < 2)).to.deep.equal([]);
      expect(once.filter((name) => editsBetween(text, name) > 1)).to.deep.equal([]);
    });
  }

  it('cuts a text into one piece more than edits, and adds pieces with the letters at the cuts swapped', () => {
    expect(piecesOf('abcd', 1)).to.deep.equal(['ab', 'acbd', 'cd']);
    expect(piecesOf('abcdefgh', 2)).to.deep.equal(['abc', 'abdce', 'abdcfegh', 'de', 'dfegh', 'fgh']);
  });
});
