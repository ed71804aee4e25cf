import type { Deps } from '../../deps.js';
import type { TradeType } from '../../index/entities.js';
import type { Wei } from '../../money.js';
import {
  type Columns,
  type Keyed,
  type List,
  type Page,
  Parameters,
  type Relation,
  rowsOf,
  selected,
} from '../../store/pages.js';
import type { AgentPart, AgentWith, PartialAgent } from '../agents/agent-row.js';
import { nestAgents, rowsWithAgents, withAgents } from '../agents/joined-agents.js';

/** A SQL expression and the type of its values. */
type Column<Value> = { readonly expression: string; readonly value?: Value };
const column = <Value>(expression: string): Column<Value> => ({ expression });

/** The columns of a recorded trade. Names are null if the wallet is not an agent of this service. */
const parts = {
  id: column<string>('t.event_id'),
  type: column<TradeType>('t.type'),
  sale: column<boolean>('t.realized_pnl is not null'),
  amount: column<number>('t.amount'),
  price: column<Wei>('t.price'),
  protocolFee: column<Wei>('t.protocol_fee'),
  agentFee: column<Wei>('t.agent_fee'),
  /** Cost of the tickets of a sale. Null for a purchase. */
  costBasis: column<Wei | null>('t.cost_basis'),
  /** Payout of a sale less its cost. Null for a purchase. */
  realizedPnl: column<Wei | null>('t.realized_pnl'),
  thesis: column<string | null>('case when record.claimant = t.trader and not record.hidden then record.thesis end'),
  agent: column<string>('t.agent'),
  agentName: column<string | null>('agent_row.name'),
  agentId: column<string | null>('agent_row.agent_id'),
  trader: column<string>('t.trader'),
  traderName: column<string | null>('trader_row.name'),
  traderAgentId: column<string | null>('trader_row.agent_id'),
  txHash: column<string>('t.tx_hash'),
  /** Position among the contract's logs of the transaction. */
  ordinal: column<number>('t.ordinal'),
  blockNumber: column<number>('t.block_number'),
  time: column<Date>('t.block_time'),
};
export type TradePart = keyof typeof parts;
export type TradeRow = {
  readonly [Part in TradePart]: (typeof parts)[Part] extends Column<infer Value> ? Value : never;
};
export const ALL_TRADE_PARTS = Object.keys(parts) as TradePart[];

/** The columns of a trade to select, and the parts of its two agents. */
export type TradeChoice = {
  readonly parts: readonly TradePart[];
  readonly agent?: readonly AgentPart[] | undefined;
  readonly trader?: readonly AgentPart[] | undefined;
};
/** A trade with the columns that its choice selects. */
export type TradeWith<Choice extends TradeChoice> = Pick<TradeRow, Choice['parts'][number]> &
  JoinedAgentOf<'agentRow', Choice['agent']> &
  JoinedAgentOf<'traderRow', Choice['trader']>;
type JoinedAgentOf<Name extends string, Parts> = Parts extends readonly AgentPart[]
  ? { readonly [K in Name]: AgentWith<Parts[number]> | null }
  : { readonly [K in Name]?: undefined };

/** A trade with columns that are chosen at run time. */
export type PartialTrade = Partial<TradeRow> & {
  readonly agentRow?: PartialAgent | null | undefined;
  readonly traderRow?: PartialAgent | null | undefined;
};

const names = { agent: ['agentName', 'agentId'], trader: ['traderName', 'traderAgentId'] } as const;

/**
 * Joins the thesis record by its key alone. A record of another wallet belongs to a trade that a reorg replaced by this
 * one, so the column `thesis` ignores the record. If the join excluded such records, the planner would join all records
 * of the wallet.
 */
const JOIN_THESIS_RECORD = 'left join trade_claim record on record.tx_hash = t.tx_hash and record.ordinal = t.ordinal';

const joinedAgentsOf = (choice: TradeChoice) =>
  (['agent', 'trader'] as const).flatMap((name) => {
    const parts = choice[name];
    return parts ? [{ name, wallet: `t.${name}`, parts }] : [];
  });

/** The list of trades with the chosen columns, newest first. `withAgents` joins the agents to it. */
function listOf(choice: TradeChoice): List {
  const joins = (['agent', 'trader'] as const).flatMap((name) => {
    const needed = !choice[name] && names[name].some((part) => choice.parts.includes(part));
    return needed ? [`left join agent ${name}_row on ${name}_row.wallet = t.${name}`] : [];
  });
  if (choice.parts.includes('thesis')) joins.push(JOIN_THESIS_RECORD);
  const chosen: readonly TradePart[] = choice.parts.length === 0 ? ['id'] : choice.parts;
  return {
    columns: Object.fromEntries(chosen.map((part) => [part, parts[part].expression])),
    from: ['transaction t', ...joins].join(' '),
    keys: [
      ['t.block_number', 'int8'],
      ['t.log_index', 'int8'],
    ],
  };
}

