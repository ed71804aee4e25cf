import { cpSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { root } from '../../support/service/process.js';

/** A migration of a release that does not exist yet, as SQL. */
export type NextMigration = { readonly name: string; readonly up: readonly string[] };

/** A copy of the build in a directory of its own, with further migrations. Returns the directory. */
export function nextRelease(migrations: readonly NextMigration[]): string {
  const directory = mkdtempSync(join(tmpdir(), 'curvet-release-'));
  process.once('exit', () => rmSync(directory, { recursive: true, force: true }));
  mkdirSync(join(directory, 'dist'));
  for (const folder of ['dist/src', 'dist/schema', 'dist/graphiql', 'schema', 'package.json', 'bin', 'client']) {
    cpSync(join(root, folder), join(directory, folder), { recursive: true });
  }
  symlinkSync(join(root, 'node_modules'), join(directory, 'node_modules'));
  for (const { name, up } of migrations) {
    const code = `import { Migration } from '@mikro-orm/migrations';
export class ${name} extends Migration {
  name = '${name}';
  up() { ${up.map((text) => `this.addSql(${JSON.stringify(text)});`).join(' ')} }
}
`;
    writeFileSync(join(directory, 'dist/schema/migrations', `${name}.js`), code);
  }
  return directory;
}
