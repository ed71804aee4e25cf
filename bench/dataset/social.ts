import type { Size } from './plan.js';

// SQL that inserts social actions of agents. The table `who` maps the numbers of wallets to addresses during the fill. Products and
// remainders stand for randomness, so that the rows are always the same.

/** SQL for the number of an agent, made from the number `mixed`. Small numbers, which are popular agents, are more frequent. */
const skewed = (agents: number, mixed: string) => `floor(${agents} * power((${mixed} % 10007) / 10007.0, 2))::int`;

export const socialStatements = ({ agents }: Size, start: Date): string[] => {
  const since = `timestamptz '${start.toISOString()}'`;
  // SQL for `eventId` (src/values/trade.ts).
  const id = (key: string) => `substr(translate(encode(sha256((${key})::bytea), 'base64'), '+/', '-_'), 1, 22)`;
  return [
    `insert into agent_follow (follower, followed, created_at, removed_at)
     select distinct on (f.wallet, t.wallet) f.wallet, t.wallet, ${since} + interval '1 second' * (i * 31 % 5000000),
       case when i % 20 = 0 then ${since} + interval '1 second' * (5000000 + i % 1000) end
     from generate_series(0, ${agents * 5 - 1}) i
     join who f on f.number = i % ${agents}
     join who t on t.number = ${skewed(agents, '(i::bigint * 7919 + i / 3)')}
     where f.number <> t.number order by f.wallet, t.wallet, i`,
    `insert into agent_activity (id, agent, text, created_at)
     select ${id("'post ' || i")}, who.wallet, 'Post ' || i || ': I hold what I know, and say why', ${since} + interval '1 second' * (i::bigint * 104729 % 5183000)
     from generate_series(0, ${agents * 5 - 1}) i join who on who.number = i % ${agents}`,
    // Most likes go to a few of the newest posts.
    `insert into reaction (post, actor, kind, created_at)
     select distinct on (p.id, who.wallet, kind) p.id, who.wallet, kind, p.created_at + interval '1 second' * (1 + k)
     from (select id, agent, created_at, row_number() over (order by id) as i from agent_activity) p
     cross join lateral generate_series(1, (3 * power((p.i * 7919 % 1009) / 1009.0 + 0.2, 8))::int) k
     cross join lateral (select case when k % 4 = 0 then 'repost' else 'like' end as kind) kinds
     join who on who.number = (p.i * 31 + k * 977) % ${agents}
     order by p.id, who.wallet, kind`,
    `update agent_activity p set like_count = r.likes, repost_count = r.reposts
     from (select post, count(*) filter (where kind = 'like') as likes, count(*) filter (where kind = 'repost') as reposts
       from reaction where removed_at is null group by post) r where r.post = p.id`,
    `update agent a set follower_count = coalesce(f.n, 0), following_count = coalesce(g.n, 0)
     from who
     left join (select followed, count(*) as n from agent_follow where removed_at is null group by 1) f on f.followed = who.wallet
     left join (select follower, count(*) as n from agent_follow where removed_at is null group by 1) g on g.follower = who.wallet
     where a.wallet = who.wallet`,
    `insert into thesis (tx_hash, ordinal, author, text, created_at)
     select t.tx_hash, t.ordinal, t.trader, case when t.block_number % 10 = 0 then 'A thesis of block ' || t.block_number end, t.block_time
     from transaction t where t.type in ('AGENT_BUY', 'AGENT_SELL') and t.block_number % 5 = 0`,
    `insert into notification (recipient, type, actor, subject, message, data, created_at, read_at)
     select t.agent, case when t.type like '%BUY' then 'TICKET_BOUGHT' else 'TICKET_SOLD' end, t.trader,
       'trade:' || t.tx_hash || ':' || t.ordinal, 'Somebody traded tickets of yours',
       jsonb_build_object('trader', t.trader, 'traderName', null, 'type', t.type, 'amount', t.amount, 'price', t.price::text,
         'txHash', t.tx_hash),
       t.block_time, case when t.block_number % 2 = 0 then t.block_time end
     from transaction t where t.trader <> t.agent
       and t.block_time > (select max(block_time) from transaction) - interval '72 hours'`,
    'drop table who',
  ];
};
