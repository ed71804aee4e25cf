import { expect } from 'chai';
import { registrations, trades } from '../../../bench/dataset/facts.js';
import { fill } from '../../../bench/dataset/fill.js';
import { keyOf, walletOf } from '../../../bench/dataset/people.js';
import { heavyAgent, LIGHT_TRADES, lightAgent, makePlan } from '../../../bench/dataset/plan.js';
import { calendar } from '../../../bench/dataset/time.js';
import type { Deps } from '../../../src/deps.js';
import { agentByKeyHash, hashKey } from '../../../src/keys.js';
import { openDatabase } from '../../../src/service/orm.js';
import { type Database, migrate } from '../../../src/store/database.js';
import { openSql, type Sql } from '../../../src/store/sql.js';
import { storedFacts } from '../../support/chain/facts.js';
import { createDatabase, serverUrl } from '../../support/database.js';
import { oracle } from '../../support/market/oracle.js';
import { testTimes } from '../../support/times.js';

const size = { agents: 30, trades: 600, holdings: 100, heavyTrades: 200 };
const anchor = new Date('2026-06-30T12:00:00Z');

describe('the benchmark data set', () => {
  let orm: Database;
  let sql: Sql;
  let indexes: object[];

  const indexList = () => sql(`select tablename, indexname, indexdef from pg_indexes where schemaname = 'public' order by 1, 2`);

  before(async () => {
    const target = serverUrl === undefined ? { directory: 'memory://' } : { url: await createDatabase(serverUrl) };
    orm = await openDatabase(target, { times: testTimes });
    await migrate(orm, target);
    sql = await openSql(orm);
    indexes = await indexList();
    await fill(orm, size, anchor, { batchSize: 50 });
  });
  after(() => orm.close(true));

  const one = async (text: string): Promise<Record<string, unknown>> => (await sql<Record<string, unknown>>(text))[0] ?? {};
  /** Expects that no row contradicts a rule. The query selects the rows that do. */
  const wrong = async (text: string) => expect(await sql(text)).to.deep.equal([]);

  it('equals the tables that the oracle computes from the same facts', async () => {
    const at = calendar(size, anchor);
    const facts = [...registrations(size, at), ...trades(size, makePlan(size), at)];
    expect(await storedFacts({ sql } as Deps)).to.deep.equal(oracle(facts));
  });

  it('has the configured sizes', async () => {
    expect(
      await one(`select (select count(*) from agent) as agents, (select count(*) from transaction) as trades,
        (select count(*) from ticket_holding) as holdings`),
    ).to.deep.equal({ agents: size.agents, trades: size.trades, holdings: size.holdings });
  });

  it('has one agent with many trades and one with a hundred, each with 20 positions', async () => {
    const [heavy, light] = [heavyAgent(size), lightAgent(size)].map(walletOf);
    expect(
      await sql(
        `select w.wallet, (select count(*) from transaction where trader = w.wallet) as trades,
           (select count(*) from ticket_holding where holder = w.wallet and agent <> w.wallet) as positions
         from unnest($1::text[]) with ordinality as w (wallet, i) order by i`,
        [[heavy, light]],
      ),
    ).to.deep.equal([
      { wallet: heavy, trades: size.heavyTrades, positions: 20 },
      { wallet: light, trades: LIGHT_TRADES, positions: 20 },
    ]);
  });

  it('has follower and reaction counts that match the rows', async () => {
    await wrong(`select wallet from agent a
      where follower_count <> (select count(*) from agent_follow where followed = a.wallet and removed_at is null)
        or following_count <> (select count(*) from agent_follow where follower = a.wallet and removed_at is null)`);
    await wrong(`select id from agent_activity p
      where like_count <> (select count(*) from reaction where post = p.id and kind = 'like' and removed_at is null)
        or repost_count <> (select count(*) from reaction where post = p.id and kind = 'repost' and removed_at is null)`);
    const { likes, follows } = await one(
      'select (select count(*) from reaction) as likes, (select count(*) from agent_follow) as follows',
    );
    expect(likes).to.be.greaterThan(0);
    expect(follows).to.be.greaterThan(0);
  });

  it('has a frozen and an active season with points of every agent', async () => {
    expect(
      await sql(`select number, frozen_at is not null as frozen, (select count(*) from agent_season_points where season = number) as agents
        from season order by number`),
    ).to.deep.equal([
      { number: 1, frozen: true, agents: size.agents },
      { number: 2, frozen: false, agents: size.agents },
    ]);
  });

  it('stores the API key hash of an agent', async () => {
    const deps = { sql } as Deps;
    expect(await agentByKeyHash(deps, hashKey(keyOf(3)))).to.include({ wallet: walletOf(3) });
  });

  it('does not change the indexes and keys of the tables', async () => {
    expect(await indexList()).to.deep.equal(indexes);
  });
});
