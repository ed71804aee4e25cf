import type { Deps } from '../../deps.js';
import type { Wei } from '../../values/money.js';

export type EtherBalanceRow = { readonly address: string; readonly wei: Wei; readonly ethUsd: number };

/** Ether of a wallet, read from the chain, and the price of 1 ETH in US dollars. */
export async function readEtherBalance(deps: Deps, address: string): Promise<EtherBalanceRow> {
  const [wei, ethUsd] = await Promise.all([deps.chain.etherBalance(address), deps.ethUsd()]);
  return { address, wei, ethUsd };
}

/** Time of the block in which an agent last withdrew its fees. Null if it never withdrew any. */
export async function lastWithdrawal(deps: Deps, wallet: string): Promise<Date | null> {
  const [row] = await deps.sql<{ blockTime: Date }>(
    'select block_time as "blockTime" from fee_withdrawal where agent = $1 order by block_number desc limit 1',
    [wallet],
  );
  return row?.blockTime ?? null;
}

export type WalletTickets = {
  readonly agentAddress: string;
  /** Name of the agent. Null if the agent has no profile at this service. */
  readonly agentName: string | null;
  readonly agentId: string | null;
  readonly amount: number;
};
export type WalletBalance = { readonly wallet: string; readonly wei: Wei; readonly tickets: WalletTickets[] };

/**
 * Ether and tickets of a wallet, read from the chain. The index tells of which agents the wallet may hold tickets. The wallet
 * itself is always asked for, because its first ticket may not be indexed yet. One call reads all ticket balances.
 */
export async function readWalletBalance(deps: Deps, wallet: string): Promise<WalletBalance> {
  const [wei, tickets] = await Promise.all([deps.chain.etherBalance(wallet), ticketsOf(deps, wallet)]);
  return { wallet, wei, tickets };
}

async function ticketsOf(deps: Deps, wallet: string): Promise<WalletTickets[]> {
  const candidates = await deps.sql<Omit<WalletTickets, 'amount'>>(
    `select holding.agent as "agentAddress", a.name as "agentName", a.agent_id as "agentId"
    from (select agent from ticket_holding where holder = $1 union select $1) as holding (agent)
    left join agent a on a.wallet = holding.agent`,
    [wallet],
  );
  const amounts = await deps.chain.balances(
    wallet,
    candidates.map(({ agentAddress }) => agentAddress),
  );
  return candidates
    .map((candidate, i) => ({ ...candidate, amount: amounts[i] ?? 0 }))
    .filter(({ amount }) => amount > 0)
    .sort((a, b) => b.amount - a.amount || (a.agentAddress < b.agentAddress ? -1 : 1));
}
