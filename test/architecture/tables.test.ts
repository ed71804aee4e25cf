import { dirname } from 'node:path';
import { expect } from 'chai';
import { sources } from '../support/sources.js';

type Table = { readonly entity: string; readonly name: string; readonly folder: string };

const snakeCase = (name: string): string => name.replace(/\B[A-Z]/g, (letter) => `_${letter}`).toLowerCase();

/** Each table belongs to the folder of its entity. */
const tables: readonly Table[] = sources.flatMap(({ path, text }) =>
  [...text.matchAll(/const (\w+) = defineEntity\(\{\s*name: '(\w+)',(?:\s*tableName: '(\w+)')?/g)].map(
    ([, entity = '', entityName = '', name = snakeCase(entityName)]) => ({ entity, name, folder: dirname(path) }),
  ),
);

/** A table whose name the code computes. Only the index writes so; the others name their tables. */
const computed: Table = { entity: '', name: 'a computed table', folder: 'src/index' };

/** SQL that writes. A word that names no table belongs to a comment, or to `on conflict do update set`. */
const statements =
  /\b(?:insert\s+into|update|delete\s+from|truncate(?:\s+table)?|merge\s+into)\s+(?:only\s+)?(?:"?\w+"?\.)?"?(\w+|\$\{|['`])/gi;

/** Calls that build such SQL: our own functions, and the methods of Kysely. */
const calls =
  /(?:(?<!\.)\b(?:insertMany|insertRows|deleteRows)\(\s*[^,]+,|\.(?:insertInto|updateTable|deleteFrom|mergeInto)\()\s*(?:['"`](\w+))?/g;

/** Imports of entities, types aside. MikroORM also writes a loaded row that was changed, without a call that names its table. */
const entityImports = /(?:^(?:import|export) (?!type\b)([^;]*?) from |\bimport\()'[^']*\/entit(?:y|ies)\.js'/gm;

const wordsOf = (text: string, pattern: RegExp): string[] => [...text.matchAll(pattern)].map(([, word = '']) => word);

/** The tables that a file may write. */
function writtenBy(path: string, text: string): Table[] {
  const inSql = wordsOf(text, statements).map((word) =>
    /\w/.test(word) ? tables.find(({ name }) => name === word.toLowerCase()) : computed,
  );
  const inCalls = wordsOf(text, calls).map((word) => tables.find(({ name }) => name === word) ?? computed);
  // Entities import each other for foreign keys.
  const imports = /\/entit(y|ies)\.ts$/.test(path) ? [] : wordsOf(text, entityImports);
  const imported = imports.flatMap((names) =>
    names.startsWith('{')
      ? wordsOf(names, /(?<!type )\b([A-Z]\w+)\b/g).map((word) => tables.find((t) => t.entity === word))
      : [computed],
  );
  return [...inSql, ...inCalls, ...imported].filter((table) => table !== undefined);
}

describe('the law of tables', () => {
  it('knows the table of every entity', () => {
    const count = sources.reduce((sum, { text }) => sum + text.split('defineEntity(').length - 1, 0);
    expect(new Set(tables.map(({ name }) => name))).to.have.property('size', count);
  });

  it('is not avoided by the old name of a table, which a view keeps for the version before', () => {
    const naming = sources.filter(({ text }) => text.includes('trade_claim')).map(({ path }) => path);
    expect(naming).to.deep.equal(['src/store/database.ts']);
  });

  it('lets only the folder of its entity write a table, so that only the index writes chain facts', () => {
    const others = sources.flatMap(({ path, text }) =>
      writtenBy(path, text)
        .filter(({ folder }) => dirname(path) !== folder)
        .map(({ name }) => `${name}: ${path.replace(/^(src\/features\/.+)\/[^/]+$/, '$1')}`),
    );
    expect([...new Set(others)].sort()).to.deep.equal([
      // The list of all tables, and the functions that build such SQL themselves.
      'a computed table: src/service/orm.ts',
      'a computed table: src/store/sql.ts',
      // A claim, a follower count and a key are columns of the agent, and its registration writes the row.
      'agent: src/features/agents/keys',
      'agent: src/features/agents/registration',
      'agent: src/features/claims',
      'agent: src/features/follows',
      // A trigger of the table market copies its numbers.
      'listing: src/index/entities.ts',
      // The index and the features announce what they store.
      'notification: src/live/notices.ts',
      // The secret key of the service.
      'setting: src/deps.ts',
    ]);
  });
});
