import type { Deps } from '../../deps.js';
import {
  atMost,
  type ByParent,
  checkKey,
  chosen,
  idsIn,
  type Keyed,
  type KeyPage,
  type KeyType,
  keyText,
  Parameters,
  selected,
} from '../../store/pages.js';
import { eligibilityIn } from '../theses/theses.js';
import type { TradeRow } from '../trading/trades.js';

export const feedTypes = ['REGISTERED', 'BOUGHT', 'SOLD', 'STATUS'] as const;
export type FeedType = (typeof feedTypes)[number];

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
export type TradeInFeed = Common & {
  readonly type: 'BOUGHT' | 'SOLD';
  readonly traderAddress: string;
  readonly total: bigint;
} & Pick<TradeRow, 'amount' | 'price' | 'traderName' | 'thesis' | 'eligibility' | 'txHash'>;
export type FeedEvent = (Common & { readonly type: 'REGISTERED' }) | Post | TradeInFeed;

const reacted = (kind: 'like' | 'repost') => `exists (select from reaction r
    where r.post = e.id and r.actor = e.viewer and r.kind = '${kind}' and r.removed_at is null)`;

// A thesis by another author belongs to an earlier trade with the same key, which a reorg removed. So its text is not shown.
const THESIS = 'case when record.author = e.trader and not record.hidden then record.text end';

/** Columns that are read for every event, whatever a query selects. */
const ALWAYS = {
  type: 'e.type',
  id: 'e.id',
  agentAddress: 'e.agent',
  createdAt: 'e.time',
  traderAddress: 'e.trader',
  block: 'e.block',
  ordinal: 'e.ordinal',
};

/** The columns of an event that a query can select. */
const columns = {
  agentName: 'a.name',
  agentId: 'a.agent_id',
  avatarUrl: 'a.avatar_url',
  isClaimed: 'a.claimed_at is not null',
  text: 'e.text',
  likeCount: 'e.likes',
  repostCount: 'e.reposts',
  isLiked: reacted('like'),
  isReposted: reacted('repost'),
  amount: 'e.amount',
  price: 'e.price',
  total: 'e.total',
  traderName: 'c.name',
  thesis: THESIS,
  eligibility: eligibilityIn('e.trader', 'e.time'),
  txHash: 'e.tx_hash',
};

const NO_TRADE = 'null::int as amount, null::numeric as price, null as trader, null as tx_hash, null::numeric as total';
const NO_POST = 'null as text, null::int as likes, null::int as reposts';

type Source = {
  readonly select: string;
  readonly agent: string;
  readonly id: string;
  /** ORDER BY expressions, newest first. A post counts as block 0, so of events of the same time, chain events come before it. */
  readonly order: string;
  /** SQL condition for the events after a key. `key` is the SQL text of the whole key, and `time` that of its first value. */
  readonly after: (key: string, time: string) => string;
};

const registrations: Source = {
  select: `
    select 'REGISTERED' as type, m.event_id as id, m.registered_at as time, m.block_number as block, m.ordinal,
      m.wallet as agent, ${NO_POST}, ${NO_TRADE}
    from market m join agent on agent.wallet = m.wallet`,
  agent: 'm.wallet',
  id: 'm.event_id',
  order: 'm.registered_at desc, m.block_number desc, m.ordinal desc, m.event_id desc',
  after: (key) => `(m.registered_at, m.block_number, m.ordinal, m.event_id) < ${key}`,
};
const trades: Source = {
  select: `
    select case when t.type in ('BUY', 'AGENT_BUY') then 'BOUGHT' else 'SOLD' end as type, t.event_id as id,
      t.block_time as time, t.block_number as block, t.ordinal, t.agent, ${NO_POST}, t.amount, t.price, t.trader, t.tx_hash,
      t.price + (t.protocol_fee + t.agent_fee) * case when t.type in ('BUY', 'AGENT_BUY') then 1 else -1 end as total
    from transaction t join agent on agent.wallet = t.agent`,
  agent: 't.agent',
  id: 't.event_id',
  order: 't.block_time desc, t.block_number desc, t.ordinal desc, t.event_id desc',
  after: (key) => `(t.block_time, t.block_number, t.ordinal, t.event_id) < ${key}`,
};
const posts: Source = {
  select: `
    select 'STATUS' as type, p.id, p.created_at as time, 0::bigint as block, 0 as ordinal,
      p.agent, p.text, p.like_count as likes, p.repost_count as reposts, ${NO_TRADE}
    from (select * from agent_activity where hidden is null) p`,
  agent: 'p.agent',
  id: 'p.id',
  order: 'p.created_at desc, p.id desc',
  // The first condition is redundant, but PostgreSQL can use the index only for this condition.
  after: (key, time) => `p.created_at <= ${time} and (p.created_at, 0::bigint, 0, p.id) < ${key}`,
};
/** The sources of the feed. They contain no events of wallets without a profile at this service. */
const sources = { registrations, trades, posts };
export type SourceName = keyof typeof sources;
const allSources = Object.keys(sources) as SourceName[];

