// Server: PostgreSQL must have the same schema as the embedded database.
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import commandLine from '../../mikro-orm.config.js';
import { type Database, type DatabaseTarget, migrate, openDatabase } from '../../src/store/database.js';
import { freshTarget, serverUrl } from '../support/database.js';
import { testTimes } from '../support/times.js';

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
const targets: [name: string, server: string | undefined][] = [['the embedded database', undefined]];
if (serverUrl !== undefined) targets.push(['PostgreSQL', serverUrl]);

for (const [name, server] of targets) {
  describe(`the schema on ${name}`, () => {
    let orm: Database;
    let target: DatabaseTarget;
    let whole: string[];

    before(async () => {
      target = await freshTarget(server);
      orm = await openDatabase(target, { times: testTimes });
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

    /** Changes, and the statement that would undo each. All are made at once, because a comparison takes long. */
    const changes: [what: string, change: string, repair: string][] = [
      ['a column', 'alter table agent drop column bio', 'alter table "agent" add "bio" varchar(200) null;'],
      [
        'a type',
        'alter table candle alter column volume type numeric(60,0)',
        'alter table "candle" alter column "volume" type numeric(78,0)',
      ],
      [
        'a default',
        'alter table agent alter column follower_count drop default',
        'alter table "agent" alter column "follower_count" set default 0;',
      ],
      [
        'a nullable column',
        'alter table market alter column volume drop not null',
        'alter table "market" alter column "volume" set not null;',
      ],
      [
        'a check',
        'alter table candle drop constraint candle_range',
        'alter table "candle" add constraint "candle_range" check',
      ],
      [
        'an exclusion constraint',
        'alter table season drop constraint season_one_active',
        'alter table "season" add constraint "season_one_active" EXCLUDE',
      ],
      [
        'a unique constraint',
        'alter table agent drop constraint agent_agent_id_unique',
        'alter table "agent" add constraint "agent_agent_id_unique" unique',
      ],
      [
        'a partial unique index',
        'drop index agent_follow_standing',
        'create unique index "agent_follow_standing" on "agent_follow"',
      ],
      ['an index', 'drop index market_supply_wallet_index', 'create index "market_supply_wallet_index" on "market"'],
      [
        'a foreign key with a delete rule',
        `alter table reaction drop constraint reaction_post_foreign,
         add constraint reaction_post_foreign foreign key (post) references agent_activity (id)`,
        'foreign key ("post") references "agent_activity" ("id") on delete cascade;',
      ],
      [
        'a trigger',
        'drop trigger season_frozen on season',
        'create trigger "season_frozen" BEFORE UPDATE OR DELETE on "season"',
      ],
      ['an extra table', 'create table leftover (id int primary key)', 'drop table if exists "leftover"'],
    ];
    describe('differs from the entities', () => {
      let repairs: string;
      before(async () => {
        for (const [, change] of changes) await execute(orm, change);
        repairs = await drift(orm);
      });
      for (const [what, , repair] of changes) {
        it(`after a change of ${what}`, () => expect(repairs).to.include(repair));
      }
    });
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
