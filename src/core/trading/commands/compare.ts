import { RangeSize, readInParts } from '../../../chain/logs/range-size.js';
import type { IndexDeps } from './cursor.js';
import { placeOf, placesOf, repairBlock } from './repair.js';

/** Blocks in the first comparison, from the newest back. Each further one doubles. */
const COMPARED_FIRST = 64;
/** Maximum number of blocks per call. Between calls the index makes progress and leadership may change. */
const COMPARED_AT_ONCE = 2000;

/** 'nothing': no cause was found, or the search is not possible now. 'unfinished': the next call continues. */
export type Healed = 'healed' | 'nothing' | 'unfinished';

/** Progress of a search for facts that the index lacks. */
export class Search {
  /** Calls in a row in which the RPC did not have the state at the cursor's block. */
  unknown = 0;
  /** Newest block that is not compared yet. undefined: the cursor's block. */
  to: number | undefined;
  readonly size = new RangeSize();
  constructor(readonly atOnce = COMPARED_AT_ONCE) {}
}

/** Repairs without archive state: reads the logs again, from the newest back, and compares them with the index. */
export async function repairByComparing(deps: IndexDeps, search: Search, signal: AbortSignal): Promise<Healed> {
  const [known] = await deps.sql<{ cursor: number | string; kept: number | string; market: number | string | null }>(
    `select block_number as cursor, (select min(number) from chain_block) as kept,
       (select min(block_number) from market) as market from indexer_cursor`,
  );
  if (known === undefined) return 'nothing';
  // The oldest stored hash is that of the block before the first indexed one, unless it was pruned.
  const oldest = Math.min(Number(known.kept) + 1, Number(known.market ?? Number.POSITIVE_INFINITY));
  const start = deps.config.START_BLOCK ?? oldest;
  let to = Math.min(search.to ?? Number.POSITIVE_INFINITY, Number(known.cursor));
  const last = Math.max(start, to - search.atOnce + 1);
  for (let blocks = COMPARED_FIRST; to >= last; blocks *= 2) {
    const from = Math.max(last, to - blocks + 1);
    for await (const range of readInParts(deps.market, from, to, search.size)) {
      const stored = await placesOf(deps.sql, range.from, range.to);
      const right = new Set(range.facts.map(placeOf));
      const differing = [...stored, ...right].filter((place) => !stored.has(place) || !right.has(place));
      for (const block of new Set(differing.map((place) => Number(place.split(' ')[0])).sort((a, b) => a - b))) {
        if (signal.aborted) return 'unfinished';
        if ((await repairBlock(deps, block)) === 'repaired') return 'healed';
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
