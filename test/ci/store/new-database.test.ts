import { spawnSync } from 'node:child_process';
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect } from 'chai';
import { openDatabase } from '../../../src/service/orm.js';
import { type Database, initializeEmbedded } from '../../../src/store/database.js';
import { createDatabaseDirectory, createSnapshot } from '../../../src/store/new-database.js';
import { HANG_MS } from '../../support/hang.js';
import { childEnvironment } from '../../support/processes.js';
import { outcomeOf } from '../../support/refused.js';
import { root } from '../../support/service/process.js';
import { testTimes } from '../../support/times.js';

/** Queries for everything that the migrations create, except the rows of the tables. */
const catalogue = [
  `select table_name, column_name, ordinal_position, data_type, numeric_precision, numeric_scale, is_nullable,
     column_default, is_generated, is_identity from information_schema.columns where table_schema = 'public' order by 1, 2`,
  "select tablename, indexname, indexdef from pg_indexes where schemaname = 'public' order by 1, 2",
  `select conrelid::regclass::text as relation, conname, pg_get_constraintdef(oid) as definition from pg_constraint
     where connamespace = 'public'::regnamespace order by 1, 2`,
  'select tgrelid::regclass::text as relation, tgname, pg_get_triggerdef(oid) as definition from pg_trigger where not tgisinternal order by 1, 2',
  "select proname, pg_get_functiondef(oid) as definition from pg_proc where pronamespace = 'public'::regnamespace and prokind = 'f' order by 1",
  "select relname, relkind, reloptions from pg_class where relnamespace = 'public'::regnamespace order by 1",
  'select extname, extversion from pg_extension order by 1',
  'select name from mikro_orm_migrations order by name',
  "select datname, datcollate, datctype, pg_encoding_to_char(encoding) as encoding from pg_database where datname = 'postgres'",
];
const tables = `select quote_ident(tablename) as name from pg_tables
  where schemaname = 'public' and tablename <> 'mikro_orm_migrations' order by 1`;

