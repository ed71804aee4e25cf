import { isDeepStrictEqual } from 'node:util';
import { RangeSize, readInParts } from '../chain/logs/range-size.js';
import type { Market, MarketState } from '../chain/market.js';
import { AppError } from '../errors.js';
import type { Sql } from '../store/sql.js';
import type { IndexDeps } from './cursor.js';
import { factKey, indexedFacts, repairBlock } from './repair.js';
import type { InconsistentHistory } from './rules.js';

/** Maximum number of wallets per eth_call. */
const PAGE_SIZE = 1000;
/** Maximum number of agents that a repair looks at. It also mends later blocks, and the next audit finds the rest. */
const MAX_DIFFERENCES = 100;
/** Failed reads in a row after which the RPC counts as lacking the state. A lagging node lacks it for a moment. */
const MAX_UNKNOWN = 3;

/** Differences between the index and the contract's state at the cursor's block. */
export type Differences = {
  readonly block: number;
  /** Agents whose supply or pending fees in the index differ from the contract. */
  readonly agents: readonly string[];
  /** True if the number of agents in the index differs from the contract. */
  readonly count: boolean;
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
    return contract?.supply !== supply || contract.pendingFees !== pending;
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
  const [differences, location] =
    contradiction instanceof Error ? [await auditAll(deps), contradiction.location] : [contradiction];
  if (differences === 'moved') return 'nothing';
  const block = differences === 'unknown' ? 'unknown now' : await firstWrongBlock(deps, differences, location);
  search.unknown = block === 'unknown now' ? search.unknown + 1 : 0;
  if (block === 'unknown then' || search.unknown >= MAX_UNKNOWN) return repairByComparing(deps, search, signal);
  if (typeof block === 'string' || signal.aborted) return 'nothing';
  search.to = undefined;
  return (await repairBlock(deps, block)) === 'repaired' ? 'repaired' : 'nothing';
}

/**
 * First block at whose end the index differs from the contract. Searches back from the cursor in doubling steps, then by
 * bisection: all RPCs have recent states, few have old ones. 'unknown': the RPC lacks a state that the search needs.
 */
async function firstWrongBlock(
  deps: IndexDeps,
  { block: newest, agents }: Differences,
  contradiction: InconsistentHistory['location'],
): Promise<number | 'none' | 'unknown now' | 'unknown then'> {
  const searched = agents.slice(0, MAX_DIFFERENCES);
  const start = (deps.config.START_BLOCK ?? 1) - 1;
  const at = (block: number) => isEqual(deps, searched, contradiction, block);
  const now = await at(newest);
  if (now === null) return 'unknown now';
  if (now) return 'none';
  let wrong = newest;
  let right = start;
  for (let step = 1; wrong - right > 1; step *= 2) {
    const stepsBack = right === start && newest - step > start;
    const block = stepsBack ? newest - step : Math.floor((right + wrong) / 2);
    const equal = await at(block);
    if (equal === null) return 'unknown then';
    if (equal) right = block;
    else wrong = block;
  }
  return wrong;
}

/** Whether index and contract are equal for some agents and a position at the end of a block. null if the RPC lacks the state. */
async function isEqual(
  deps: IndexDeps,
  agents: readonly string[],
  position: InconsistentHistory['location'],
  block: number,
): Promise<boolean | null> {
  const [state, balance] = await Promise.all([
    stateOrNull(deps.market, deps.market.stateAt(block, agents)),
    position?.holder === undefined
      ? 0
      : stateOrNull(deps.market, deps.market.balanceAt(block, position.holder, position.agent)),
  ]);
  if (state === null || balance === null) return null;
  if (!isDeepStrictEqual(await indexedStates(deps.sql, agents, block), state)) return false;
  if (position?.holder === undefined) return true;
  const [indexed] = await deps.sql<{ amount: number }>(
    `select (coalesce((select sum(case when realized_pnl is null then amount else -amount end) from transaction
         where agent = $1 and trader = $2 and block_number <= $3), 0)
       + (select count(*) from market where wallet = $1 and wallet = $2 and block_number <= $3))::int as amount`,
    [position.agent, position.holder, block],
  );
  return indexed?.amount === balance;
}

