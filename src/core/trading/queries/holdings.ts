import type { Deps } from '../../../deps.js';
import { countsByParent, idsIn, type Keyed, type Page, type Relation } from '../../../store/pages.js';
import type { AgentPart, AgentWith } from '../../agents/queries/agent-row.js';
import { rowsWithAgents } from '../../agents/queries/agents-beside.js';
import { agentsByWallets } from './agents.js';

type Request<Part extends AgentPart> = {
  readonly page: Page;
  /** What is read of the agent beside each row; nothing but its wallet if not given. */
  readonly parts?: readonly Part[];
};

/** A wallet that holds tickets of an agent. `holderRow` is null if the wallet is not an agent of this service. */
export type HolderRow<Part extends AgentPart = never> = {
  readonly holder: string;
  readonly amount: number;
  /** When its balance last rose from 0. */
  readonly since: Date;
  readonly holderRow?: AgentWith<Part> | null;
};

const holderList: Relation = {
  columns: { holder: 'h.holder', amount: 'h.amount', since: 'h.since' },
  from: 'ticket_holding h',
  of: 'h.agent',
  keys: [
    ['h.amount', 'int8'],
    ['h.holder', 'text'],
  ],
};

/** The holders of each agent, the largest first. A market that is not indexed yet has its own wallet as its holder. */
export async function holders<Part extends AgentPart = never>(
  deps: Deps,
  agents: readonly string[],
  { page, parts }: Request<Part>,
): Promise<Map<string, Keyed<HolderRow<Part>>[]>> {
  const beside = parts ? [{ name: 'holder', wallet: 'h.holder', parts }] : [];
  const groups = await rowsWithAgents<HolderRow<Part>>(deps, holderList, agents, { page, beside });
  const isFirst = 'limit' in page ? page.offset === 0 : page.after === null;
  const missing = isFirst ? agents.filter((wallet) => !groups.has(wallet)) : [];
  if (missing.length > 0) {
    const read = ['createdAt' as const, ...(parts ?? [])];
    for (const row of (await agentsByWallets(deps, { wallets: missing, parts: read })).values()) {
      const { wallet, createdAt } = row;
      const key = () => ['1', wallet];
      groups.set(wallet, [{ holder: wallet, amount: 1, since: createdAt, holderRow: row, key }]);
    }
  }
  return groups;
}

/** How many tickets of each agent a wallet holds. A market that is not indexed yet has one, which its own wallet holds. */
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

/** Tickets that a wallet holds in another agent. `agentRow` is null if that is not an agent of this service. */
export type HoldingRow<Part extends AgentPart = never> = {
  readonly agent: string;
  readonly amount: number;
  /** Tickets of the agent in circulation, which give the price of one. */
  readonly supply: number;
  readonly agentRow?: AgentWith<Part> | null;
};

const holdingList: Relation = {
  columns: { agent: 'h.agent', amount: 'h.amount', supply: 'm.supply' },
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
  const beside = parts ? [{ name: 'agent', wallet: 'h.agent', parts }] : [];
  return rowsWithAgents(deps, holdingList, holders, { page, beside });
}

export const holdingTotals = (deps: Deps, wallets: readonly string[]): Promise<Map<string, number>> =>
  countsByParent(deps.sql, holdingList, wallets);
