import type { Wei } from '../../../money.js';
import type { TradeType } from '../../../store/entities/transaction.js';
import type { Card, Profile } from './cards.js';

// Lists that may be asked for in part read those columns alone, and join what these need.

type DayFigures = Pick<Card, 'volume24h' | 'txCount24h' | 'priceChange24h'>;

/** An agent without what must be counted for it: its day on the market and its referrals. */
export type AgentRow = Omit<Profile, keyof DayFigures | 'ticketPrice' | 'referralCount'>;
/** The wallet is always read. */
export type AgentPart = Exclude<keyof AgentRow, 'wallet'>;

type Aliases = { readonly agent: string; readonly market: string; readonly referrer: string };

/** An agent whose market is not indexed yet has the one ticket of its registration. */
const agentParts: Readonly<Record<AgentPart, (of: Aliases) => string>> = {
  name: ({ agent }) => `${agent}.name`,
  agentId: ({ agent }) => `${agent}.agent_id`,
  avatarUrl: ({ agent }) => `${agent}.avatar_url`,
  isClaimed: ({ agent }) => `${agent}.claimed_at is not null`,
  socialHandle: ({ agent }) => `${agent}.social_handle`,
  supply: ({ market }) => `coalesce(${market}.supply, 1)`,
  holderCount: ({ market }) => `coalesce(${market}.holder_count, 1)`,
  followerCount: ({ agent }) => `${agent}.follower_count`,
  followingCount: ({ agent }) => `${agent}.following_count`,
  createdAt: ({ agent }) => `${agent}.created_at`,
  description: ({ agent }) => `${agent}.description`,
  bio: ({ agent }) => `${agent}.bio`,
  referredBy: ({ referrer }) => `${referrer}.agent_id`,
  walletId: ({ agent }) => `${agent}.wallet_id`,
};
export const ALL_AGENT_PARTS = Object.keys(agentParts) as AgentPart[];

/** Agent `a` and its market `m`. */
const LISTED: Aliases = { agent: 'a', market: 'm', referrer: 'referrer' };

export const agentColumns = (parts: readonly AgentPart[], of = LISTED, prefix = ''): string =>
  [`${of.agent}.wallet as "${prefix}wallet"`]
    .concat(parts.map((part) => `${agentParts[part](of)} as "${prefix}${part}"`))
    .join(', ');

export const referrerJoin = (parts: readonly AgentPart[], of = LISTED): string =>
  parts.includes('referredBy')
    ? `left join agent ${of.referrer} on ${of.referrer}.wallet = ${of.agent}.referred_by`
    : '';

export const marketJoin = (parts: readonly AgentPart[], of = LISTED): string =>
  parts.includes('supply') || parts.includes('holderCount')
    ? `left join market ${of.market} on ${of.market}.wallet = ${of.agent}.wallet`
    : '';

/** A recorded trade. Names are null where a wallet is not an agent of this service. */
export type TradeView = {
  readonly id: string;
  readonly type: TradeType;
  readonly sale: boolean;
  readonly amount: number;
  readonly price: Wei;
  readonly protocolFee: Wei;
  readonly agentFee: Wei;
  /** Of a sale: what the tickets had cost, and what was earned on them. */
  readonly costBasis: Wei | null;
  readonly realizedPnl: Wei | null;
  readonly thesis: string | null;
  readonly agent: string;
  readonly agentName: string | null;
  readonly agentId: string | null;
  readonly trader: string;
  readonly traderName: string | null;
  readonly traderAgentId: string | null;
  readonly txHash: string;
  /** Position among the contract's logs of the transaction. */
  readonly ordinal: number;
  readonly blockNumber: number;
  readonly time: Date;
};

