// Generates agents and trades in a database of its own on the server in DATABASE_URL, scores them, and prints how long
// that took and what the process held in memory meanwhile. `npm run bench:scoring`, or with sizes:
// `npm run bench:scoring -- 10000:1000000`.
import type { SqlEntityManager } from '@mikro-orm/sql';
import pg from 'pg';
import { pino } from 'pino';
import { readConfig } from '../src/config.js';
import { scoreNow } from '../src/core/seasons/commands/score.js';
import type { Deps } from '../src/deps.js';
import { migrate, openDatabase } from '../src/store/database.js';
import { openSql } from '../src/store/sql.js';

const SIZES = ['10000:1000000', '100000:5000000'];
const DAYS = 28;

/** Agents have numbers; a wallet is its agent's number in hexadecimal. The trades stand in the season, evenly in time. */
const generate = (agents: number, trades: number): string[] => [
  `create function wallet_of(n bigint) returns varchar(42) language sql immutable as
     $$ select '0x' || lpad(to_hex(n), 40, '0') $$`,
  `insert into season (number, start_at, end_at) values (1, now() - interval '100 days', now() - interval '${DAYS} days'),
     (2, now() - interval '${DAYS} days', now() + interval '1 day')`,
  `insert into indexer_cursor (contract, chain_id, block_number, updated_at) values (wallet_of(0), 84532, 0, now())`,
  `insert into agent (wallet, name, agent_id, api_key_hash, verification_code, registration_ip, referred_by, referred_at,
     claimed_at, claim_post_id, created_at)
   select wallet_of(n), 'Agent ' || n, 'agent_' || n, decode(lpad(to_hex(n), 64, '0'), 'hex'), 'B-' || n, '', 
     case when n % 3 = 0 then wallet_of(n / 3) end, now() - interval '90 days',
     case when n % 2 = 0 then now() - interval '80 days' end, case when n % 2 = 0 then n::text end, now() - interval '90 days'
   from generate_series(1, ${agents}) n`,
  // Some agents are traded much more than others; every fifth trade sells one of the tickets bought just before.
  `create unlogged table raw as
   select i, wallet_of(1 + floor(${agents} * power(random(), 3))::bigint) as agent,
     wallet_of(1 + floor(${agents} * random())::bigint) as trader, 1 as amount, true as buys
   from generate_series(1, ${trades}) i`,
  'create unique index on raw (i)',
  'analyze raw',
  `update raw set buys = false, agent = before.agent, trader = before.trader
   from raw before where raw.i % 5 = 0 and before.i = raw.i - 1`,
  `insert into transaction (tx_hash, ordinal, type, trader, agent, amount, price, protocol_fee, agent_fee, supply_after,
     block_number, log_index, block_time, event_id)
   select '0x' || lpad(to_hex(i), 64, '0'), 0, case when buys then 'AGENT_BUY' else 'AGENT_SELL' end, trader, agent, amount,
     supply * supply * 20000000000000::numeric, 1000000000000, 1000000000000, supply, i, 0,
     date_trunc('second', now() - interval '${DAYS} days' + interval '${DAYS} days' * i / ${trades + 1}),
     lpad(i::text, 22, '0')
   from (select *, 1 + sum(case when buys then amount else -amount end) over (partition by agent order by i) as supply
     from raw) numbered order by i`,
  `insert into ticket_holding (agent, holder, amount, cost, since)
   select agent, trader, sum(case when buys then amount else -amount end), 0,
     now() - interval '${DAYS} days' * (1 - min(i) / ${trades + 1}.0)
   from raw group by agent, trader having sum(case when buys then amount else -amount end) > 0`,
  `insert into market (wallet, name, agent_id, supply, holder_count, fees_earned, trade_count, volume, tx_hash, ordinal,
     block_number, log_index, registered_at, event_id)
   select wallet_of(n), 'Agent ' || n, 'agent_' || n, 1 + coalesce(held, 0), 1, 0, 0, 0, '', 0, 0, 0,
     now() - interval '95 days', n::text
   from generate_series(1, ${agents}) n
   left join (select agent, sum(amount) as held from ticket_holding group by agent) h on h.agent = wallet_of(n)`,
  'drop table raw',
  `insert into agent_activity (id, agent, text, created_at)
   select lpad(i::text, 22, '0'), wallet_of(1 + i % ${agents}), 'Hello', now() - interval '${DAYS} days' * random()
   from generate_series(1, ${agents * 5}) i`,
  `insert into agent_follow (follower, followed, created_at)
   select wallet_of(1 + i % ${agents}), wallet_of(1 + (i + 1 + i / ${agents}) % ${agents}), now() - interval '${DAYS} days' * random()
   from generate_series(1, ${agents * 5}) i`,
  `insert into reaction (post, actor, kind, created_at)
   select lpad(i::text, 22, '0'), wallet_of(1 + (i + 7) % ${agents}), 'like', now() - interval '${DAYS} days' * random()
   from generate_series(1, ${agents * 5}) i`,
  'drop function wallet_of',
  'vacuum analyze',
];

