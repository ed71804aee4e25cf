import type { Market, MarketState } from '../chain/market.js';
import { AppError } from '../errors.js';
import type { Sql } from '../store/sql.js';

/** The result of `Market.stateAt` that the index expects. */
export async function indexedStates(
  sql: Sql,
  wallets: readonly string[],
  block: number,
): Promise<{ readonly agentCount: number; readonly states: readonly MarketState[] }> {
  const [counted] = await sql<{ agents: number }>(
    'select count(*)::int as agents from market where block_number <= $1',
    [block],
  );
  const states = await sql<MarketState>(
    `select case when m.block_number <= $2 then coalesce(
         (select supply_after from transaction t where t.agent = m.wallet and t.block_number <= $2
          order by t.block_number desc, t.log_index desc limit 1), 1) else 0 end as supply,
       coalesce((select sum(agent_fee) from transaction t where t.agent = m.wallet and t.block_number <= $2), 0)
       - coalesce((select sum(amount) from fee_withdrawal f where f.agent = m.wallet and f.block_number <= $2), 0) as "pendingFees"
     from unnest($1::varchar[]) with ordinality as given (wallet, place) left join market m on m.wallet = given.wallet
     order by given.place`,
    [wallets, block],
  );
  return { agentCount: counted?.agents ?? 0, states };
}

/**
 * The contract's state, or null if the RPC does not have it. Some RPCs reject calls at old blocks with an HTTP status, as
 * if rate limited. If such an RPC still answers eth_blockNumber, the state counts as missing.
 */
export async function stateOrNull<T>(market: Market, answer: Promise<T>): Promise<T | null> {
  try {
    return await answer;
  } catch (error) {
    if (!(error instanceof AppError)) return null;
    if (error.code !== 'CHAIN_UNAVAILABLE') throw error;
    await market.blockNumber();
    return null;
  }
}
