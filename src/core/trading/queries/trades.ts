import type { Deps } from '../../../deps.js';
import type { Wei } from '../../../money.js';
import type { TradeType } from '../../../store/entities/transaction.js';
import { type Keyed, type List, type Page, Parameters, rowsOf, selected } from '../../../store/pages.js';
import type { AgentPart, AgentWith, PartialAgent } from '../../agents/queries/agent-row.js';
import { nestAgents, rowsWithAgents, withAgents } from '../../agents/queries/agents-beside.js';

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

/** The columns of a trade, and those of the agents beside it. */
export type TradeChoice = {
  readonly parts: readonly TradePart[];
  readonly agent?: readonly AgentPart[] | undefined;
  readonly trader?: readonly AgentPart[] | undefined;
};
/** A trade with the columns of a choice. */
export type TradeWith<Choice extends TradeChoice> = Pick<TradeRow, Choice['parts'][number]> &
  BesideTrade<'agentRow', Choice['agent']> &
  BesideTrade<'traderRow', Choice['trader']>;
type BesideTrade<Name extends string, Parts> = Parts extends readonly AgentPart[]
  ? { readonly [K in Name]: AgentWith<Parts[number]> | null }
  : { readonly [K in Name]?: undefined };

/** A trade with a choice that is known only at run time. */
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
  thesis: 'case when claim.claimant = t.trader then claim.thesis end',
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
 * Joined by its key alone. A claim by another wallet belongs to a trade that a reorg replaced by this one. As a condition
 * of the join, that would make the planner join the trades of one wallet with all claims that it ever made.
 */
const CLAIM = 'left join trade_claim claim on claim.tx_hash = t.tx_hash and claim.ordinal = t.ordinal';

const besideOf = (choice: TradeChoice) =>
  (['agent', 'trader'] as const).flatMap((name) => {
    const parts = choice[name];
    return parts ? [{ name, wallet: `t.${name}`, parts }] : [];
  });

/** The trades of a choice in chain order, the newest first. The agents beside them are joined by `withAgents`. */
function listOf(choice: TradeChoice): List {
  const joins = (['agent', 'trader'] as const).flatMap((name) => {
    const needed = !choice[name] && names[name].some((part) => choice.parts.includes(part));
    return needed ? [`left join agent ${name}_row on ${name}_row.wallet = t.${name}`] : [];
  });
  if (choice.parts.includes('thesis')) joins.push(CLAIM);
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

/** All trades that match, the newest first. Includes trades in agents that are not of this service. */
export async function trades<Choice extends TradeChoice>(
  deps: Deps,
  filter: TradeFilter,
  { page, choice }: { readonly page: Page; readonly choice: Choice },
): Promise<Keyed<TradeWith<Choice>>[]> {
  const parameters = new Parameters();
  const where = matching(filter, parameters);
  const beside = besideOf(choice);
  const list = withAgents(deps, { ...listOf(choice), where, values: parameters.values }, beside);
  return nestAgents(await rowsOf(deps.sql, list, page), beside);
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

/** 'made' by the wallet, or 'received': made in its tickets. */
export type TradeSide = 'made' | 'received';

const sides = {
  made: { of: 't.trader', totals: 'wallet_ledger' },
  received: { of: 't.agent', totals: 'market' },
} as const;

/** The trades of each wallet, the newest first. */
export function tradesOf<Choice extends TradeChoice>(
  deps: Deps,
  wallets: readonly string[],
  request: { readonly side: TradeSide; readonly page: Page; readonly choice: Choice; readonly salesOnly?: boolean },
): Promise<Map<string, Keyed<TradeWith<Choice>>[]>> {
  const { side, page, choice, salesOnly = false } = request;
  const where = salesOnly ? 't.realized_pnl is not null' : 'true';
  const relation = { ...listOf(choice), of: sides[side].of, where };
  return rowsWithAgents(deps, relation, wallets, { page, beside: besideOf(choice) });
}

/** How many trades each wallet has, from its running total. */
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

/** Whole trades that meet a condition, in the order of their logs. */
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

/** The recorded trades among those with the given event ids, by id. */
export async function tradesByIds(deps: Deps, ids: readonly string[]): Promise<Map<string, TradeRow>> {
  const rows = await tradesWhere(deps, 't.event_id = any($1::text[])', [ids]);
  return new Map(rows.map((row) => [row.id, row]));
}

/** A trade as PnL shows it. */
const SALE = { parts: ['agent', 'agentName', 'amount', 'costBasis', 'realizedPnl', 'time', 'txHash'] } as const;
export type Sale = TradeWith<typeof SALE>;

/** The newest sales of a wallet. */
export async function salesOf(deps: Deps, wallet: string, limit: number): Promise<Sale[]> {
  const request = { side: 'made', page: { offset: 0, limit }, choice: SALE, salesOnly: true } as const;
  return (await tradesOf(deps, [wallet], request)).get(wallet) ?? [];
}
