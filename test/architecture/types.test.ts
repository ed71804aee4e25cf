import { expect } from 'chai';
import { sources } from '../support/sources.js';

/** The places that match, but for those of the files with a reason. */
const found = (pattern: RegExp, reasons: Readonly<Record<string, string>> = {}): string[] =>
  sources
    .filter(({ path }) => reasons[path] === undefined)
    .flatMap(({ path, text }) => [...text.matchAll(pattern)].map(([place]) => `${path}: ${place.replaceAll(/\s+/g, ' ')}`));

/** The conditions of a type: `A extends B ? ...`. A bound of a parameter has no question mark. */
const CONDITION = /\bextends\b[^;?{}<>=]*(?:<[^;?=]*>)?[^;?{}<>=]*\?(?=\s)/g;

describe('the law of types', () => {
  it('writes the result of a function down instead of inferring it', () => {
    const reasons = { 'src/chain/rpc.ts': 'ethers declares the result of send as any' };
    expect(found(/ReturnType<|Parameters<typeof (?!JSON)/g, reasons)).to.deep.equal([]);
  });

  it('has no key that exists only for the compiler', () => {
    expect(found(/\bunique symbol\b/g)).to.deep.equal([]);
  });

  it('makes no intersection of a union', () => {
    expect(found(/\bextends (unknown|any|never)\s*\?/g)).to.deep.equal([]);
  });

  it('calls no function only to fix a parameter of its type', () => {
    expect(found(/\w<[^;(){}]*>\(\)\s*\(/g)).to.deep.equal([]);
  });

  it('has conditional types of at most two levels', () => {
    const types = sources.flatMap(({ path, text }) =>
      [...text.matchAll(/^(?:export )?type (\w+)[\s\S]*?;\n(?=\S|\n|$)/gm)].map(([type, name]) => ({
        place: `${path}: ${name}`,
        levels: [...type.matchAll(CONDITION)].length,
      })),
    );
    expect(types.filter(({ levels }) => levels > 0)).not.to.deep.equal([]);
    expect(types.filter(({ levels }) => levels > 2)).to.deep.equal([]);
  });
});