const sourceOf: Readonly<Record<FeedType, SourceName>> = {
  REGISTERED: 'registrations',
  BOUGHT: 'trades',
  SOLD: 'trades',
  STATUS: 'posts',
};
export const sourcesFor = (type: FeedType | undefined): readonly SourceName[] => (type ? [sourceOf[type]] : allSources);

export const tradeTypeOf: Partial<Record<FeedType, string>> = {
  BOUGHT: "t.type in ('BUY', 'AGENT_BUY')",
  SOLD: "t.type in ('SELL', 'AGENT_SELL')",
};

const LIKED = 'p.like_count desc, p.created_at desc, p.id desc';

type Order = {
  readonly types: readonly KeyType[];
  readonly by: string;
  readonly key: (row: Ordered) => readonly unknown[];
};
const orders = {
  newest: {
    types: ['timestamptz', 'int8', 'int4', 'text'],
    by: 'e.time desc, e.block desc, e.ordinal desc, e.id desc',
    key: (row) => [row.createdAt, row.block, row.ordinal, row.id],
  },
  likes: {
    types: ['int4', 'timestamptz', 'text'],
    by: 'e.likes desc, e.time desc, e.id desc',
    key: (row) => [row.likeCount, row.createdAt, row.id],
  },
} as const satisfies Readonly<Record<string, Order>>;
export type FeedSort = keyof typeof orders;

/** The values that decide the place of an event in the feed. */
type Ordered = Pick<Common, 'id' | 'createdAt'> & {
  readonly block: number;
  readonly ordinal: number;
  readonly likeCount?: number | null;
};

export type FeedRequest = {
  /** Type of the events. All types if not given. */
  readonly type?: FeedType | undefined;
  /** Sort order. The feed sorted by `likes` contains only posts. */
  readonly sort?: FeedSort;
  readonly page: KeyPage;
  /** Wallet of the agent that reads the feed. Null for a request without a key. */
  readonly viewer: string | null;
  /** The columns to read. All if not given. */
  readonly names?: readonly string[];
};

/** The events of all agents, or of one agent. */
export async function feedEvents(
  deps: Deps,
  { agent, ...request }: FeedRequest & { readonly agent?: string | undefined },
): Promise<Keyed<FeedEvent>[]> {
  if (agent !== undefined) return (await feedEventsOf(deps, [agent], request)).get(agent) ?? [];
  const parameters = new Parameters();
  return read(deps, merged(request, parameters), { ...request, parameters });
}

/** The events of each of several agents. */
export async function feedEventsOf(deps: Deps, agents: readonly string[], request: FeedRequest): Promise<ByParent<FeedEvent>> {
  const parameters = new Parameters();
  const parents = idsIn(parameters.add(agents));
  const events = `select child.* from ${parents} as parent (id)
    cross join lateral (${merged(request, parameters, 'parent.id')}) child`;
  const rows = await read(deps, events, { ...request, parameters });
  return Map.groupBy(rows, ({ agentAddress }) => agentAddress);
}

type Merged = Pick<FeedRequest, 'type' | 'sort' | 'page'>;

/**
 * The statement that merges the events of a page from their sources. Each source is limited to the size of the page, so the
 * cost does not depend on the length of the history. `agent` is the SQL expression of one agent's wallet.
 */