describe('a new embedded database', () => {
  let place: string;
  const initialized: string[] = [];
  /** Stands for the initialization with the migrations. Records the directory, and writes a file into it. */
  const recording = async (directory: string): Promise<void> => {
    initialized.push(directory);
    mkdirSync(directory, { recursive: true });
    writeFileSync(join(directory, 'PG_VERSION'), 'initialized');
  };
  const version = (directory: string): string => readFileSync(join(directory, 'PG_VERSION'), 'utf8');
  beforeEach(() => {
    place = mkdtempSync(join(tmpdir(), 'curvet-new-database-'));
    initialized.length = 0;
  });
  afterEach(() => rmSync(place, { recursive: true, force: true }));

  it('lets V8 free no compiled code, because the process can abort then', () => {
    const module = pathToFileURL(join(root, 'dist/src/store/database.js'));
    const program = `import { initializeEmbedded } from '${module}'; await initializeEmbedded('${join(place, 'traced')}');`;
    // With these flags, V8 would free compiled WebAssembly code early, and print a line about it.
    const tracing = ['--stress-wasm-code-gc', '--trace-wasm-code-gc', '--input-type=module', '-e', program];
    const { status, stdout, stderr } = spawnSync(join(root, 'bin/node'), tracing, {
      encoding: 'utf8',
      timeout: HANG_MS,
      maxBuffer: 1e9,
      env: childEnvironment(),
    });
    expect([status, stderr]).to.deep.equal([0, '']);
    expect(stdout).to.equal('');
  });

  it('has exactly the schema and the rows that the migrations create, and nothing pending', async () => {
    const copied = join(place, 'copied');
    const migrated = join(place, 'migrated');
    await createDatabaseDirectory(copied, async () => expect.fail('the build has made no snapshot'));
    await initializeEmbedded(migrated);
    const schemas: unknown[] = [];
    for (const directory of [copied, migrated]) {
      const orm: Database = await openDatabase({ directory }, { times: testTimes });
      try {
        expect(await orm.migrator.getPending()).to.deep.equal([]);
        const rows: unknown[] = [];
        const connection = orm.em.fork().getConnection();
        for (const query of catalogue) rows.push(await connection.execute(query));
        for (const { name } of await connection.execute<{ name: string }[]>(tables)) {
          rows.push([name, await connection.execute(`select * from ${name}`)]);
        }
        schemas.push(rows);
      } finally {
        await orm.close(true);
      }
    }
    expect((schemas[0] as unknown[][]).every((rows) => rows.length > 0)).to.equal(true);
    expect(schemas[0]).to.deep.equal(schemas[1]);
  });

  it('is initialized with the migrations when the snapshot is missing or contains other migrations', async () => {
    const snapshot = join(place, 'snapshot');
    await createDatabaseDirectory(join(place, 'first'), recording, snapshot);
    expect(initialized).to.deep.equal([join(place, 'first.new')]);
    expect(await createSnapshot(recording, snapshot)).to.equal(true);
    writeFileSync(join(snapshot, 'key'), 'another');
    await createDatabaseDirectory(join(place, 'second'), recording, snapshot);
    expect(initialized).to.deep.equal([join(place, 'first.new'), join(snapshot, 'database'), join(place, 'second.new')]);
    expect(readdirSync(place).sort()).to.deep.equal(['first', 'second', 'snapshot']);
  });

  it('is copied from a current snapshot, which is created once per set of migrations', async () => {
    const snapshot = join(place, 'snapshot');
    expect(await createSnapshot(recording, snapshot)).to.equal(true);
    expect(await createSnapshot(recording, snapshot)).to.equal(false);
    writeFileSync(join(snapshot, 'database', 'PG_VERSION'), 'copied');
    mkdirSync(join(snapshot, 'database', 'base'));
    writeFileSync(join(snapshot, 'database', 'base', '1'), '');
    // Each path with its mode in the snapshot, and in the copy, which only its owner may read.
    const modes = [
      ['.', 0o755, 0o700],
      ['PG_VERSION', 0o644, 0o600],
      ['base', 0o755, 0o700],
      ['base/1', 0o444, 0o600],
    ] as const;
    for (const [path, mode] of modes) chmodSync(join(snapshot, 'database', path), mode);
    await createDatabaseDirectory(join(place, 'data', 'database'), recording, snapshot);
    expect(version(join(place, 'data', 'database'))).to.equal('copied');
    for (const [path, , mode] of [...modes, ['..', undefined, 0o700] as const]) {
      expect(statSync(join(place, 'data', 'database', path)).mode & 0o777, path).to.equal(mode);
    }
    writeFileSync(join(snapshot, 'key'), 'another');
    expect(await createSnapshot(recording, snapshot)).to.equal(true);
    expect(version(join(snapshot, 'database'))).to.equal('initialized');
    expect(initialized).to.deep.equal([join(snapshot, 'database'), join(snapshot, 'database')]);
  });

  it('does not exist after an interrupted start, and is never replaced', async () => {
    const directory = join(place, 'database');
    const failing = async (incomplete: string): Promise<void> => {
      // Any file will do as the half-written database.
      cpSync(import.meta.filename, join(incomplete, 'half'));
      throw new Error('interrupted');
    };
    expect(await outcomeOf(createDatabaseDirectory(directory, failing, join(place, 'none')))).to.equal('interrupted');
    expect(existsSync(directory)).to.equal(false);
    expect(readdirSync(`${directory}.new`)).to.deep.equal(['half']);
    await createDatabaseDirectory(directory, recording, join(place, 'none'));
    expect(readdirSync(directory)).to.deep.equal(['PG_VERSION']);
    expect(existsSync(`${directory}.new`)).to.equal(false);
    writeFileSync(join(directory, 'PG_VERSION'), 'in use');
    await createDatabaseDirectory(directory, recording, join(place, 'none'));
    expect(version(directory)).to.equal('in use');
  });
});
