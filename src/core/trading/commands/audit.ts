import type { InconsistentHistory } from '../rules.js';
import type { IndexDeps } from './cursor.js';
import { repairBlock } from './repair.js';
import { repairByComparing, type Search, type SearchOutcome } from './repair-search.js';
import { indexedStates, sameStates, stateOrNull } from './states.js';

/** Wallets per eth_call. */
const PAGE_SIZE = 1000;
/**
 * Maximum number of differing agents that a repair looks at. Repairing the first wrong block also repairs later ones,
 * and the next audit finds the rest.
 */
const MAX_DIFFERENCES = 100;
/**
 * Number of failed reads in a row after which the RPC counts as lacking the state at the cursor. A lagging node lacks
 * it only for a moment.
 */
const MAX_UNKNOWN = 3;

/** Differences between the index and the contract's state at the cursor's block. */
export type Differences = {
  readonly block: number;
  /** Agents whose supply or pending fees differ. */
  readonly agents: readonly string[];
  /** True if the number of agents differs. */
  readonly count: boolean;
  /** A position that a range contradicted. */
  readonly pair?: { readonly agent: string; readonly holder: string };
};

type Row = { block: number; hash: string; agents: number; wallet: string | null; supply: number; pending: bigint };

/**
 * Compares one page of markets with the contract's state at the cursor's block. `last` is the cursor of the next page;
 * null after the last page. 'moved': a reorg occurred. 'unknown': the RPC does not have the state.
 */
export async function auditPage(
  deps: IndexDeps,
  after: string,
): Promise<{ readonly differences: Differences; readonly last: string | null } | 'moved' | 'unknown'> {
  const rows = await deps.sql<Row>(
    `select c.block_number as block, b.hash, (select count(*)::int from market) as agents, m.wallet, m.supply,
       m.fees_earned - coalesce((select sum(amount) from fee_withdrawal f where f.agent = m.wallet), 0) as pending
     from indexer_cursor c join chain_block b on b.number = c.block_number
     left join lateral (
       select wallet, supply, fees_earned from market where wallet > $1 order by wallet limit ${PAGE_SIZE}
     ) m on true`,
    [after],
  );
  const [first] = rows;
  if (first === undefined) return 'moved';
  const markets = rows.filter((row): row is Row & { wallet: string } => row.wallet !== null);
  const state = await stateOrNull(
    deps.market,
    deps.market.stateAt(
      first.block,
      markets.map(({ wallet }) => wallet),
    ),
  );
  if ((await deps.market.hashes([first.block]))[0] !== first.hash) return 'moved';
  if (state === null) return 'unknown';
  const agents = markets.filter(({ supply, pending }, i) => {
    const contract = state.states[i];
    return contract?.supply !== supply || contract.pendingFees !== BigInt(pending);
  });
  return {
    differences: {
      block: first.block,
      agents: agents.map(({ wallet }) => wallet),
      count: state.agentCount !== first.agents,
    },
    last: markets.length < PAGE_SIZE ? null : (markets.at(-1)?.wallet ?? null),
  };
}

/** Compares all markets, for a contradiction whose cause is not known. */
async function auditAll(deps: IndexDeps): Promise<Differences | 'moved' | 'unknown'> {
  const agents: string[] = [];
  for (let after: string | null = ''; ; ) {
    const page: Awaited<ReturnType<typeof auditPage>> = await auditPage(deps, after);
    if (typeof page === 'string') return page;
    agents.push(...page.differences.agents);
    after = page.last;
    if (after === null || agents.length >= MAX_DIFFERENCES) return { ...page.differences, agents };
  }
}

/**
 * Finds the first block of which the index lacks facts, and restarts the index from there. `contradiction` is the reason
 * for the search. Returns 'nothing' during a reorg or while the RPC does not have the state; the caller retries later.
 */
export async function repairIndex(
  deps: IndexDeps,
  contradiction: InconsistentHistory | Differences,
  search: Search,
  signal: AbortSignal,
): Promise<SearchOutcome> {
  const differences = contradiction instanceof Error ? withPair(await auditAll(deps), contradiction) : contradiction;
  if (differences === 'moved') return 'nothing';
  const block = differences === 'unknown' ? 'unknown now' : await firstWrongBlock(deps, differences);
  search.unknown = block === 'unknown now' ? search.unknown + 1 : 0;
  if (block === 'unknown then' || search.unknown >= MAX_UNKNOWN) {
    const outcome = await repairByComparing(deps, search, signal);
    if (outcome === 'repaired') search.to = undefined;
    return outcome;
  }
  if (typeof block === 'string' || signal.aborted) return 'nothing';
  search.to = undefined;
  return (await repairBlock(deps, block)) === 'repaired' ? 'repaired' : 'nothing';
}

function withPair(
  differences: Differences | 'moved' | 'unknown',
  { location }: InconsistentHistory,
): typeof differences {
  if (typeof differences === 'string' || location?.holder === undefined) return differences;
  return { ...differences, pair: { agent: location.agent, holder: location.holder } };
}

/**
 * First block at whose end the index differs from the contract. Searches back from the cursor in doubling steps, then by
 * bisection: all RPCs have recent states, few have old ones. 'unknown': the RPC lacks a state that the search needs.
 */
async function firstWrongBlock(
  deps: IndexDeps,
  differences: Differences,
): Promise<number | 'none' | 'unknown now' | 'unknown then'> {
  const start = (deps.config.START_BLOCK ?? 1) - 1;
  let wrong = differences.block;
  let right = start;
  const at = (block: number) => agrees(deps, differences, block);
  const now = await at(wrong);
  if (now === null) return 'unknown now';
  if (now) return 'none';
  for (let step = 1; wrong > start; step *= 2) {
    const block = Math.max(start, differences.block - step);
    if (block === start) break;
    const agreed = await at(block);
    if (agreed === null) return 'unknown then';
    if (agreed) {
      right = block;
      break;
    }
    wrong = block;
  }
  while (wrong - right > 1) {
    const middle = Math.floor((right + wrong) / 2);
    const agreed = await at(middle);
    if (agreed === null) return 'unknown then';
    if (agreed) right = middle;
    else wrong = middle;
  }
  return wrong;
}

/** True if the index and the contract agree on the differences at the end of a block. null if the RPC lacks the state. */
async function agrees(deps: IndexDeps, differences: Differences, block: number): Promise<boolean | null> {
  const agents = differences.agents.slice(0, MAX_DIFFERENCES);
  const { pair } = differences;
  const [state, balance] = await Promise.all([
    stateOrNull(deps.market, deps.market.stateAt(block, agents)),
    pair === undefined ? 0 : stateOrNull(deps.market, deps.market.balanceAt(block, pair.holder, pair.agent)),
  ]);
  if (state === null || balance === null) return null;
  if (!sameStates(await indexedStates(deps.sql, agents, block), state)) return false;
  if (pair === undefined) return true;
  const [indexed] = await deps.sql<{ amount: number }>(
    `select (coalesce((select sum(case when realized_pnl is null then amount else -amount end) from transaction
         where agent = $1 and trader = $2 and block_number <= $3), 0)
       + (select count(*) from market where wallet = $1 and wallet = $2 and block_number <= $3))::int as amount`,
    [pair.agent, pair.holder, block],
  );
  return indexed?.amount === balance;
}
