// Server: migrations of a database with data run one by one on PostgreSQL.
import { expect } from 'chai';
import { type Database, migrate, openDatabase } from '../../src/store/database.js';
import { freshTarget, serverUrl } from '../support/database.js';
import { testTimes } from '../support/times.js';
import { adder, DAY, wallet } from './good-rows.js';

describe('migrations of a database with data', () => {
  let orm: Database;
  const sql = (text: string) => orm.em.fork().getConnection().execute<Record<string, unknown>[]>(text);

  before(async () => {
    const target = await freshTarget(serverUrl);
    orm = await openDatabase(target, { times: testTimes });
    await migrate(orm, target);
    await orm.migrator.down({ to: 'Migration20261121060000_sales' });
    const add = adder(orm);
    await add('agent', { n: 1, signed: true, claimed_at: DAY, claim_post_id: '1' });
    await add('agent', { n: 2 });
    for (const n of [1, 2]) await sql(`insert into issued_code (code) values ('T-${n}')`);
    await sql("insert into issued_code (code) values ('T-GONE')");
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

  it('assign the codes to the wallets of their agents, and keep the codes of deleted agents issued', async () => {
    const codes = await sql(
      'select code, wallet, issued_at is not null as issued, free_from from issued_code order by code',
    );
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

  it('record the agent that each notification names', async () => {
    const actors = await sql('select actor from notification');
    expect(actors).to.deep.equal([{ actor: wallet(2) }, { actor: wallet(2) }]);
  });
});
