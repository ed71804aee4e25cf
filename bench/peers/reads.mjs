// A hand-written list of agents with pg: one named statement, without unneeded work. The body equals that of the service byte
// for byte.
import pg from 'pg';

export const openPool = (connectionString) => new pg.Pool({ connectionString, max: 20 });

const SQUARE = 20_000_000_000_000n;
const price = (supply) => BigInt(supply) ** 2n * SQUARE;
function eth(wei) {
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