function merged({ type, sort = 'newest', page }: Merged, parameters: Parameters, agent?: string): string {
  checkKey(orders[sort].types, page.after);
  const limit = parameters.add(page.first);
  const after = page.after?.map((value, i) => `${parameters.add(value)}::${orders[sort].types[i]}`);
  const key = after && `(${after.join(', ')})`;
  const branch = (name: SourceName) => {
    const source = sources[name];
    const conditions = [
      ...(agent === undefined ? [] : [`${source.agent} = ${agent}`]),
      ...(type && tradeTypeOf[type] ? [tradeTypeOf[type]] : []),
    ];
    if (key && sort === 'likes') conditions.push(`(p.like_count, p.created_at, p.id) < ${key}`);
    else if (key) conditions.push(source.after(key, after[0] as string));
    const events = `${source.select} where ${conditions.join(' and ') || 'true'}
      order by ${sort === 'likes' ? LIKED : source.order} limit ${limit}`;
    // `atMost` repeats the limit as a literal number, which the planner needs to estimate the number of rows.
    return `(select * from (${events}) found ${atMost(page.first)})`;
  };
  const branches = sourcesFor(sort === 'likes' ? 'STATUS' : type).map(branch);
  const all = `select * from (${branches.join(' union all ')}) e order by ${orders[sort].by} limit ${limit}`;
  return `select * from (${all}) merged ${atMost(page.first)}`;
}

type Read = Pick<FeedRequest, 'sort' | 'viewer' | 'names'> & { readonly parameters: Parameters };

/** Reads the events that the statement `events` selects, in order. */
async function read(deps: Deps, events: string, { sort = 'newest', viewer, names, parameters }: Read): Promise<Keyed<FeedEvent>[]> {
  const { by, key } = orders[sort];
  const wanted = chosen(columns, names && (sort === 'likes' ? ['likeCount', ...names] : names));
  const rows = await deps.sql<FeedEvent & Ordered>(
    `select ${selected({ ...ALWAYS, ...wanted })}
     from (select events.*, ${parameters.add(viewer)}::text as viewer from (${events}) events) e
     join agent a on a.wallet = e.agent
     left join agent c on c.wallet = e.trader
     left join thesis record on record.tx_hash = e.tx_hash and record.ordinal = e.ordinal
     left join reason given on given.tx_hash = e.tx_hash and given.ordinal = e.ordinal
     order by ${by}`,
    parameters.values,
  );
  return rows.map((row) => Object.assign(row, { key: () => key(row).map(keyText) }));
}

/**
 * The pagination key of an event in a sort order. Null if there is no such event. A hidden post has a key, too, so that a client
 * can continue a list after it.
 */
export async function keyOfEvent(deps: Deps, id: string, sort: FeedSort): Promise<readonly string[] | null> {
  const [event] = await deps.sql<Ordered>(
    `select event_id as id, registered_at as "createdAt", block_number as block, ordinal, null::int as "likeCount"
     from market where event_id = $1
     union all
     select event_id, block_time, block_number, ordinal, null from transaction where event_id = $1
     union all
     select id, created_at, 0, 0, like_count from agent_activity where id = $1`,
    [id],
  );
  // Only posts have likes, so no other event has a place in this order.
  if (event === undefined || (sort === 'likes' && event.likeCount === null)) return null;
  return orders[sort].key(event).map(keyText);
}

/** The events of the feed with the given ids, by id, as the viewer sees them. */
export async function eventsByIds(
  deps: Deps,
  ids: readonly string[],
  viewer: string | null = null,
): Promise<Map<string, FeedEvent>> {
  const parameters = new Parameters();
  const idsParameter = parameters.add(ids);
  const events = allSources.map((name) => `${sources[name].select} where ${sources[name].id} = any(${idsParameter}::text[])`);
  const rows = await read(deps, events.join(' union all '), { viewer, parameters });
  return new Map(rows.map((row) => [row.id, row]));
}

/** The reactions of the agents to the posts, each as the text `kind post actor`. */
export async function reactionsOf(deps: Deps, posts: readonly string[], actors: readonly string[]): Promise<Set<string>> {
  const rows = await deps.sql<{ kind: string; post: string; actor: string }>(
    'select kind, post, actor from reaction where post = any($1::text[]) and actor = any($2::text[]) and removed_at is null',
    [posts, actors],
  );
  return new Set(rows.map(({ kind, post, actor }) => `${kind} ${post} ${actor}`));
}
