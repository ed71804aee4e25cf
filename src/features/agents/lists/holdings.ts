import type { Deps } from '../../../deps.js';
import { type ByParent, countsByParent, idsIn, type Page, type Relation, rowsByParent } from '../../../store/pages.js';
import { type AgentRow, agentsByWallets, withAgents } from '../queries.js';

/** A wallet that holds tickets of an agent. */
export type HolderRow = {
  readonly agent: string;
  readonly holder: string;
  readonly amount: number;
  /** Time when the balance of the wallet last rose from 0. */
  readonly since: Date;
};

/** The columns of an agent that REST shows with each position. */
export const BESIDE = ['name', 'agentId', 'avatarUrl'] as const;

const holderList: Relation = {
  columns: { agent: 'h.agent', holder: 'h.holder', amount: 'h.amount', since: 'h.since' },
  from: 'ticket_holding h',
  of: 'h.agent',
  keys: [
    ['h.amount', 'int8'],
    ['h.holder', 'text'],
  ],
};

/** The holders of each agent, largest position first. Until a market is indexed, its agent counts as the only holder. */
export async function readHolders(deps: Deps, agents: readonly string[], page: Page): Promise<ByParent<HolderRow>> {
  const groups = await rowsByParent<HolderRow>(deps.sql, holderList, agents, page);
  const isFirstPage = 'limit' in page ? page.offset === 0 : page.after === null;
  const missing = isFirstPage ? agents.filter((wallet) => !groups.has(wallet)) : [];
  for (const { wallet, createdAt: since } of (await agentsByWallets(deps, missing, ['createdAt'])).values()) {
    groups.set(wallet, [{ agent: wallet, holder: wallet, amount: 1, since, key: () => ['1', wallet] }]);
  }
  return groups;
}

/** Number of tickets of each agent that a wallet holds. Until a market is indexed, its agent holds the only ticket. */
export async function ticketBalances(deps: Deps, agents: readonly string[], holder: string): Promise<Map<string, number>> {
  const rows = await deps.sql<{ wallet: string; amount: number }>(
    `select a.wallet, case when m.wallet is null then (a.wallet = $2)::int else coalesce(h.amount, 0) end as amount
     from ${idsIn('$1')} as a (wallet) left join market m on m.wallet = a.wallet
     left join ticket_holding h on h.agent = a.wallet and h.holder = $2`,
    [agents, holder],
  );
  return new Map(rows.map(({ wallet, amount }) => [wallet, amount]));
}

/** Tickets that a wallet holds in another agent. */
export type HoldingRow = {
  readonly holder: string;
  readonly agent: string;
  readonly amount: number;
  /** Tickets of the agent in circulation. They determine the price. */
  readonly supply: number;
};

export type HoldingWithAgent = HoldingRow & {
  /** The agent whose tickets are held. Null if it is not an agent of this service. */
  readonly agentRow: AgentRow | null;
};

const holdingList: Relation = {
  columns: { holder: 'h.holder', agent: 'h.agent', amount: 'h.amount', supply: 'm.supply' },
  from: 'ticket_holding h join market m on m.wallet = h.agent',
  of: 'h.holder',
  where: 'h.agent <> h.holder',
  keys: [
    ['h.amount', 'int8'],
    ['h.agent', 'text'],
  ],
};

/** The tickets in other agents that each wallet holds, largest position first. */
export const readHoldings = (deps: Deps, holders: readonly string[], page: Page): Promise<ByParent<HoldingRow>> =>
  rowsByParent(deps.sql, holdingList, holders, page);

/** Number of other agents whose tickets each wallet holds. */
export const holdingTotals = (deps: Deps, wallets: readonly string[]): Promise<Map<string, number>> =>
  countsByParent(deps.sql, holdingList, wallets);

/** A page of the positions of one wallet with their agents, and the number of positions on all pages. */
export async function holdingsAndTotal(
  deps: Deps,
  wallet: string,
  page: Page,
): Promise<{ readonly holdings: HoldingWithAgent[]; readonly total: number }> {
  const [rows, totals] = await Promise.all([readHoldings(deps, [wallet], page), holdingTotals(deps, [wallet])]);
  const found = await withAgents(deps, rows.get(wallet) ?? [], ({ agent }) => agent, BESIDE);
  return { holdings: found, total: totals.get(wallet) ?? 0 };
}
