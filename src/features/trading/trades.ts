import type { Deps } from '../../deps.js';
import { AppError } from '../../errors/errors.js';
import type { TradeType } from '../../index/entities.js';
import {
  type ByParent,
  type ColumnsOf,
  chosen,
  type Keyed,
  type List,
  type Page,
  Parameters,
  rowsByParent,
  rowsOf,
  selected,
} from '../../store/pages.js';
import type { Wei } from '../../values/money.js';
import { type AgentRow, joinedColumns, joinOf, nestAgents } from '../agents/queries.js';
import { eligibilityIn, type ShownEligibility } from '../theses/theses.js';

/** A trade as answers show it. The name and agentId of a wallet are null if the wallet is not an agent of this service. */
export type TradeRow = {
  readonly id: string;
  readonly type: TradeType;
  readonly sale: boolean;
  readonly amount: number;
  readonly price: Wei;
  readonly protocolFee: Wei;
  readonly agentFee: Wei;
  /** FIFO cost of the tickets that were sold. Null for a purchase, and if the sale is not indexed yet. */
  readonly costBasis: Wei | null;
  /** Payout of a sale less its FIFO cost. Null for a purchase, and if the sale is not indexed yet. */
  readonly realizedPnl: Wei | null;
  readonly thesis: string | null;
  readonly eligibility: ShownEligibility | null;
  /** Confidence of the trader that the trade pays within a day, in percent. */
  readonly confidence: number | null;
  /** Time when the thesis reached the service. */
  readonly givenAt: Date | null;
  readonly agent: string;
  readonly agentName: string | null;
  readonly agentId: string | null;
  readonly trader: string;
  readonly traderName: string | null;
  readonly traderAgentId: string | null;
  readonly txHash: string;
  /** Index of the trade among the logs of the contract in its transaction, from 0. */
  readonly ordinal: number;
  readonly blockNumber: number;
  readonly time: Date;
};

const columns: ColumnsOf<TradeRow> = {
  id: 't.event_id',
  type: 't.type',
  // Only sales have a realized PnL.
  sale: 't.realized_pnl is not null',
  amount: 't.amount',
  price: 't.price',
  protocolFee: 't.protocol_fee',
  agentFee: 't.agent_fee',
  costBasis: 't.cost_basis',
  realizedPnl: 't.realized_pnl',
  thesis: 'case when record.author = t.trader and not record.hidden then record.text end',
  eligibility: eligibilityIn('t.trader', 't.block_time'),
  confidence: 'case when given.author = t.trader then given.confidence end',
  givenAt: 'case when given.author = t.trader then given.given_at end',
  agent: 't.agent',
  agentName: 'agent_row.name',
  agentId: 'agent_row.agent_id',
  trader: 't.trader',
  traderName: 'trader_row.name',
  traderAgentId: 'trader_row.agent_id',
  txHash: 't.tx_hash',
  ordinal: 't.ordinal',
  blockNumber: 't.block_number',
  time: 't.block_time',
};

/**
 * Joins the thesis record by its key alone. A record of another wallet belongs to a trade that a reorg replaced by this trade, so
 * the column `thesis` ignores it. If the join excluded such records, the planner would join all records of the wallet.
 */
const RECORD = `${joinOf('agent', 't.agent')} ${joinOf('trader', 't.trader')}
  left join thesis record on record.tx_hash = t.tx_hash and record.ordinal = t.ordinal`;
const FROM = `transaction t ${RECORD} left join reason given on given.tx_hash = t.tx_hash and given.ordinal = t.ordinal`;
/** The trades for which their traders gave a reason, found by the reasons: they are far fewer than the trades. */
const REASONED = {
  of: 'given.author',
  from: `reason given join transaction t on t.tx_hash = given.tx_hash and t.ordinal = given.ordinal and t.trader = given.author ${RECORD}`,
};

/**
 * The columns to read. `names` are the columns of the trade; if undefined, all columns are read. `agents` are the columns of its
 * two agents; if undefined or null, the agent is not read.
 */
export type Wanted = {
  readonly names?: readonly string[];
  readonly agents?: { readonly [Name in 'agent' | 'trader']: readonly string[] | null };
};

