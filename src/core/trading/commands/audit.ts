import type { InconsistentHistory } from '../rules.js';
import { type Healed, repairByComparing, type Search } from './compare.js';
import type { IndexDeps } from './cursor.js';
import { repairBlock } from './repair.js';
import { answeredState, indexedStates, sameStates } from './states.js';

/** What a node reads in one call. */
const WALLETS_AT_ONCE = 1000;
/** Repairing the first wrong block of these mends what follows; the others are found by the next audit. */
const DOUBTS_AT_ONCE = 100;
/**
 * A node that is behind does not know the state at the cursor for a moment. After so many times in a row it is a state
 * that the chain does not give.
 */
const UNKNOWN_TIMES = 3;

/** In what the index and the contract's own state differ at the block of the cursor. */
export type Doubts = {
  readonly block: number;
  /** Another supply, or other fees to withdraw. */
  readonly agents: readonly string[];
  /** Another number of agents. */
  readonly count: boolean;
  /** A balance that the chain contradicts. */
  readonly pair?: { readonly agent: string; readonly holder: string };
};

type Row = { block: number; hash: string; agents: number; wallet: string | null; supply: number; pending: bigint };

/**
 * Compares the markets after a wallet with the contract's state at the cursor's block. `last` is the wallet to go on
 * after; null: these were the last. Moved: the chain is another. Unknown: it does not know the state.
 */
export async function auditPage(
  deps: IndexDeps,
  after: string,
): Promise<{ readonly doubts: Doubts; readonly last: string | null } | 'moved' | 'unknown'> {
  const rows = await deps.sql<Row>(
    `select c.block_number as block, b.hash, (select count(*)::int from market) as agents, m.wallet, m.supply,
       m.fees_earned - coalesce((select sum(amount) from fee_withdrawal f where f.agent = m.wallet), 0) as pending
     from indexer_cursor c join chain_block b on b.number = c.block_number
     left join lateral (
       select wallet, supply, fees_earned from market where wallet > $1 order by wallet limit ${WALLETS_AT_ONCE}
     ) m on true`,
    [after],
  );
  const [first] = rows;
  if (first === undefined) return 'moved';
  const markets = rows.filter((row): row is Row & { wallet: string } => row.wallet !== null);
  const state = await answeredState(
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
    doubts: {
      block: first.block,
      agents: agents.map(({ wallet }) => wallet),
      count: state.agentCount !== first.agents,
    },
    last: markets.length < WALLETS_AT_ONCE ? null : (markets.at(-1)?.wallet ?? null),
  };
}

/** Every market, for a contradiction whose cause may be anywhere. */
async function auditAll(deps: IndexDeps): Promise<Doubts | 'moved' | 'unknown'> {
  const agents: string[] = [];
  for (let after: string | null = ''; ; ) {
    const page: Awaited<ReturnType<typeof auditPage>> = await auditPage(deps, after);
    if (typeof page === 'string') return page;
    agents.push(...page.doubts.agents);
    after = page.last;
    if (after === null || agents.length >= DOUBTS_AT_ONCE) return { ...page.doubts, agents };
  }
}

/**
 * Finds the first block of which the index lacks something, and reads on from there again. `contradiction` is what a
 * range said that could not be applied. While the chain is another, or does not know the state at the cursor, nothing
 * can be said: the caller tries again later.
 */
export async function heal(
  deps: IndexDeps,
  contradiction: InconsistentHistory | Doubts,
  search: Search,
  signal: AbortSignal,
): Promise<Healed> {
  const doubts = contradiction instanceof Error ? withPair(await auditAll(deps), contradiction) : contradiction;
  if (doubts === 'moved') return 'nothing';
  const block = doubts === 'unknown' ? 'unknown now' : await firstWrongBlock(deps, doubts);
  search.unknown = block === 'unknown now' ? search.unknown + 1 : 0;
  if (block === 'unknown then' || search.unknown >= UNKNOWN_TIMES) {
    const healed = await repairByComparing(deps, search, signal);
    if (healed === 'healed') search.to = undefined;
    return healed;
  }
  if (typeof block === 'string' || signal.aborted) return 'nothing';
  search.to = undefined;
  return (await repairBlock(deps, block)) === 'repaired' ? 'healed' : 'nothing';
}

function withPair(doubts: Doubts | 'moved' | 'unknown', { place }: InconsistentHistory): typeof doubts {
  if (typeof doubts === 'string' || place?.holder === undefined) return doubts;
  return { ...doubts, pair: { agent: place.agent, holder: place.holder } };
}

/**
 * The first block at whose end the contract's state is not what the index has of it: back from the cursor in steps that
 * double, then by bisection. Few nodes know old states, all know new ones; unknown: the node does not know one of them.
 */
async function firstWrongBlock(
  deps: IndexDeps,
  doubts: Doubts,
): Promise<number | 'none' | 'unknown now' | 'unknown then'> {
  const start = (deps.config.START_BLOCK ?? 1) - 1;
  let wrong = doubts.block;
  let right = start;
  const at = (block: number) => agrees(deps, doubts, block);
  const now = await at(wrong);
  if (now === null) return 'unknown now';
  if (now) return 'none';
  for (let step = 1; wrong > start; step *= 2) {
    const block = Math.max(start, doubts.block - step);
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

/** Whether the index and the contract agree at the end of a block on all that is in doubt. */
async function agrees(deps: IndexDeps, doubts: Doubts, block: number): Promise<boolean | null> {
  const agents = doubts.agents.slice(0, DOUBTS_AT_ONCE);
  const { pair } = doubts;
  const [state, balance] = await Promise.all([
    answeredState(deps.market, deps.market.stateAt(block, agents)),
    pair === undefined ? 0 : answeredState(deps.market, deps.market.balanceAt(block, pair.holder, pair.agent)),
  ]);
  if (state === null || balance === null) return null;
  if (!sameStates(await indexedStates(deps.sql, agents, block), state)) return false;
  if (pair === undefined) return true;
  const [held] = await deps.sql<{ amount: number }>(
    `select (coalesce((select sum(case when realized_pnl is null then amount else -amount end) from transaction
         where agent = $1 and trader = $2 and block_number <= $3), 0)
       + (select count(*) from market where wallet = $1 and wallet = $2 and block_number <= $3))::int as amount`,
    [pair.agent, pair.holder, block],
  );
  return held?.amount === balance;
}