/** Which columns of a trade, and of the agents it is about, if these are wanted beside it. */
export type TradeChoice = {
  readonly parts: readonly (keyof TradeView)[];
  readonly agent?: readonly AgentPart[] | undefined;
  readonly trader?: readonly AgentPart[] | undefined;
};
/** What was not chosen is not there. */
export type ChosenTrade = TradeView & {
  readonly agentRow?: AgentRow | null;
  readonly traderRow?: AgentRow | null;
};

const tradeParts: Readonly<Record<keyof TradeView, string>> = {
  id: 't.event_id',
  type: 't.type',
  sale: 't.realized_pnl is not null',
  amount: 't.amount',
  price: 't.price',
  protocolFee: 't.protocol_fee',
  agentFee: 't.agent_fee',
  costBasis: 't.cost_basis',
  realizedPnl: 't.realized_pnl',
  thesis: 'case when claim.claimant = t.trader then claim.thesis end',
  agent: 't.agent',
  agentName: 'a.name',
  agentId: 'a.agent_id',
  trader: 't.trader',
  traderName: 'b.name',
  traderAgentId: 'b.agent_id',
  txHash: 't.tx_hash',
  ordinal: 't.ordinal',
  blockNumber: 't.block_number',
  time: 't.block_time',
};
export const ALL_TRADE_PARTS = Object.keys(tradeParts) as (keyof TradeView)[];

const sides = {
  agent: { column: 't.agent', of: { agent: 'a', market: 'am', referrer: 'ar' }, names: ['agentName', 'agentId'] },
  trader: {
    column: 't.trader',
    of: { agent: 'b', market: 'bm', referrer: 'br' },
    names: ['traderName', 'traderAgentId'],
  },
} as const;

type Selection = {
  readonly columns: string;
  readonly names: readonly string[];
  readonly from: string;
  /** Makes a trade of a row. */
  readonly read: <Row extends object>(row: Row) => Row;
};
const selections = new WeakMap<TradeChoice, Selection>();

/** The columns and tables of a choice. */
export function tradeSelection(choice: TradeChoice): Selection {
  const known = selections.get(choice) ?? selectionOf(choice);
  selections.set(choice, known);
  return known;
}

/**
 * By its key alone. A claim by another wallet is of a trade that stood in this one's place before a reorganisation; were
 * that a condition here, the trades of one wallet would be joined with all the claims that it ever made.
 */
const CLAIM = 'left join trade_claim claim on claim.tx_hash = t.tx_hash and claim.ordinal = t.ordinal';

function selectionOf(choice: TradeChoice): Selection {
  const columns = choice.parts.map((part) => `${tradeParts[part]} as "${part}"`);
  const names: string[] = [...choice.parts];
  const joins: string[] = [];
  const readers: ((row: Record<string, unknown>) => void)[] = [];
  for (const side of ['agent', 'trader'] as const) {
    const { column, of, names: own } = sides[side];
    const parts = choice[side];
    if (parts || own.some((name) => choice.parts.includes(name))) {
      joins.push(`left join agent ${of.agent} on ${of.agent}.wallet = ${column}`);
    }
    if (parts === undefined) continue;
    joins.push(marketJoin(parts, of), referrerJoin(parts, of));
    columns.push(agentColumns(parts, of, `${side}.`));
    const keys = ['wallet', ...parts].map((part) => [`${side}.${part}`, part] as const);
    names.push(...keys.map(([from]) => from));
    readers.push((row) => {
      const agent: Record<string, unknown> = {};
      for (const [from, to] of keys) agent[to] = row[from];
      row[`${side}Row`] = agent.wallet === null ? null : agent;
    });
  }
  if (choice.parts.includes('thesis')) {
    joins.push(CLAIM);
  }
  return {
    columns: columns.join(', ') || 't.event_id as id',
    names: names.length > 0 ? names : ['id'],
    from: `transaction t ${joins.join(' ')}`,
    read<Row extends object>(row: Row): Row {
      for (const reader of readers) reader(row as Record<string, unknown>);
      return row;
    },
  };
}

export const everything = tradeSelection({ parts: ALL_TRADE_PARTS });
