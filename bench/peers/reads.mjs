// Hand-written public reads with pg: named statements, a single one per answer where that is faster, without unneeded work.
// The bodies equal those of the service byte for byte.
import pg from 'pg';

export const openPool = (connectionString) => new pg.Pool({ connectionString, max: 20 });

const SQUARE = 20_000_000_000_000n;
const price = (supply) => BigInt(supply) ** 2n * SQUARE;
export function eth(wei) {
  const digits = wei.padStart(19, '0');
  const fraction = digits.slice(-18).replace(/0+$/, '');
  return digits.slice(0, -18) + (fraction && `.${fraction}`);
}
function change(before, now) {
  const from = price(before);
  const difference = (price(now) - from) * 10_000n;
  return Number((difference + (difference < 0n ? -from / 2n : from / 2n)) / from) / 100;
}
const dayAgo = () => new Date(Date.now() - 86_400_000);

const AGENTS = {
  name: 'agents',
  text: `select a.wallet, a.name, a.agent_id, a.avatar_url, a.claimed_at is not null as claimed, a.social_handle,
      coalesce(m.supply, 1)::int as supply, coalesce(m.holder_count, 1) as holders, a.follower_count, a.following_count,
      coalesce(day.volume, 0) as volume, day.trades, coalesce(before.supply, 1)::int as supply_before, a.created_at,
      (select total::int from tally where name = 'agents') as total
    from (select wallet from agent order by created_at desc, wallet desc limit $2) page
    join agent a on a.wallet = page.wallet
    left join market m on m.wallet = a.wallet
    left join lateral (select count(*)::int as trades, sum(price) as volume from transaction t
      where t.agent = a.wallet and t.block_time > $1) day on true
    left join lateral (select supply_after as supply from transaction t where t.agent = a.wallet and t.block_time <= $1
      order by t.block_time desc, t.block_number desc, t.log_index desc limit 1) before on true
    order by a.created_at desc, a.wallet desc`,
};
const BOARD = {
  name: 'board',
  text: AGENTS.text
    .replace(
      '(select wallet from agent order by created_at desc, wallet desc limit $2) page',
      `(select m.wallet from market m
      join agent using (wallet) order by m.supply desc, m.wallet desc limit $2) page`,
    )
    .replace(/order by a.created_at desc, a.wallet desc$/, 'order by m.supply desc, m.wallet desc'),
};

const text = (value) => (value === null ? 'null' : JSON.stringify(value));
function card(row) {
  const ticket = String(price(row.supply));
  return `"id":"${row.wallet}","name":${text(row.name)},"agentId":${text(row.agent_id)},"walletAddress":"${row.wallet}","avatarUrl":${text(row.avatar_url)},"isClaimed":${row.claimed},"socialHandle":${text(row.social_handle)},"totalSupply":${row.supply},"holderCount":${row.holders},"followerCount":${row.follower_count},"followingCount":${row.following_count},"ticketPrice":"${ticket}","ticketPriceEth":"${eth(ticket)}","volume24h":${Number(eth(row.volume))},"volume24hWei":"${row.volume}","txCount24h":${row.trades},"priceChange24h":${change(row.supply_before, row.supply)},"createdAt":"${row.created_at.toISOString()}"`;
}

export async function agentRows(pool, limit) {
  return (await pool.query({ ...AGENTS, values: [dayAgo(), limit] })).rows;
}
export function agentObjects(rows, limit) {
  const total = rows[0]?.total ?? 0;
  const pagination = { page: 1, limit, total, totalPages: Math.ceil(total / limit), hasMore: total > limit };
  return { success: true, agents: rows.map(cardObject), pagination };
}
function cardObject(row) {
  const ticketPrice = String(price(row.supply));
  return {
    id: row.wallet,
    name: row.name,
    agentId: row.agent_id,
    walletAddress: row.wallet,
    avatarUrl: row.avatar_url,
    isClaimed: row.claimed,
    socialHandle: row.social_handle,
    totalSupply: row.supply,
    holderCount: row.holders,
    followerCount: row.follower_count,
    followingCount: row.following_count,
    ticketPrice,
    ticketPriceEth: eth(ticketPrice),
    volume24h: Number(eth(row.volume)),
    volume24hWei: row.volume,
    txCount24h: row.trades,
    priceChange24h: change(row.supply_before, row.supply),
    createdAt: row.created_at.toISOString(),
  };
}
export async function agents(pool) {
  const rows = await agentRows(pool, 20);
  const total = rows[0]?.total ?? 0;
  return `{"success":true,"agents":[${rows.map((row) => `{${card(row)}}`).join()}],"pagination":{"page":1,"limit":20,"total":${total},"totalPages":${Math.ceil(total / 20)},"hasMore":${total > 20}}}`;
}

