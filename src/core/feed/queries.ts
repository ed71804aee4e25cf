import type { Deps } from '../../deps.js';
import type { Wei } from '../../money.js';
import { atMost } from '../../store/sql.js';
import { totalOf } from '../../store/totals.js';

export const feedTypes = ['REGISTERED', 'BOUGHT', 'SOLD', 'STATUS'] as const;
export type FeedType = (typeof feedTypes)[number];

export type FeedFilter = {
  /** Events of this agent only: in its tickets, or made by it. */
  readonly agent?: string;
  /** All of them if not given. */
  readonly type?: FeedType;
};

/** Where an event stands in the feed. A post is on no block: of the same moment, what the chain says comes above it. */
type Position = { readonly time: Date; readonly block: number; readonly ordinal: number; readonly id: string };

type Common = {
  readonly id: string;
  readonly agentAddress: string;
  readonly agentName: string;
  readonly agentId: string;
  readonly avatarUrl: string | null;
  readonly isClaimed: boolean;
  readonly createdAt: Date;
};
export type Post = Common & {
  readonly type: 'STATUS';
  readonly text: string;
  readonly likeCount: number;
  readonly repostCount: number;
  readonly isLiked: boolean;
  readonly isReposted: boolean;
};
export type Trade = Common & {
  readonly type: 'BOUGHT' | 'SOLD';
  readonly amount: number;
  readonly price: Wei;
  readonly traderAddress: string;
  /** null: the trader has no profile here. */
  readonly traderName: string | null;
  readonly thesis: string | null;
  readonly txHash: string;
};
export type FeedEvent = (Common & { readonly type: 'REGISTERED' }) | Post | Trade;

export type Row = Common & {
  readonly type: FeedType;
  readonly text: string;
  readonly likeCount: number;
  readonly repostCount: number;
  readonly isLiked: boolean;
  readonly isReposted: boolean;
  readonly amount: number;
  readonly price: Wei;
  readonly traderAddress: string;
  readonly traderName: string | null;
  readonly thesis: string | null;
  readonly txHash: string;
  readonly block: number;
  readonly ordinal: number;
};

const CLAIM = 'left join trade_claim claim on claim.tx_hash = e.tx_hash and claim.ordinal = e.ordinal';
const NO_TRADE = 'null::int as amount, null::numeric as price, null as trader, null as tx_hash';
const NO_POST = 'null as text, null::int as likes, null::int as reposts';

/**
 * The sources of the feed. Each is read from its newest end and no further than the page is long, so that a page costs
 * the same however long the history is. What happened to a wallet without a profile here is not shown.
 */
export const sources = {
  registrations: `
    select 'REGISTERED' as type, m.event_id as id, m.registered_at as time, m.block_number as block, m.ordinal,
      m.wallet as agent, ${NO_POST}, ${NO_TRADE}
    from market m join agent on agent.wallet = m.wallet
    where <filter>
    order by m.registered_at desc, m.block_number desc, m.ordinal desc, m.event_id desc limit $1`,
  trades: `
    select case when t.type in ('BUY', 'AGENT_BUY') then 'BOUGHT' else 'SOLD' end as type, t.event_id as id,
      t.block_time as time, t.block_number as block, t.ordinal, t.agent, ${NO_POST}, t.amount, t.price, t.trader, t.tx_hash
    from transaction t join agent on agent.wallet = t.agent
    where <filter>
    order by t.block_time desc, t.block_number desc, t.ordinal desc, t.event_id desc limit $1`,
  posts: `
    select 'STATUS' as type, p.id, p.created_at as time, 0::bigint as block, 0 as ordinal,
      p.agent, p.text, p.like_count as likes, p.repost_count as reposts, ${NO_TRADE}
    from agent_activity p
    where <filter>
    order by p.created_at desc, p.id desc limit $1`,
};

export const agentColumn = { registrations: 'm.wallet', trades: 't.agent', posts: 'p.agent' };
export const olderThan = {
  registrations: '(m.registered_at, m.block_number, m.ordinal, m.event_id) < ($3, $4, $5, $6)',
  trades: '(t.block_time, t.block_number, t.ordinal, t.event_id) < ($3, $4, $5, $6)',
  // The first condition says nothing new: it is what the index can use.
  posts: 'p.created_at <= $3 and (p.created_at, 0::bigint, 0, p.id) < ($3, $4, $5, $6)',
};
export type Source = keyof typeof sources;

