import { RangeSize, readInParts } from '../../../chain/logs/range-size.js';
import type { IndexDeps } from './cursor.js';
import { factKey, indexedFacts, repairBlock } from './repair.js';

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
export async function repairByComparing(deps: IndexDeps, search: Search, signal: AbortSignal): Promise<SearchOutcome> {
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
      const differing = [...stored.keys(), ...onChain].filter((key) => !stored.has(key) || !onChain.has(key));
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