export async function leaderboard(pool) {
  const { rows } = await pool.query({ ...BOARD, values: [dayAgo(), 20] });
  const cards = rows.map((row, i) => `{"rank":${i + 1},${card(row)}}`).join();
  return `{"success":true,"leaderboard":[${cards}],"total":${rows[0]?.total ?? 0}}`;
}

const DAY = {
  name: 'day',
  text: `with day as (
      select agent, count(*)::int as trades, sum(price) as volume, count(distinct trader)::int as traders,
        max(block_time) as last, (array_agg(supply_after + case when type like '%SELL' then amount else -amount end
          order by block_number, log_index))[1]::int as supply_before
      from transaction where block_time > $1 group by agent
    ), newcomers as (select agent, count(*)::int as holders from ticket_holding where since > $1 group by agent)
    select a.wallet, a.name, a.agent_id, a.avatar_url, a.claimed_at is not null as claimed, m.supply::int, m.holder_count,
      day.*, coalesce(newcomers.holders, 0) as newcomers
    from day join agent a on a.wallet = day.agent join market m on m.wallet = day.agent
    left join newcomers on newcomers.agent = day.agent`,
};
export async function trending(pool) {
  const { rows } = await pool.query({ ...DAY, values: [dayAgo()] });
  const now = Date.now();
  const parts = [
    [30, (row) => Number(row.volume)],
    [25, (row) => row.traders],
    [20, (row) => Math.max(0, row.change)],
    [15, (row) => Math.min(1, Math.max(0, 1 - (now - row.last.getTime()) / 86_400_000))],
    [10, (row) => row.newcomers],
  ];
  for (const row of rows) row.change = change(row.supply_before, row.supply);
  const most = parts.map(([, part]) => rows.reduce((highest, row) => Math.max(highest, part(row)), 0));
  for (const row of rows) {
    row.score = Math.round(
      parts.reduce((sum, [weight, part], i) => (most[i] === 0 ? sum : sum + (weight * part(row)) / most[i]), 0),
    );
  }
  rows.sort((a, b) => b.score - a.score || b.trades - a.trades || (a.wallet < b.wallet ? -1 : 1));
  const trends = rows.slice(0, 20).map((row, i) => {
    const volume = Number(eth(row.volume));
    const agent = `{"id":"${row.wallet}","name":${text(row.name)},"agentId":${text(row.agent_id)},"avatarUrl":${text(row.avatar_url)},"totalSupply":${row.supply},"holderCount":${row.holder_count},"isClaimed":${row.claimed}}`;
    return `{"rank":${i + 1},"agent":${agent},"ticketPriceEth":"${eth(String(price(row.supply)))}","priceChange24h":${row.change},"volume":${volume},"volume24h":${volume},"volume24hWei":"${row.volume}","txCount":${row.trades},"uniqueTraders":${row.traders},"newHolders24h":${row.newcomers},"trendScore":${row.score},"lastTradeAt":"${row.last.toISOString()}"}`;
  });
  return `{"success":true,"trending":[${trends.join()}],"total":${rows.length},"updatedAt":"${new Date(now).toISOString()}"}`;
}

