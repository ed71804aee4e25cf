import type { Deps } from '../../../deps.js';
import type { Wei } from '../../../money.js';

export type EtherBalance = { readonly wei: Wei; readonly ethUsd: number };

/** Live, from the chain. */
export async function etherBalance(deps: Deps, wallet: string): Promise<EtherBalance> {
  const [wei, ethUsd] = await Promise.all([deps.market.etherBalance(wallet), deps.ethUsd()]);
  return { wei, ethUsd };
}

export type WalletTickets = {
  readonly agentAddress: string;
  /** Null where the agent is not one of this service. */
  readonly agentName: string | null;
  readonly agentId: string | null;
  readonly amount: number;
};
export type WalletBalance = { readonly wei: Wei; readonly tickets: WalletTickets[] };

/**
 * Ether and tickets of a wallet, live. Which agents to ask the contract about is known from the index, and the wallet's
 * own market from its registration; one call reads them all.
 */
export async function walletBalance(deps: Deps, wallet: string): Promise<WalletBalance> {
  const [wei, tickets] = await Promise.all([deps.market.etherBalance(wallet), ticketsOf(deps, wallet)]);
  return { wei, tickets };
}

async function ticketsOf(deps: Deps, wallet: string): Promise<WalletTickets[]> {
  const candidates = await deps.sql<Omit<WalletTickets, 'amount'>>(
    `select held.agent as "agentAddress", a.name as "agentName", a.agent_id as "agentId"
    from (select agent from ticket_holding where holder = $1 union select $1) as held (agent)
    left join agent a on a.wallet = held.agent`,
    [wallet],
  );
  const amounts = await deps.market.balances(
    wallet,
    candidates.map(({ agentAddress }) => agentAddress),
  );
  return candidates
    .map((candidate, i) => ({ ...candidate, amount: amounts[i] ?? 0 }))
    .filter(({ amount }) => amount > 0)
    .sort((a, b) => b.amount - a.amount || (a.agentAddress < b.agentAddress ? -1 : 1));
}
