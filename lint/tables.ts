import { dirname } from 'node:path';
import { expect } from 'chai';
import { sources } from './sources.js';

type Table = { readonly entity: string; readonly name: string; readonly folder: string };

const snakeCase = (name: string): string => name.replace(/\B[A-Z]/g, (letter) => `_${letter}`).toLowerCase();

/** All tables. A table belongs to the folder of the file that defines its entity. */
const tables: readonly Table[] = sources.flatMap(({ path, text }) =>
  [...text.matchAll(/const (\w+) = defineEntity\(\{\s*name: '(\w+)',(?:\s*tableName: '(\w+)')?/g)].map(
    ([, entity = '', entityName = '', name = snakeCase(entityName)]) => ({ entity, name, folder: dirname(path) }),
  ),
);

/** Stands for all tables whose name the code computes. It belongs to `src/index`, because only the index computes names. */
const computed: Table = { entity: '', name: 'a computed table', folder: 'src/index' };

/**
 * Matches SQL that writes, and captures the table. A captured word that names no table comes from a comment or
 * from `on conflict do update set`, and is ignored.
 */
const statements =
  /\b(?:insert\s+into|update|delete\s+from|truncate(?:\s+table)?|merge\s+into)\s+(?:only\s+)?(?:"?\w+"?\.)?"?(\w+|\$\{|['`])/gi;

/** Matches calls that build such SQL: our own functions and the methods of Kysely. It captures the table if it is a literal. */
const calls =
  /(?:(?<!\.)\b(?:insertMany|insertRows|deleteRows)\(\s*[^,]+,|\.(?:insertInto|updateTable|deleteFrom|mergeInto)\()\s*(?:['"`](\w+))?/g;

/**
 * Matches imports of entities, except of types. They count as writes, because MikroORM also saves changes of a
 * loaded row without a call that names its table.
 */
const entityImports = /(?:^(?:import|export) (?!type\b)([^;]*?) from |\bimport\()'[^']*\/entit(?:y|ies)\.js'/gm;

const wordsOf = (text: string, pattern: RegExp): string[] => [...text.matchAll(pattern)].map(([, word = '']) => word);

/** The tables that a file may write, by its SQL, by its calls and by the entities that it imports. */
function writtenBy(path: string, text: string): Table[] {
  const inSql = wordsOf(text, statements).map((word) =>
    /\w/.test(word) ? tables.find(({ name }) => name === word.toLowerCase()) : computed,
  );
  const inCalls = wordsOf(text, calls).map((word) => tables.find(({ name }) => name === word) ?? computed);
  // Entities import each other for foreign keys, so their imports do not count as writes.
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

  it('lets only database.ts use the old name of a table, which a view keeps for the version before', () => {
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
      // `orm.ts` imports all entities to list them. `sql.ts` has the functions that build such SQL.
      'a computed table: src/service/orm.ts',
      'a computed table: src/store/sql.ts',
      // Claim, follower count and key are columns of the table `agent`. The registration writes the whole row.
      'agent: src/features/agents/keys',
      'agent: src/features/agents/registration',
      'agent: src/features/claims',
      'agent: src/features/follows',
      // A trigger of the table `market` copies its counts into `listing`.
      'listing: src/index/entities.ts',
      // `notices.ts` stores notifications for both the index and the features.
      'notification: src/live/notices.ts',
      // `deps.ts` stores the secret key of the service.
      'setting: src/deps.ts',
    ]);
  });
});