export type TradeFilter = {
  readonly agent?: string | undefined;
  readonly trader?: string | undefined;
  readonly type?: string | undefined;
};

/** All trades that match, newest first. Includes trades in agents without a profile at this service. */
export async function trades<Choice extends TradeChoice>(
  deps: Deps,
  filter: TradeFilter,
  { page, choice }: { readonly page: Page; readonly choice: Choice },
): Promise<Keyed<TradeWith<Choice>>[]> {
  const parameters = new Parameters();
  const where = matching(filter, parameters);
  const joinedAgents = joinedAgentsOf(choice);
  const list = withAgents(deps, { ...listOf(choice), where, values: parameters.values }, joinedAgents);
  return nestAgents(await rowsOf(deps.sql, list, page), joinedAgents);
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
  const conditions = (['agent', 'trader', 'type'] as const).flatMap((column) => {
    const value = filter[column];
    return value === undefined ? [] : [`t.${column} = ${parameters.add(value)}`];
  });
  return conditions.join(' and ') || 'true';
}

/** `made`: trades made by the wallet. `received`: trades in its tickets. */
export type TradeSide = 'made' | 'received';

const sides = {
  made: { of: 't.trader', totals: 'wallet_ledger' },
  received: { of: 't.agent', totals: 'market' },
} as const;

export type TradesOfWallet<Choice extends TradeChoice = TradeChoice> = {
  readonly side: TradeSide;
  readonly page: Page;
  readonly choice: Choice;
  readonly salesOnly?: boolean;
};

function relationOf({ side, choice, salesOnly = false }: Omit<TradesOfWallet, 'page'>): Relation {
  return { ...listOf(choice), of: sides[side].of, where: salesOnly ? 't.realized_pnl is not null' : 'true' };
}

/** The trades of each wallet, newest first. */
export function tradesOf<Choice extends TradeChoice>(
  deps: Deps,
  wallets: readonly string[],
  request: TradesOfWallet<Choice>,
): Promise<Map<string, Keyed<TradeWith<Choice>>[]>> {
  const { page, choice } = request;
  return rowsWithAgents(deps, relationOf(request), wallets, { page, joinedAgents: joinedAgentsOf(choice) });
}

/** Number of trades of each wallet, from its running total. */
export async function tradeTotals(
  deps: Deps,
  wallets: readonly string[],
  side: TradeSide,
): Promise<Map<string, number>> {
  const rows = await deps.sql<{ wallet: string; total: number }>(
    `select wallet, trade_count as total from ${sides[side].totals} where wallet = any($1::text[])`,
    [wallets],
  );
  return new Map(rows.map(({ wallet, total }) => [wallet, total]));
}

/** Trades with all columns that match a SQL condition, in log order. */
async function tradesWhere<Row extends TradeRow = TradeRow>(
  deps: Deps,
  where: string,
  values: readonly unknown[],
  moreColumns: Columns = {},
): Promise<Row[]> {
  const { columns, from } = listOf({ parts: ALL_TRADE_PARTS });
  const all = selected({ ...columns, ...moreColumns });
  return deps.sql<Row>(`select ${all} from ${from} where ${where} order by t.ordinal`, values);
}

export async function tradeByKey(deps: Deps, txHash: string, ordinal: number): Promise<TradeRow | null> {
  const [row] = await tradesWhere(deps, 't.tx_hash = $1 and t.ordinal = $2', [txHash, ordinal]);
  return row ?? null;
}

/** `hasRecord`: the trader has submitted the trade. */
export type SubmittableTrade = TradeRow & { readonly hasRecord: boolean };

/** All trades of one transaction. */
export const tradesIn = (deps: Deps, txHash: string): Promise<SubmittableTrade[]> =>
  tradesWhere(deps, 't.tx_hash = $1', [txHash], { hasRecord: 'coalesce(record.claimant = t.trader, false)' });

/** The recorded trades with the given event ids, by id. */
export async function tradesByIds(deps: Deps, ids: readonly string[]): Promise<Map<string, TradeRow>> {
  const rows = await tradesWhere(deps, 't.event_id = any($1::text[])', [ids]);
  return new Map(rows.map((row) => [row.id, row]));
}

/** The columns of a trade that PnL shows. */
const SALE = { parts: ['id', 'agent', 'agentName', 'amount', 'costBasis', 'realizedPnl', 'time', 'txHash'] } as const;
export type Sale = TradeWith<typeof SALE>;

/** The newest sales of a wallet. */
export async function salesOf(deps: Deps, wallet: string, limit: number): Promise<Sale[]> {
  const request = { side: 'made', page: { offset: 0, limit }, choice: SALE, salesOnly: true } as const;
  return (await tradesOf(deps, [wallet], request)).get(wallet) ?? [];
}
