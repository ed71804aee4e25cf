import type { Deps } from '../../deps.js';
import { countsByParent, idsIn, type Keyed, type Page, type Relation } from '../../store/pages.js';
import type { AgentPart, AgentWith } from '../agents/agent-row.js';
import { agentsByWallets } from '../agents/by-wallet.js';
import { rowsWithAgents } from '../agents/joined-agents.js';

type Request<Part extends AgentPart> = {
  readonly page: Page;
  /** Parts of the joined agent. If not given, no agent is joined. */
  readonly parts?: readonly Part[];
};

/** A wallet that holds tickets of an agent. `holderRow` is null if the wallet is not an agent of this service. */
export type HolderRow<Part extends AgentPart = never> = {
  readonly agent: string;
  readonly holder: string;
  readonly amount: number;
  /** Time when the balance of the wallet last rose from 0. */
  readonly since: Date;
  readonly holderRow?: AgentWith<Part> | null;
};

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
export async function holders<Part extends AgentPart = never>(
  deps: Deps,
  agents: readonly string[],
  { page, parts }: Request<Part>,
): Promise<Map<string, Keyed<HolderRow<Part>>[]>> {
  const joinedAgents = parts ? [{ name: 'holder', wallet: 'h.holder', parts }] : [];
  const groups = await rowsWithAgents<HolderRow<Part>>(deps, holderList, agents, { page, joinedAgents });
  const isFirstPage = 'limit' in page ? page.offset === 0 : page.after === null;
  const missing = isFirstPage ? agents.filter((wallet) => !groups.has(wallet)) : [];
  if (missing.length > 0) {
    const holderParts = ['createdAt' as const, ...(parts ?? [])];
    for (const row of (await agentsByWallets(deps, { wallets: missing, parts: holderParts })).values()) {
      const { wallet, createdAt } = row;
      const key = () => ['1', wallet];
      groups.set(wallet, [{ agent: wallet, holder: wallet, amount: 1, since: createdAt, holderRow: row, key }]);
    }
  }
  return groups;
}

/** Number of tickets of each agent that a wallet holds. Until a market is indexed, its agent holds the only ticket. */
export async function ticketBalances(
  deps: Deps,
  agents: readonly string[],
  holder: string,
): Promise<Map<string, number>> {
  const rows = await deps.sql<{ wallet: string; amount: number }>(
    `select a.wallet, case when m.wallet is null then (a.wallet = $2)::int else coalesce(h.amount, 0) end as amount
     from ${idsIn('$1')} as a (wallet) left join market m on m.wallet = a.wallet
     left join ticket_holding h on h.agent = a.wallet and h.holder = $2`,
    [agents, holder],
  );
  return new Map(rows.map(({ wallet, amount }) => [wallet, amount]));
}

/** Tickets that a wallet holds in another agent. `agentRow` is null if the other agent has no profile at this service. */
export type HoldingRow<Part extends AgentPart = never> = {
  readonly holder: string;
  readonly agent: string;
  readonly amount: number;
  /** Tickets of the agent in circulation. They determine the price. */
  readonly supply: number;
  readonly agentRow?: AgentWith<Part> | null;
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
export function holdings<Part extends AgentPart = never>(
  deps: Deps,
  holders: readonly string[],
  { page, parts }: Request<Part>,
): Promise<Map<string, Keyed<HoldingRow<Part>>[]>> {
  const joinedAgents = parts ? [{ name: 'agent', wallet: 'h.agent', parts }] : [];
  return rowsWithAgents(deps, holdingList, holders, { page, joinedAgents });
}

export const holdingTotals = (deps: Deps, wallets: readonly string[]): Promise<Map<string, number>> =>
  countsByParent(deps.sql, holdingList, wallets);