export const sourcesOf: Readonly<Record<FeedType, Source>> = {
  REGISTERED: 'registrations',
  BOUGHT: 'trades',
  SOLD: 'trades',
  STATUS: 'posts',
};
export const sideOf: Partial<Record<FeedType, string>> = {
  BOUGHT: "t.type in ('BUY', 'AGENT_BUY')",
  SOLD: "t.type in ('SELL', 'AGENT_SELL')",
};

const reacted = (kind: 'like' | 'repost') => `exists (select from reaction r
    where r.post = e.id and r.actor = e.viewer and r.kind = '${kind}' and r.removed_at is null)`;

/** What an event may be asked for besides what gives its place. */
const parts = {
  agentName: 'a.name',
  agentId: 'a.agent_id',
  avatarUrl: 'a.avatar_url',
  isClaimed: 'a.claimed_at is not null',
  text: 'e.text',
  likeCount: 'e.likes',
  repostCount: 'e.reposts',
  /** What the viewer has done to a post. */
  isLiked: reacted('like'),
  isReposted: reacted('repost'),
  amount: 'e.amount',
  price: 'e.price',
  traderName: 'c.name',
  // A claim by another wallet is of a trade that stood in this one's place before a reorganisation.
  thesis: 'case when claim.claimant = e.trader then claim.thesis end',
  txHash: 'e.tx_hash',
} as const;
export type EventPart = keyof typeof parts;
export const ALL_EVENT_PARTS = Object.keys(parts) as EventPart[];

/** Events with what of them is asked for, in order. */
export const described = (events: string, order: string, wanted: readonly EventPart[] = ALL_EVENT_PARTS) => `
  select e.type, e.id, e.agent as "agentAddress", e.time as "createdAt", e.trader as "traderAddress", e.block, e.ordinal
    ${wanted.map((part) => `, ${parts[part]} as "${part}"`).join('')}
  from (select events.*, $2::text as viewer from (${events}) events) e
  join agent a on a.wallet = e.agent
  ${wanted.includes('traderName') ? 'left join agent c on c.wallet = e.trader' : ''}
  ${wanted.includes('thesis') ? CLAIM : ''}
  order by ${order}`;

export const NEWEST_FIRST = 'e.time desc, e.block desc, e.ordinal desc, e.id desc';

/** The newest events, or those that are older than the event `before`; null if there is no such event. */
export async function feed(
  deps: Deps,
  filter: FeedFilter & { readonly limit: number; readonly before?: string },
  viewer: string | null,
): Promise<FeedEvent[] | null> {
  const after = filter.before === undefined ? undefined : await positionOf(deps, filter.before);
  if (after === null) return null;
  const values: unknown[] = [filter.limit, viewer];
  if (after) values.push(after.time, after.block, after.ordinal, after.id);
  if (filter.agent !== undefined) values.push(filter.agent);
  const branch = (source: Source) => {
    const conditions = [
      ...(after ? [olderThan[source]] : []),
      ...(filter.agent === undefined ? [] : [`${agentColumn[source]} = $${values.length}`]),
      ...(filter.type && sideOf[filter.type] ? [sideOf[filter.type]] : []),
    ];
    const newest = sources[source].replace('<filter>', conditions.join(' and ') || 'true');
    return `(select * from (${newest}) newest ${atMost(filter.limit)})`;
  };
  const chosen: readonly Source[] = filter.type ? [sourcesOf[filter.type]] : ['registrations', 'trades', 'posts'];
  const merged = `select * from (${chosen.map(branch).join(' union all ')}) e order by ${NEWEST_FIRST} limit $1`;
  const page = `select * from (${merged}) merged ${atMost(filter.limit)}`;
  return (await deps.sql<Row>(described(page, NEWEST_FIRST), values)).map(eventOf);
}

/** The posts, the most liked first. */
export async function mostLiked(
  deps: Deps,
  filter: { readonly agent?: string; readonly limit: number; readonly before?: string },
  viewer: string | null,
): Promise<FeedEvent[] | null> {
  const values: unknown[] = [filter.limit, viewer];
  const conditions: string[] = [];
  if (filter.before !== undefined) {
    const [last] = await deps.sql<{ likes: number; time: Date }>(
      'select like_count as likes, created_at as time from agent_activity where id = $1',
      [filter.before],
    );
    if (!last) return null;
    values.push(last.likes, last.time, filter.before);
    conditions.push('(p.like_count, p.created_at, p.id) < ($3, $4, $5)');
  }
  if (filter.agent !== undefined) {
    values.push(filter.agent);
    conditions.push(`p.agent = $${values.length}`);
  }
  const posts = sources.posts
    .replace('<filter>', conditions.join(' and ') || 'true')
    .replace('order by', 'order by p.like_count desc,');
  const page = `select * from (${posts}) liked ${atMost(filter.limit)}`;
  return (await deps.sql<Row>(described(page, 'e.likes desc, e.time desc, e.id desc'), values)).map(eventOf);
}

