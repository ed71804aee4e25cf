import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import {
  BreakingChangeType,
  buildASTSchema,
  buildSchema,
  DangerousChangeType,
  findBreakingChanges,
  findDangerousChanges,
  type GraphQLSchema,
  isEnumType,
  parse,
  visit,
} from 'graphql';
import { root } from '../../../support/service/process.js';

const read = (path: string) => readFileSync(join(root, path), 'utf8');

/** Kinds of breaking changes that are allowed if the last release had already deprecated the removed member. */
const REMOVALS: readonly string[] = [
  BreakingChangeType.FIELD_REMOVED,
  BreakingChangeType.ARG_REMOVED,
  BreakingChangeType.VALUE_REMOVED_FROM_ENUM,
];

/** Describes, in one sentence each, the changes that break a client of the released schema, as docs/compatibility.md defines it. */
function brokenPromises(released: string, today: GraphQLSchema): string[] {
  const old = buildSchema(released);
  const defaults = findDangerousChanges(old, today).filter(({ type }) => type === DangerousChangeType.ARG_DEFAULT_VALUE_CHANGE);
  const promised = buildASTSchema(withoutDeprecated(released), { assumeValidSDL: true });
  const notDeprecated = new Set(findBreakingChanges(promised, today).map(({ description }) => description));
  return [...findBreakingChanges(old, today), ...defaults]
    .filter(({ type, description }) => !REMOVALS.includes(type) || notDeprecated.has(description))
    .map(({ description }) => description);
}

function withoutDeprecated(text: string) {
  type Member = { readonly directives?: readonly { readonly name: { readonly value: string } }[] };
  const drop = ({ directives = [] }: Member) => (directives.some(({ name }) => name.value === 'deprecated') ? null : undefined);
  return visit(parse(text), { FieldDefinition: drop, InputValueDefinition: drop, EnumValueDefinition: drop });
}

/** The deprecated fields and enum values of a schema, as `Type.member`. */
const deprecations = (schema: GraphQLSchema): string[] =>
  Object.values(schema.getTypeMap()).flatMap((type) => {
    const members = isEnumType(type) ? type.getValues() : 'getFields' in type ? Object.values(type.getFields()) : [];
    return members.filter(({ deprecationReason }) => deprecationReason).map(({ name }) => `${type.name}.${name}`);
  });

describe('the GraphQL schema', () => {
  const released = read('schema/released.graphql');
  const today = buildSchema(read('schema/schema.graphql'));
  const [, unreleased = ''] = read('CHANGELOG.md').split(/^## .*$/m);

  it('breaks a client only where CHANGELOG.md says "Breaking for GraphQL: <the sentence> <the reason>"', () => {
    const told = [...unreleased.replace(/\n {2}/g, ' ').matchAll(/^- Breaking for GraphQL: (.+)$/gm)].map(([, line = '']) => line);
    const broken = brokenPromises(released, today);
    const names = (line: string, sentence: string) => line.startsWith(`${sentence} `);
    expect(broken.filter((sentence) => !told.some((line) => names(line, sentence)))).to.deep.equal([]);
    expect(told.filter((line) => !broken.some((sentence) => names(line, sentence)))).to.deep.equal([]);
  });

  it('deprecates only what CHANGELOG.md names', () => {
    const before = deprecations(buildSchema(released));
    const untold = deprecations(today).filter((name) => !before.includes(name) && !unreleased.includes(`\`${name}\``));
    expect(before).to.include('Agent.volume24h');
    expect(untold).to.deep.equal([]);
  });

  it('is compared with the schema that npm run release wrote for the version in package.json', () => {
    expect(released.split('\n', 1)).to.deep.equal([
      `# The schema of release ${JSON.parse(read('package.json')).version}. npm run release writes this file.`,
    ]);
  });

  const RELEASED = `
    type Query { a(first: Int = 20): Int! b: Kind old: Int @deprecated(reason: "Use a.") f(x: Int @deprecated, y: Int): Int }
    enum Kind { ONE TWO OLD @deprecated(reason: "Use TWO.") }`;
  for (const [what, part, replacement, sentences] of [
    ['the removal of a field', ' b: Kind', '', ['Query.b was removed.']],
    ['the removal of a deprecated field', 'old: Int @deprecated(reason: "Use a.")', '', []],
    ['another type of a deprecated field', 'old: Int', 'old: ID', ['Query.old changed type from Int to ID.']],
    ['the removal of an argument', ', y: Int', '', ['Query.f arg y was removed.']],
    ['the removal of a deprecated argument', 'x: Int @deprecated, ', '', []],
    ['the removal of a value', 'TWO ', '', ['TWO was removed from enum type Kind.']],
    ['the removal of a deprecated value', 'OLD @deprecated(reason: "Use TWO.")', '', []],
    ['an answer that may now be null', 'Int!', 'Int', ['Query.a changed type from Int! to Int.']],
    ['an answer that is no longer null', 'b: Kind', 'b: Kind!', []],
    ['another default', '= 20', '= 10', ['Query.a arg first has changed defaultValue from 20 to 10.']],
    ['a required argument', 'y: Int', 'y: Int, z: Int!', ['A required arg z on Query.f was added.']],
    ['a new field and an optional argument', 'b: Kind', 'b(c: Int): Kind d: Int', []],
    ['a new value', 'ONE', 'ONE THREE', []],
  ] as const) {
    it(`${sentences.length > 0 ? 'breaks' : 'does not break'} a client by ${what}`, () => {
      expect(RELEASED).to.include(part);
      const changed = buildSchema(RELEASED.replace(part, replacement));
      expect(brokenPromises(RELEASED, changed)).to.deep.equal(sentences);
    });
  }
});