/** A trade with the agents that were read together with it. null if the wallet is not an agent of this service. */
export type TradeWithAgents = TradeRow & {
  readonly agentRow?: AgentRow | null;
  readonly traderRow?: AgentRow | null;
};

/** The agents to read together with the trades, as pairs of name and columns. */
const joinedOf = ({ agents }: Wanted) =>
  (['agent', 'trader'] as const).flatMap((name) => (agents?.[name] ? [[name, agents[name]] as const] : []));

/** Collects the joined columns of each agent in an object, and sets it in the row of the trade. */
const nestJoined = async (deps: Deps, rows: TradeRow[], wanted: Wanted): Promise<void> => {
  for (const [name, names] of joinedOf(wanted)) await nestAgents(deps, rows, name, names);
};

/** A page of trades to read, with their columns. */
type WantedPage = Wanted & { readonly page: Page };

const listOf = (wanted: Wanted): List => ({
  columns: Object.assign(
    chosen(columns, wanted.names && ['id', ...wanted.names]),
    ...joinedOf(wanted).map(([name, names]) => joinedColumns(name, names)),
  ),
  from: FROM,
  keys: [
    ['t.block_number', 'int8'],
    ['t.log_index', 'int8'],
  ],
});

/** Only trades from a time on, before a time, with a number of tickets, or only sales or purchases. */
export type TradeRange = {
  readonly since?: Date | undefined;
  readonly until?: Date | undefined;
  readonly minAmount?: number | undefined;
  readonly sale?: boolean | undefined;
};
export type TradeFilter = TradeRange & {
  readonly agent?: string | undefined;
  readonly trader?: string | undefined;
  readonly type?: string | undefined;
};

/**
 * SQL conditions of a filter. Lists are in the order of blocks, whose times never fall, so a time becomes the number of a block, to
 * which the index of the list leads.
 */
const filters: Readonly<Record<keyof TradeFilter, (value: string) => string>> = {
  agent: (value) => `t.agent = ${value}`,
  trader: (value) => `t.trader = ${value}`,
  type: (value) => `t.type = ${value}`,
  since: (value) =>
    `t.block_number >= (select block_number from transaction where block_time >= ${value} order by block_time, block_number limit 1)`,
  until: (value) =>
    `t.block_number <= (select block_number from transaction where block_time < ${value}
      order by block_time desc, block_number desc limit 1)`,
  minAmount: (value) => `t.amount >= ${value}`,
  sale: (value) => `(t.realized_pnl is not null) = ${value}`,
};

/**
 * A page of the trades that match a filter, newest first. Includes trades in the tickets of agents without a profile at this
 * service.
 */
export async function readTrades(
  deps: Deps,
  filter: TradeFilter,
  { page, ...wanted }: WantedPage,
): Promise<Keyed<TradeWithAgents>[]> {
  const parameters = new Parameters();
  const where = matching(filter, parameters);
  const rows = await rowsOf<TradeRow>(deps.sql, { ...listOf(wanted), where, values: parameters.values }, page);
  await nestJoined(deps, rows, wanted);
  return rows;
}

export async function tradeTotal(deps: Deps, filter: TradeFilter): Promise<number> {
  const parameters = new Parameters();
  const [row] = await deps.sql<{ total: number }>(
    `select count(*) as total from transaction t where ${matching(filter, parameters)}`,
    parameters.values,
  );
  return row?.total ?? 0;
}

function matching(filter: TradeFilter, parameters: Parameters): string {
  const given = Object.entries(filter).filter(([, value]) => value !== undefined);
  return given.map(([name, value]) => filters[name as keyof TradeFilter](parameters.add(value))).join(' and ') || 'true';
}

/** `made` are the trades in which the wallet is the trader. `received` are those of any trader in which it is the traded agent. */
export type TradeSide = 'made' | 'received';

const sides = {
  made: { of: 't.trader', totals: 'wallet_ledger' },
  received: { of: 't.agent', totals: 'market' },
} as const;

type WantedTrades = WantedPage & { readonly side: TradeSide; readonly range?: TradeRange };