async function positionOf(deps: Deps, id: string): Promise<Position | null> {
  const [position] = await deps.sql<Position>(
    `select registered_at as time, block_number as block, ordinal, event_id as id from market where event_id = $1
     union all
     select block_time, block_number, ordinal, event_id from transaction where event_id = $1
     union all
     select created_at, 0, 0, id from agent_activity where id = $1`,
    [id],
  );
  return position ?? null;
}

export function eventOf(row: Row): FeedEvent {
  const { id, type, agentAddress, agentName, agentId, avatarUrl, isClaimed, createdAt } = row;
  const common = { id, agentAddress, agentName, agentId, avatarUrl, isClaimed, createdAt };
  if (type === 'REGISTERED') return { type, ...common };
  if (type === 'STATUS') {
    const { text, likeCount, repostCount, isLiked, isReposted } = row;
    return { type, ...common, text, likeCount, repostCount, isLiked, isReposted };
  }
  const { amount, price, traderAddress, traderName, thesis, txHash } = row;
  return { type, ...common, amount, price, traderAddress, traderName, thesis, txHash };
}

/**
 * All sales, less those in agents that are not of this service. Who sells has his sales counted in his ledger; few are
 * in agents that are not here, as a rule, and only those are read.
 */
const SALES = `((select coalesce(sum(sell_count), 0) from wallet_ledger)
  - (select count(*) from listing l join transaction t on t.agent = l.wallet
     where l.created_at is null and l.supply is not null and ${sideOf.SOLD}))`;

/**
 * How many events match. The trades of a market are counted in its row, the sales of a trader in his: only where the
 * buys and sells of one agent are told apart, or posts are counted, is a history read, and then through its index.
 */
export function feedTotal(deps: Deps, { agent, type }: FeedFilter): Promise<number> {
  const one = (column: string) => (agent === undefined ? '' : `and ${column} = $1`);
  const listed = `from listing l where l.created_at is not null and l.supply is not null ${one('l.wallet')}`;
  const counts: Readonly<Record<Source, string>> = {
    registrations: `select count(*) as n ${listed}`,
    trades: tradesCounted(type, agent, `select coalesce(sum(l.trade_count), 0)::bigint as n ${listed}`),
    posts: `select count(*) as n from agent_activity p where true ${one('p.agent')}`,
  };
  const chosen: readonly Source[] = type ? [sourcesOf[type]] : ['registrations', 'trades', 'posts'];
  return totalOf(
    deps,
    `select sum(n)::bigint as n from (${chosen.map((source) => counts[source]).join(' union all ')}) counted`,
    agent === undefined ? [] : [agent],
  );
}

function tradesCounted(type: FeedType | undefined, agent: string | undefined, both: string): string {
  if (type !== 'BOUGHT' && type !== 'SOLD') return both;
  if (agent !== undefined) {
    return `select count(*) as n from transaction t join agent on agent.wallet = t.agent
      where ${sideOf[type]} and agent.wallet = $1`;
  }
  return type === 'SOLD' ? `select ${SALES} as n` : `select (${both}) - ${SALES} as n`;
}

export type TopAgent = {
  readonly wallet: string;
  readonly name: string;
  readonly agentId: string;
  readonly supply: number;
  readonly holderCount: number;
};

/** The agents with the most tickets in circulation, in the order of the leaderboard. `count` is the caller's constant. */
export async function topAgents(deps: Deps, count: number): Promise<TopAgent[]> {
  return deps.sql<TopAgent>(
    `select a.wallet, a.name, a.agent_id as "agentId", l.supply, l.holder_count as "holderCount"
     from (select * from listing where created_at is not null and supply is not null
       order by supply desc, wallet desc limit ${count}) l
     join agent a on a.wallet = l.wallet order by l.supply desc, l.wallet desc`,
  );
}