/** The result of `Market.stateAt` that the index expects. */
async function indexedStates(
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
async function stateOrNull<T>(market: Market, answer: Promise<T>): Promise<T | null> {
  try {
    return await answer;
  } catch (error) {
    if (!(error instanceof AppError)) return null;
    if (error.code !== 'CHAIN_UNAVAILABLE') throw error;
    await market.blockNumber();
    return null;
  }
}

/** Number of blocks in the first comparison, from the newest back. Each further comparison covers twice as many. */
const FIRST_COMPARISON = 64;
/** Maximum number of blocks per call. Between calls the index makes progress and leadership may change. */
const MAX_BLOCKS_PER_CALL = 2000;

/** 'nothing': no cause was found, or the search is not possible now. 'unfinished': the next call continues. */
export type SearchOutcome = 'repaired' | 'nothing' | 'unfinished';

/** Progress of a search for facts that the index lacks. */
export class Search {
  /** Calls in a row in which the RPC did not have the state at the cursor's block. */
  unknown = 0;
  /** Newest block that is not compared yet. undefined: the cursor's block. */
  to: number | undefined;
  readonly size = new RangeSize();
  constructor(readonly blocksPerCall = MAX_BLOCKS_PER_CALL) {}
}

/** Repairs without archive state: reads the logs again, from the newest back, and compares them with the index. */
async function repairByComparing(deps: IndexDeps, search: Search, signal: AbortSignal): Promise<SearchOutcome> {
  const [bounds] = await deps.sql<{ cursor: number; firstHash: number; market: number | null }>(
    `select block_number as cursor, (select min(number) from chain_block) as "firstHash",
       (select min(block_number) from market) as market from indexer_cursor`,
  );
  if (bounds === undefined) return 'nothing';
  // The oldest stored hash is that of the block before the first indexed block, unless that hash was pruned.
  const oldest = Math.min(bounds.firstHash + 1, bounds.market ?? Number.POSITIVE_INFINITY);
  const start = deps.config.START_BLOCK ?? oldest;
  let to = Math.min(search.to ?? Number.POSITIVE_INFINITY, bounds.cursor);
  const last = Math.max(start, to - search.blocksPerCall + 1);
  for (let blocks = FIRST_COMPARISON; to >= last; blocks *= 2) {
    const from = Math.max(last, to - blocks + 1);
    for await (const range of readInParts(deps.market, from, to, search.size)) {
      const stored = await indexedFacts(deps.sql, range.from, range.to);
      const onChain = new Set(range.facts.map(factKey));
      const differing = [...stored, ...onChain].filter((key) => !stored.has(key) || !onChain.has(key));
      for (const block of new Set(differing.map((key) => Number(key.split(' ')[0])).sort((a, b) => a - b))) {
        if (signal.aborted) return 'unfinished';
        if ((await repairBlock(deps, block)) !== 'repaired') continue;
        search.to = undefined;
        return 'repaired';
      }
      if (signal.aborted) return 'unfinished';
    }
    to = from - 1;
    search.to = to;
  }
  if (to >= start) return 'unfinished';
  search.to = undefined;
  return 'nothing';
}

/** Interval of the audit. Each run compares 1,000 markets. */
export const AUDIT_EVERY_MS = 5_000;
/** Maximum interval of the audit. The interval doubles while a difference has no cause that can be repaired. */
const MAX_AUDIT_MS = 3_600_000;

/** Compares the index with the contract's state page by page and repairs differences. A call before its time does nothing. */
export function periodicAudit(
  deps: IndexDeps,
  everyMs: number,
  search: Search,
): (indexed: number, term: AbortSignal) => Promise<void> {
  let pause = everyMs;
  let next = 0;
  let after = '';
  let auditedTo = -1;
  return async (indexed, term) => {
    // Skips the run before its time, and while no block is newer than the last complete audit.
    if (deps.times.now() < next || (after === '' && auditedTo === indexed)) return;
    next = deps.times.now() + pause;
    const page = await auditPage(deps, after);
    if (typeof page === 'string') return;
    const { differences, last } = page;
    if (differences.agents.length > 0 || differences.count) {
      const outcome = await repairIndex(deps, differences, search, term);
      if (outcome === 'nothing') {
        deps.log.warn({ differences }, 'the contract state differs from the index; no cause was found');
        deps.market.demoteUrl();
      }
      pause = outcome === 'nothing' ? Math.min(pause * 2, MAX_AUDIT_MS) : everyMs;
      next = deps.times.now() + (outcome === 'nothing' ? pause : 0);
      return;
    }
    pause = everyMs;
    after = last ?? '';
    if (last !== null) return;
    auditedTo = differences.block;
    search.to = undefined;
  };
}
