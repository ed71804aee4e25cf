import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import commandLine from '../../mikro-orm.config.js';
import { type Database, type DatabaseTarget, migrate, openDatabase } from '../../src/store/database.js';
import { createDatabase, serverUrl } from '../support/database.js';

/** The SQL that would change the database to match the entities. Empty if they match. */
const drift = async (orm: Database): Promise<string> => (await orm.schema.getUpdateSchemaSQL()).trim();
const execute = (orm: Database, sql: string) => orm.em.fork().getConnection().execute<Record<string, unknown>[]>(sql);
const objects = async (orm: Database): Promise<string[]> => {
  const rows = await execute(
    orm,
    `select tablename as name from pg_tables where schemaname = 'public'
     union all select proname from pg_proc where pronamespace = 'public'::regnamespace
       and not exists (select from pg_depend where objid = pg_proc.oid and deptype = 'e')
     union all select tgname from pg_trigger where not tgisinternal`,
  );
  return rows.map(({ name }) => String(name)).sort();
};

/** With DATABASE_URL set, the tests run on both drivers. */
const targets: [name: string, make: () => Promise<DatabaseTarget>][] = [
  ['the embedded database', async () => ({ directory: 'memory://' })],
];
if (serverUrl !== undefined) {
  const server = serverUrl;
  targets.push(['PostgreSQL', async () => ({ url: await createDatabase(server) })]);
}

for (const [name, makeTarget] of targets) {
  describe(`the schema on ${name}`, () => {
    let orm: Database;
    let target: DatabaseTarget;
    let whole: string[];

    before(async () => {
      target = await makeTarget();
      orm = await openDatabase(target);
      await migrate(orm, target);
      whole = await objects(orm);
    });
    after(() => orm?.close(true));

    it('matches the entities after the migrations', async () => {
      expect(await drift(orm)).to.equal('');
      expect(whole).to.include.members(['agent', 'transaction', 'season_frozen', 'agent_season_points_frozen']);
    });

    it('migrates down to an empty database and up to the same schema', async () => {
      await orm.migrator.down({ to: 0 });
      expect(await objects(orm)).to.deep.equal(['mikro_orm_migrations']);
      await migrate(orm, target);
      expect(await objects(orm)).to.deep.equal(whole);
      expect(await drift(orm)).to.equal('');
      await migrate(orm, target);
      expect(await orm.migrator.getPending()).to.deep.equal([]);
    });

    const changes: Record<string, string> = {
      'a column': 'alter table agent drop column bio',
      'a type': 'alter table candle alter column volume type numeric(60,0)',
      'a default': 'alter table agent alter column follower_count drop default',
      'a nullable column': 'alter table market alter column volume drop not null',
      'a check': 'alter table candle drop constraint candle_range',
      'an exclusion constraint': 'alter table season drop constraint season_one_active',
      'a unique constraint': 'alter table agent drop constraint agent_agent_id_unique',
      'a partial unique index': 'drop index agent_follow_standing',
      'an index': 'drop index market_supply_wallet_index',
      'a foreign key with a delete rule': `alter table reaction drop constraint reaction_post_foreign,
        add constraint reaction_post_foreign foreign key (post) references agent_activity (id)`,
      'a trigger': 'drop trigger season_frozen on season',
      'an extra table': 'create table leftover (id int primary key)',
    };
    for (const [what, change] of Object.entries(changes)) {
      it(`differs from the entities after a change of ${what}`, async () => {
        await execute(orm, change);
        expect(await drift(orm)).to.not.equal('');
        await orm.migrator.down({ to: 0 });
        await execute(orm, 'drop table if exists leftover');
        await migrate(orm, target);
        expect(await drift(orm)).to.equal('');
      });
    }
  });
}

describe('the MikroORM command line', () => {
  it('creates migrations among the sources', () => {
    const { pathTs, emit } = commandLine.migrations;
    const sources = join(import.meta.dirname, '..', '..', '..', 'schema', 'migrations');
    expect([pathTs, emit]).to.deep.equal([sources, 'ts']);
    expect(readdirSync(pathTs)).to.include('Migration20261121000000_initial.ts');
  });
});
