import { expect } from 'chai';
import { sources } from './sources.js';

/** What a type must not contain: a title, a pattern, and an example that proves that the pattern finds it. */
const forbidden: readonly (readonly [title: string, pattern: RegExp, example: string])[] = [
  [
    'has the result and the parameters of a function written down, not inferred',
    /\b(ReturnType|InstanceType)<(?!Send>)|\bParameters<(?!typeof JSON\.parse>)/g,
    'export type Config = Awaited<ReturnType<typeof readConfig>>;',
  ],
  ['allows no key that exists only for the compiler', /\bunique symbol\b|\bdeclare const\b/g, 'declare const row: unique symbol;'],
  [
    'allows no intersection of a union by hand',
    /\bextends (unknown|any|never)\s*\?|\bnever\) extends\b/g,
    'type All<U> = (U extends U ? (row: U) => void : never) extends (row: infer R) => void ? R : never;',
  ],
  [
    'allows no call only to fix a type parameter, except for the fields of a row',
    /(?:= |return |\()(?!fieldsOf<)\w+<[^;\n]*?>\(\)/g,
    "const buy = useCase<'required', { readonly amount: number }>()({ prepare });",
  ],
];

/** Counts the conditional types in a type. The question mark of an optional member does not count: a colon follows it. */
const conditionsOf = (type: string): number => [...type.matchAll(/\?(?=\s)/g)].length;

const typesIn = (text: string): readonly (readonly [name: string, type: string])[] =>
  [...text.matchAll(/^(?:export )?type (\w+)[\s\S]*?;\n(?=\S|\n|$)/gm)].map(([type, name = '']) => [name, type] as const);

describe('the law of types', () => {
  for (const [title, pattern, example] of forbidden) {
    it(title, () => {
      expect(example).to.match(new RegExp(pattern, 'm'));
      expect(sources.flatMap(({ path, text }) => (text.match(pattern) ?? []).map((found) => `${path}: ${found}`))).to.deep.equal(
        [],
      );
    });
  }

  it('allows at most two conditions in a type', () => {
    const example = `type Rows<S> = S extends { a: 1 }\n  ? 1\n  : S extends (x: infer R) => void\n    ? R\n    : S extends Box ? 2 : S;\n`;
    expect(typesIn(example).map(([name, type]) => [name, conditionsOf(type)])).to.deep.equal([['Rows', 3]]);
    const wrong = sources.flatMap(({ path, text }) =>
      typesIn(text).flatMap(([name, type]) => (conditionsOf(type) > 2 ? [`${path}: ${name}`] : [])),
    );
    expect(wrong).to.deep.equal([]);
  });
});
