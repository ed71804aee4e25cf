import { RangeSize, readInParts } from '../../../chain/logs/range-size.js';
import type { IndexDeps } from './cursor.js';
import { placeOf, placesOf, repairBlock } from './repair.js';

/** Blocks that are compared with the index first, from the newest back; then twice as many, and so on. */
const COMPARED_FIRST = 64;
/** So many are compared in one call: the index goes on in between, and another replica may lead. */
const COMPARED_AT_ONCE = 2000;

/** Nothing: no cause was found, or it cannot be searched for now. Unfinished: the next call goes on. */
export type Healed = 'healed' | 'nothing' | 'unfinished';

/** How far a search for what the index lacks has come. */
export class Search {
  /** How many times in a row the chain did not know the state of the block at which the cursor stands. */
  unknown = 0;
  /** The newest block that is still to be compared; undefined: that of the cursor. */
  to: number | undefined;
  readonly size = new RangeSize();
  constructor(readonly atOnce = COMPARED_AT_ONCE) {}
}

/** For a chain that does not know its old states: the logs are read again, from the newest back, and compared. */
export async function repairByComparing(deps: IndexDeps, search: Search, signal: AbortSignal): Promise<Healed> {
  const [known] = await deps.sql<{ cursor: number | string; kept: number | string; market: number | string | null }>(
    `select block_number as cursor, (select min(number) from chain_block) as kept,
       (select min(block_number) from market) as market from indexer_cursor`,
  );
  if (known === undefined) return 'nothing';
  // The first hash that is kept is of the block before the first one read, until it is dropped.
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
