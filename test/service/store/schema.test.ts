import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import commandLine from '../../../mikro-orm.config.js';
import { openDatabase } from '../../../src/service/orm.js';
import { type Database, type DatabaseTarget, migrate } from '../../../src/store/database.js';
import { freshTarget, serverUrl } from '../../support/database.js';
import { adder, DAY, hash, wallet } from '../../support/market/good-rows.js';
import { root } from '../../support/service/process.js';
import { testTimes } from '../../support/times.js';

const directory = join(root, 'schema/migrations');
/**
 * The first migration to which the rule "change one existing table each" applies (see below). Older ones were released together, so
 * no replica of an older version runs beside them.
 */
const SINCE = 'Migration20261122050000';

/** The SQL that would change the database to match the entities. Empty if it matches them. */
const drift = async (orm: Database): Promise<string> => (await orm.schema.getUpdateSchemaSQL()).trim();
const execute = (orm: Database, sql: string) => orm.em.fork().getConnection().execute<Record<string, unknown>[]>(sql);
const objects = async (orm: Database): Promise<string[]> => {
  const rows = await execute(
    orm,
    `select tablename as name from pg_tables where schemaname = 'public'
     union all select viewname from pg_views where schemaname = 'public'
     union all select proname from pg_proc where pronamespace = 'public'::regnamespace
       and not exists (select from pg_depend where objid = pg_proc.oid and deptype = 'e')
     union all select tgname from pg_trigger where not tgisinternal`,
  );
  return rows.map(({ name }) => String(name)).sort();
};

/** The tests run on the embedded database and, with DATABASE_URL set, also on PostgreSQL. */
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

    it('differs from the entities if a check, an exclusion constraint or a trigger is missing', async () => {
      await execute(orm, 'alter table candle drop constraint candle_range');
      await execute(orm, 'alter table season drop constraint season_one_active');
      await execute(orm, 'drop trigger season_frozen on season');
      expect(await drift(orm))
        .to.include('alter table "candle" add constraint "candle_range" check')
        .and.include('alter table "season" add constraint "season_one_active" EXCLUDE')
        .and.include('create trigger "season_frozen" BEFORE UPDATE OR DELETE on "season"');
    });
  });
}

