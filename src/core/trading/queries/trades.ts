import type { Deps } from '../../../deps.js';
import type { Wei } from '../../../money.js';
import type { TradeType } from '../../../store/entities/transaction.js';
import { type Keyed, type List, type Page, Parameters, rowsOf, selected } from '../../../store/pages.js';
import type { AgentPart, AgentWith, PartialAgent } from '../../agents/queries/agent-row.js';
import { nestAgents, rowsWithAgents, withAgents } from '../../agents/queries/joined-agents.js';

/** A recorded trade. Names are null if the wallet is not an agent of this service. */
export type TradeRow = {
  readonly id: string;
  readonly type: TradeType;
  readonly sale: boolean;
  readonly amount: number;
  readonly price: Wei;
  readonly protocolFee: Wei;
  readonly agentFee: Wei;
  /** Cost of the tickets of a sale. Null for a purchase. */
  readonly costBasis: Wei | null;
  /** Payout of a sale less its cost. Null for a purchase. */
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
export type TradePart = keyof TradeRow;

/** The columns of a trade to select, and the parts of its two agents. */
export type TradeChoice = {
  readonly parts: readonly TradePart[];
  readonly agent?: readonly AgentPart[] | undefined;
  readonly trader?: readonly AgentPart[] | undefined;
};
/** A trade with the columns of a choice. */
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

const parts: Readonly<Record<TradePart, string>> = {
  id: 't.event_id',
  type: 't.type',
  sale: 't.realized_pnl is not null',
  amount: 't.amount',
  price: 't.price',
  protocolFee: 't.protocol_fee',
  agentFee: 't.agent_fee',
  costBasis: 't.cost_basis',
  realizedPnl: 't.realized_pnl',
  thesis: 'case when record.claimant = t.trader then record.thesis end',
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
export const ALL_TRADE_PARTS = Object.keys(parts) as TradePart[];

const names = { agent: ['agentName', 'agentId'], trader: ['traderName', 'traderAgentId'] } as const;

/**
 * Joins the thesis record by its key alone. A record of another wallet belongs to a trade that a reorg replaced by this one;
 * the column `thesis` ignores it. If the join had that condition, the planner would join all records of the wallet.
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
    columns: Object.fromEntries(chosen.map((part) => [part, parts[part]])),
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

/** The trades of each wallet, newest first. */
export function tradesOf<Choice extends TradeChoice>(
  deps: Deps,
  wallets: readonly string[],
  request: { readonly side: TradeSide; readonly page: Page; readonly choice: Choice; readonly salesOnly?: boolean },
): Promise<Map<string, Keyed<TradeWith<Choice>>[]>> {
  const { side, page, choice, salesOnly = false } = request;
  const where = salesOnly ? 't.realized_pnl is not null' : 'true';
  const relation = { ...listOf(choice), of: sides[side].of, where };
  return rowsWithAgents(deps, relation, wallets, { page, joinedAgents: joinedAgentsOf(choice) });
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
async function tradesWhere(deps: Deps, where: string, values: readonly unknown[]): Promise<TradeRow[]> {
  const { columns, from } = listOf({ parts: ALL_TRADE_PARTS });
  return deps.sql<TradeRow>(`select ${selected(columns)} from ${from} where ${where} order by t.ordinal`, values);
}

export async function tradeByKey(deps: Deps, txHash: string, ordinal: number): Promise<TradeRow | null> {
  const [row] = await tradesWhere(deps, 't.tx_hash = $1 and t.ordinal = $2', [txHash, ordinal]);
  return row ?? null;
}

/** All trades of one transaction. */
export const tradesIn = (deps: Deps, txHash: string): Promise<TradeRow[]> =>
  tradesWhere(deps, 't.tx_hash = $1', [txHash]);

/** The recorded trades with the given event ids, by id. */
export async function tradesByIds(deps: Deps, ids: readonly string[]): Promise<Map<string, TradeRow>> {
  const rows = await tradesWhere(deps, 't.event_id = any($1::text[])', [ids]);
  return new Map(rows.map((row) => [row.id, row]));
}

/** The columns of a trade that PnL shows. */
const SALE = { parts: ['agent', 'agentName', 'amount', 'costBasis', 'realizedPnl', 'time', 'txHash'] } as const;
export type Sale = TradeWith<typeof SALE>;

/** The newest sales of a wallet. */
export async function salesOf(deps: Deps, wallet: string, limit: number): Promise<Sale[]> {
  const request = { side: 'made', page: { offset: 0, limit }, choice: SALE, salesOnly: true } as const;
  return (await tradesOf(deps, [wallet], request)).get(wallet) ?? [];
}
