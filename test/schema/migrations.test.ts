import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { root } from '../support/service/process.js';

const directory = join(root, 'schema/migrations');
/** Older migrations were released together: no replica of an older version runs beside them. */
const SINCE = 'Migration20261122050000';

/** The tables that a migration changes and does not create itself. */
function changedTables(source: string): string[] {
  const up = source.slice(source.indexOf(' up()'), source.indexOf(' down()'));
  const named = (pattern: RegExp) => [...up.matchAll(pattern)].map(([, name]) => name as string);
  const created = named(/create table "(\w+)"/g);
  const changed = [
    ...named(/(?:alter|drop|lock) table (?:if exists )?"(\w+)"/g),
    ...named(/create (?:unique )?index "\w+" on "(\w+)"/g),
    ...named(/(?:insert into|update|delete from|references) "(\w+)"/g),
  ];
  return [...new Set(changed)].filter((name) => !created.includes(name));
}

describe('the migrations', () => {
  const files = readdirSync(directory).filter((name) => name.endsWith('.ts'));

  // Requests of old replicas lock tables in many orders. A transaction that locks two of their tables would deadlock.
  it('change one existing table each', () => {
    const several = files
      .filter((name) => name >= SINCE)
      .map((name) => ({ name, tables: changedTables(readFileSync(join(directory, name), 'utf8')) }))
      .filter(({ tables }) => tables.length > 1);
    expect(several).to.deep.equal([]);
  });

  it('are read correctly by this test', () => {
    const of = (name: string) =>
      changedTables(readFileSync(join(directory, files.find((file) => file.includes(name)) ?? ''), 'utf8'));
    expect(of('_hidden_posts')).to.deep.equal(['agent_activity']);
    expect(of('_moderation')).to.deep.equal([]);
    expect(of('_claims').length).to.be.above(1);
  });
});