describe('migrations of a database with data', () => {
  let orm: Database;
  const sql = (text: string) => execute(orm, text);

  before(async () => {
    const target = await freshTarget(serverUrl);
    orm = await openDatabase(target, { times: testTimes });
    await migrate(orm, target);
    // Goes back to an older schema, adds rows as that version did, and migrates forward. The tests below look at the result.
    await orm.migrator.down({ to: 'Migration20261121060000_sales' });
    const add = adder(orm);
    await add('agent', { n: 1, signed: true, claimed_at: DAY, claim_post_id: '1' });
    await add('agent', { n: 2 });
    for (const n of [1, 2]) await sql(`insert into issued_code (code) values ('T-${n}')`);
    await sql("insert into issued_code (code) values ('T-GONE')");
    await sql(
      `insert into trade_claim (tx_hash, ordinal, claimant, thesis, created_at) values ('${hash(8)}', 0, '${wallet(1)}', 'early', now())`,
    );
    // Two kinds of notifications, which name the other agent in different fields.
    const data = { trader: wallet(2), actor: wallet(2) };
    for (const [key, value] of Object.entries(data)) {
      await add('notification', { subject: key, data: JSON.stringify({ [key]: value }) });
    }
    await migrate(orm, target);
  });
  after(() => orm?.close(true));

  it('record the wallets that registered with a signature', async () => {
    expect(await sql('select wallet from signed_wallet')).to.deep.equal([{ wallet: wallet(1) }]);
  });

  it('assign codes to the wallets of their agents, and do not free the codes of deleted agents', async () => {
    const codes = await sql('select code, wallet, issued_at is not null as issued, free_from from issued_code order by code');
    expect(codes).to.deep.equal([
      { code: 'T-1', wallet: wallet(1), issued: true, free_from: null },
      { code: 'T-2', wallet: wallet(2), issued: true, free_from: null },
      { code: 'T-GONE', wallet: null, issued: false, free_from: null },
    ]);
  });

  it('record the posts of existing claims', async () => {
    const posts = await sql(
      `select post_id, used.wallet, registered_at = created_at as same
       from used_post used join agent on agent.wallet = used.wallet`,
    );
    expect(posts).to.deep.equal([{ post_id: '1', wallet: wallet(1), same: true }]);
  });

  it('mark existing claims as made without the API key', async () => {
    const [claimed] = await sql('select claim_final from agent where claimed_at is not null');
    expect(claimed).to.deep.equal({ claim_final: false });
  });

  it('keep the theses', async () => {
    expect(await sql('select author, text, hidden from thesis')).to.deep.equal([
      { author: wallet(1), text: 'early', hidden: false },
    ]);
  });

  // In a rolling restart, the first new replica migrates while replicas of the
  // previous version still serve. So their SQL must work.
  it('let the previous version record theses under the old name of their table', async () => {
    const record = (claimant: string, thesis: string) =>
      sql(
        `insert into trade_claim (tx_hash, ordinal, claimant, thesis, created_at) values ('${hash(7)}', 0, '${claimant}', '${thesis}', now())
         on conflict (tx_hash, ordinal) do update
           set claimant = excluded.claimant, thesis = excluded.thesis, hidden = false, created_at = excluded.created_at
           where trade_claim.claimant <> excluded.claimant
         returning claimant`,
      );
    expect(await record(wallet(1), 'first')).to.deep.equal([{ claimant: wallet(1) }]);
    expect(await record(wallet(1), 'again')).to.deep.equal([]);
    await record(wallet(2), 'second');
    await sql(`update trade_claim set hidden = true where claimant = '${wallet(2)}' and hidden <> true`);
    expect(await sql(`select author, text, hidden from thesis where tx_hash = '${hash(7)}'`)).to.deep.equal([
      { author: wallet(2), text: 'second', hidden: true },
    ]);
    expect(await sql(`select claimant, thesis, hidden from trade_claim where tx_hash = '${hash(7)}'`)).to.deep.equal([
      { claimant: wallet(2), thesis: 'second', hidden: true },
    ]);
  });

  it('record the agent that each notification names', async () => {
    const actors = await sql('select actor from notification');
    expect(actors).to.deep.equal([{ actor: wallet(2) }, { actor: wallet(2) }]);
  });
});

describe('the MikroORM command line', () => {
  it('is configured to create migrations among the sources', () => {
    const { pathTs, emit } = commandLine.migrations;
    expect([pathTs, emit]).to.deep.equal([directory, 'ts']);
    expect(readdirSync(pathTs)).to.include('Migration20261121000000_initial.ts');
  });
});

/** The tables that a migration changes without having created them. */
function changedTables(source: string): string[] {
  const up = source.slice(source.indexOf(' up()'), source.indexOf(' down()'));
  const named = (pattern: RegExp) => [...up.matchAll(pattern)].map(([, name]) => name as string);
  const created = [...named(/create table "(\w+)"/g), ...named(/alter table "\w+" rename to "(\w+)"/g)];
  const changed = [
    ...named(/(?:alter|drop|lock) table (?:if exists )?"(\w+)"/g),
    ...named(/create (?:unique )?index "\w+" on "(\w+)"/g),
    ...named(/(?:insert into|update|delete from|references) "(\w+)"/g),
  ];
  return [...new Set(changed)].filter((name) => !created.includes(name));
}

describe('the migrations', () => {
  const files = readdirSync(directory).filter((name) => name.endsWith('.ts'));

  // Requests of old replicas lock tables in many orders. So a transaction that locks two of their tables could deadlock with them.
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
    expect(of('_thesis.ts')).to.deep.equal(['trade_claim']);
    expect(of('_claims').length).to.be.above(1);
  });
});