const lastDayOnly = [
  'alter table season disable trigger season_frozen',
  "update season set start_at = now() - interval '1 day' where number = 2",
  'update season set end_at = (select start_at from season where number = 2) where number = 1',
];

async function measure(server: string, agents: number, trades: number): Promise<void> {
  const name = `curvet_bench_${process.pid}`;
  const admin = new pg.Client({ connectionString: server });
  await admin.connect();
  await admin.query(`create database ${name}`);
  try {
    const url = new URL(server);
    url.pathname = `/${name}`;
    const orm = await openDatabase({ url: url.href });
    try {
      await migrate(orm, { url: url.href });
      const sql = await openSql(orm);
      for (const statement of generate(agents, trades)) await orm.em.fork().getConnection().execute(statement);
      const deps = {
        config: readConfig({ SEASON_DAYS: '0' }),
        log: pino({ level: 'silent' }),
        clock: { now: () => new Date() },
        em: orm.em as SqlEntityManager,
        sql,
        market: { blockNumber: async () => 0, blockTime: async () => new Date(0) },
      } as unknown as Deps;
      // The earlier season is open too: it is put away, as it would be.
      await sql('update season set frozen_at = now() where number = 1');
      const what = `${agents} agents, ${trades} trades`;
      for (const run of ['first', 'again']) await time(`${what}, ${run}`, () => scoreNow(deps));
      // What is before the season should cost next to nothing.
      for (const statement of lastDayOnly) await sql(statement);
      await time(`${what}, a day of them in the season`, () => scoreNow(deps));
    } finally {
      await orm.close(true);
    }
  } finally {
    await admin.query(`drop database ${name} with (force)`);
    await admin.end();
  }
}

async function time(what: string, work: () => Promise<unknown>): Promise<void> {
  let highest = 0;
  const sample = () => {
    highest = Math.max(highest, process.memoryUsage.rss());
  };
  sample();
  const before = highest;
  const sampling = setInterval(sample, 20);
  const started = performance.now();
  await work();
  const seconds = (performance.now() - started) / 1000;
  clearInterval(sampling);
  sample();
  const megabytes = (bytes: number) => `${Math.round(bytes / 2 ** 20)} MB`;
  process.stdout.write(
    `${what}: ${seconds.toFixed(1)} s, resident ${megabytes(before)} before, at most ${megabytes(highest)}\n`,
  );
}

const server = process.env.DATABASE_URL;
if (!server) {
  process.stderr.write('bench:scoring needs DATABASE_URL\n');
  process.exit(1);
}
const sizes = process.argv.slice(2);
for (const size of sizes.length > 0 ? sizes : SIZES) {
  const [agents = 0, trades = 0] = size.split(':').map(Number);
  await measure(server, agents, trades);
}
