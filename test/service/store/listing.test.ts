import { expect } from 'chai';
import { sqlIn } from '../../../src/store/sql.js';
import { serverUrl } from '../../support/database.js';
import { addAgent, addListedAgent, addMarket, randomWallet } from '../../support/market/rows.js';
import { runSql, untilLocked } from '../../support/store.js';
import { useWorld } from '../../support/world.js';

describe('the listing table', () => {
  const world = useWorld({ TRUST_PROXY: '1' });

  /** The differences between the stored rows of `listing` and the rows that `agent` and `market` demand. */
  const faults = () =>
    world.deps.sql(
      `with expected as (
         select wallet, a.agent_id, coalesce(a.claimed_at is not null, false) as is_claimed, a.created_at, m.supply,
           m.holder_count, m.trade_count
         from agent a full join market m using (wallet)
       ), stored as (
         select wallet, agent_id, is_claimed, created_at, supply, holder_count, trade_count from listing
         where created_at is not null or supply is not null
       )
       (select 'stored' as which, * from (select * from stored except select * from expected) wrong)
       union all (select 'missing', * from (select * from expected except select * from stored) missing)`,
    );
  const totals = () =>
    world.deps.sql("select (select total from tally where name = 'agents') as stored, count(*) as counted from agent");
  const expectRight = async () => {
    expect(await faults()).to.deep.equal([]);
    const [row] = await totals();
    expect(row).to.have.property('stored', (row as { counted: number }).counted);
  };

  it('joins the profile and the market of each wallet after any order of changes', async () => {
    const { sql } = world.deps;
    const wallets = Array.from({ length: 12 }, randomWallet);
    // A generator whose numbers are the same in each run.
    let seed = 20261121;
    const random = (below: number) => {
      seed = (seed * 1103515245 + 12345) % 2 ** 31;
      return Math.floor((seed / 2 ** 31) * below);
    };
    const has = async (table: string, wallet: string) => (await sql(`select from ${table} where wallet = $1`, [wallet])).length > 0;
    for (let step = 0; step < 300; step++) {
      const wallet = wallets[random(wallets.length)] as string;
      // One of six changes, of which deletions are rarer. It is skipped if the wallet already has the row, or has none to change.
      const what = random(6);
      if (what === 0 && !(await has('agent', wallet))) await addAgent(world, { wallet });
      if (what === 1 && !(await has('market', wallet))) await addMarket(world, wallet, { supply: 1 + random(50) });
      if (what === 2)
        await runSql(world.deps, 'update agent set claimed_at = now(), claim_post_id = wallet::varchar(32) where wallet = $1', [
          wallet,
        ]);
      if (what === 3) {
        const changed = 'supply = supply + 1, holder_count = holder_count + 2, trade_count = trade_count + 3';
        await runSql(world.deps, `update market set ${changed} where wallet = any($1::text[])`, [
          wallets.slice(0, random(5)).concat(wallet),
        ]);
      }
      if (what === 4 && random(3) === 0) await runSql(world.deps, 'delete from agent where wallet = $1', [wallet]);
      if (what === 5 && random(4) === 0) await runSql(world.deps, 'delete from market where wallet = $1', [wallet]);
      if (step % 50 === 49) await expectRight();
    }
    await expectRight();
  });

  if (serverUrl !== undefined) {
    it('has both parts when registration and indexing run concurrently', async () => {
      for (let i = 0; i < 20; i++) {
        const wallet = randomWallet();
        await Promise.all(
          i % 2 ? [addAgent(world, { wallet }), addMarket(world, wallet)] : [addMarket(world, wallet), addAgent(world, { wallet })],
        );
      }
      await expectRight();
    });

    it('avoids a deadlock between a deletion and the index', async () => {
      const { wallet, key } = await addListedAgent(world);
      const changed = Promise.withResolvers<void>();
      const goOn = Promise.withResolvers<void>();
      // The index locks the listing, by updating the market, and then the agent, by storing a notification. A deletion must take
      // both locks in the same order.
      const index = world.deps.write(async (tx) => {
        await sqlIn(tx)('update market set supply = supply + 1 where wallet = $1', [wallet]);
        changed.resolve();
        await goOn.promise;
        await sqlIn(tx)(
          `insert into notification (recipient, type, subject, message, data, created_at)
           values ($1, 'TICKET_BOUGHT', 'x', 'x', '{}', now())`,
          [wallet],
        );
      });
      await changed.promise;
      const removal = world.ask('DELETE', `/api/agents/${wallet}`, { key });
      await untilLocked(world.deps);
      goOn.resolve();
      await index;
      expect((await removal).status).to.equal(200);
      await expectRight();
    });
  }
});