/** The trades of each wallet, newest first. `withThesis`: only those for which the trader gave a reason. */
export async function tradesOf(
  deps: Deps,
  wallets: readonly string[],
  { side, withThesis = false, range = {}, page, ...wanted }: WantedTrades & { readonly withThesis?: boolean },
): Promise<ByParent<TradeWithAgents>> {
  const parameters = new Parameters();
  const where = matching(range, parameters);
  const list = { ...listOf(wanted), where, values: parameters.values };
  const relation = { ...list, ...(withThesis ? REASONED : { of: sides[side].of }) };
  const groups = await rowsByParent<TradeRow>(deps.sql, relation, wallets, page);
  await nestJoined(deps, [...groups.values()].flat(), wanted);
  return groups;
}

type NewestTrades = Pick<WantedTrades, 'side' | 'range'> & { readonly limit: number; readonly before?: string | undefined };

/** The newest trades of a wallet. `before` is the id of a trade: only trades older than it are read. */
export async function newestTrades(deps: Deps, wallet: string, { limit, before, ...asked }: NewestTrades): Promise<TradeRow[]> {
  // Nobody reads the keys of these rows: the client sends the id of the last trade as `before`.
  const page = before === undefined ? { offset: 0, limit } : { first: limit, after: await keyOf(deps, before), keyless: true };
  return (await tradesOf(deps, [wallet], { ...asked, page })).get(wallet) ?? [];
}

async function keyOf(deps: Deps, id: string): Promise<readonly string[]> {
  const [key] = await deps.sql<{ block: number; log: number }>(
    'select block_number as block, log_index as log from transaction where event_id = $1',
    [id],
  );
  if (key === undefined) throw new AppError('INVALID_QUERY', { field: 'before', expected: 'the id of a trade' });
  return [String(key.block), String(key.log)];
}

/** Number of trades of each wallet: without a range, from a running total that the indexer maintains. */
export async function tradeTotals(
  deps: Deps,
  wallets: readonly string[],
  side: TradeSide,
  range: TradeRange = {},
): Promise<Map<string, number>> {
  const { of, totals } = sides[side];
  const parameters = new Parameters([wallets]);
  const where = matching(range, parameters);
  const rows = await deps.sql<{ wallet: string; total: number }>(
    where === 'true'
      ? `select wallet, trade_count as total from ${totals} where wallet = any($1::text[])`
      : `select ${of} as wallet, count(*) as total from transaction t where ${of} = any($1::text[]) and ${where} group by ${of}`,
    parameters.values,
  );
  return new Map(rows.map(({ wallet, total }) => [wallet, total]));
}

/** A trade that its trader can record once. If `hasRecord` is true, the trader has done so, and a second record is refused. */
export type SubmittableTrade = TradeRow & { readonly hasRecord: boolean };

const ALL = selected({ ...columns, hasRecord: 'coalesce(record.author = t.trader, false)' });

/** Reads all columns of the trades that match an SQL condition, in the order of their logs. */
const tradesWhere = (deps: Deps, where: string, values: readonly unknown[]): Promise<SubmittableTrade[]> =>
  deps.sql(`select ${ALL} from ${FROM} where ${where} order by t.ordinal`, values);

export async function tradeByKey(deps: Deps, txHash: string, ordinal: number): Promise<TradeRow | null> {
  const [row] = await tradesWhere(deps, 't.tx_hash = $1 and t.ordinal = $2', [txHash, ordinal]);
  return row ?? null;
}

/** All trades of one transaction. */
export const tradesIn = (deps: Deps, txHash: string): Promise<SubmittableTrade[]> => tradesWhere(deps, 't.tx_hash = $1', [txHash]);

/** The indexed trades with the given event ids, by id. */
export async function tradesByIds(deps: Deps, ids: readonly string[]): Promise<Map<string, TradeRow>> {
  const rows = await tradesWhere(deps, 't.event_id = any($1::text[])', [ids]);
  return new Map(rows.map((row) => [row.id, row]));
}

/** The newest sales of a wallet. */
export async function salesOf(deps: Deps, wallet: string, limit: number): Promise<TradeRow[]> {
  const sales = { ...listOf({}), of: sides.made.of, where: 't.realized_pnl is not null' };
  return (await rowsByParent<TradeRow>(deps.sql, sales, [wallet], { offset: 0, limit })).get(wallet) ?? [];
}