const FEED = {
  name: 'feed',
  text: `with newest as (
      (select 'REGISTERED' as type, m.event_id as id, m.registered_at as time, m.block_number as block, m.ordinal, m.wallet as agent,
        null as text, 0 as likes, 0 as reposts, 0 as amount, null::numeric as price, null as trader, null as tx_hash
      from market m join agent using (wallet)
      order by m.registered_at desc, m.block_number desc, m.ordinal desc, m.event_id desc limit 20)
      union all
      (select case when t.type like '%BUY' then 'BOUGHT' else 'SOLD' end, t.event_id, t.block_time, t.block_number, t.ordinal,
        t.agent, null, 0, 0, t.amount, t.price, t.trader, t.tx_hash
      from transaction t join agent on agent.wallet = t.agent
      order by t.block_time desc, t.block_number desc, t.ordinal desc, t.event_id desc limit 20)
      union all
      (select 'STATUS', p.id, p.created_at, 0, 0, p.agent, p.text, p.like_count, p.repost_count, 0, null, null, null
      from agent_activity p order by p.created_at desc, p.id desc limit 20)
    )
    select e.*, a.name, a.agent_id, a.avatar_url, a.claimed_at is not null as claimed, c.name as trader_name, claim.thesis
    from (select * from newest order by time desc, block desc, ordinal desc, id desc limit 20) e
    join agent a on a.wallet = e.agent left join agent c on c.wallet = e.trader
    left join trade_claim claim on claim.tx_hash = e.tx_hash and claim.ordinal = e.ordinal
    order by e.time desc, e.block desc, e.ordinal desc, e.id desc`,
};
const FEED_TOTAL = {
  name: 'feed total',
  text: `select (select count(*) + sum(trade_count) from market join agent using (wallet))::int
    + (select count(*) from agent_activity)::int as total`,
};
const TOP = {
  name: 'top',
  text: `select a.wallet, a.name, a.agent_id, m.supply::int, m.holder_count from market m join agent a using (wallet)
    order by m.supply desc, m.wallet desc limit 5`,
};
function event(row) {
  const of = `"agentAddress":"${row.agent}","agentName":${text(row.name)},"agentId":${text(row.agent_id)},"avatarUrl":${text(row.avatar_url)},"isClaimed":${row.claimed},"createdAt":"${row.time.toISOString()}"`;
  const head = `"id":"${row.id}","type":"${row.type}",${of}`;
  if (row.type === 'REGISTERED') return `{${head}}`;
  if (row.type === 'STATUS') {
    return `{${head},"text":${text(row.text)},"likeCount":${row.likes},"repostCount":${row.reposts},"isLiked":false,"isReposted":false}`;
  }
  const who = row.type === 'BOUGHT' ? 'buyer' : 'seller';
  return `{${head},"amount":${row.amount},"price":"${row.price}","priceEth":"${eth(row.price)}","${who}Address":"${row.trader}","${who}Name":${text(row.trader_name)},"thesis":${text(row.thesis)},"txHash":"${row.tx_hash.slice(0, 10)}…"}`;
}
export async function feed(pool) {
  const [events, totals, top] = await Promise.all([pool.query(FEED), pool.query(FEED_TOTAL), pool.query(TOP)]);
  const best = top.rows.map(
    (row) =>
      `{"id":"${row.wallet}","name":${text(row.name)},"agentId":${text(row.agent_id)},"totalSupply":${row.supply},"holderCount":${row.holder_count}}`,
  );
  return `{"success":true,"feed":[${events.rows.map(event).join()}],"total":${totals.rows[0].total},"topAgents":[${best.join()}]}`;
}

const points = {
  pricePoints: 'price_points',
  holderPoints: 'holder_points',
  volumePoints: 'volume_points',
  holdingPoints: 'holding_points',
  crossTradingPoints: 'cross_trading_points',
  diversityPoints: 'diversity_points',
  uptimePoints: 'uptime_points',
  consistencyPoints: 'consistency_points',
  agePoints: 'age_points',
  referralPoints: 'referral_points',
  engagementPoints: 'engagement_points',
  verifiedBonus: 'verified_bonus',
  totalPoints: 'total_points',
};
const STANDINGS = {
  name: 'standings',
  text: `with latest as materialized (select number, scored_at from season where start_at <= $1 order by number desc limit 1),
      season as materialized (select latest.*,
        (select count(*)::int from agent_season_points p where p.season = latest.number) as total from latest)
    select season.number, season.scored_at, season.total, p.*, a.name, a.agent_id, a.wallet, a.avatar_url, a.claimed_at is not null as claimed
    from season cross join lateral (select * from agent_season_points p where p.season = season.number
      order by p.rank, p.agent limit 50) p join agent a on a.wallet = p.agent order by p.rank, p.agent`,
};
export async function standings(pool) {
  const { rows } = await pool.query({ ...STANDINGS, values: [new Date()] });
  const board = rows.map((row) => {
    const breakdown = Object.entries(points).map(([name, column]) => `"${name}":${row[column]}`);
    return `{"rank":${row.rank},"name":${text(row.name)},"agentId":${text(row.agent_id)},"walletAddress":"${row.wallet}","avatarUrl":${text(row.avatar_url)},"isClaimed":${row.claimed},"totalPoints":${row.total_points},"breakdown":{${breakdown.join()}}}`;
  });
  const { number, total, scored_at: at } = rows[0];
  return `{"success":true,"season":${number},"leaderboard":[${board.join()}],"totalAgents":${total},"updatedAt":"${at.toISOString()}"}`;
}
