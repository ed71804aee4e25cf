import { useRef, useState } from 'preact/hooks';
import { useApp } from '../../app-context.js';
import type { VariablesOf } from '../../graphql/document.js';
import { useLater } from '../../ui/use-later.js';
import { type AgentPage, type agentListQuery, type Figures, figuresQuery, type Market } from './queries.js';

/** Pause between an event and the read of the figures: at most six reads in a minute, however many events there are. */
const PAUSE_MS = 10_000;
/**
 * Maximum number of rows of the list of agents whose figures are read again. Later rows stay as they were first read, which keeps
 * the query cheap.
 */
const MAX_ROWS = 40;

/** The part of the list of all agents that the page shows now. */
export type ShownList = {
  /** The first page of the list, as it was read. */
  readonly first: AgentPage;
  readonly variables: VariablesOf<typeof agentListQuery>;
  /** Number of shown rows. */
  readonly rows: number;
};

export type Latest = {
  readonly figures: Figures;
  /** The list whose first rows are in `figures`. undefined if the page showed no list when they were read. */
  readonly list: ShownList | undefined;
};

/**
 * Returns the latest figures of the market. A call of `renew` reads them again after a pause. `base` has the figures that the
 * page read first. The component `AllAgents` writes into `shownList` which list it shows.
 */
export function useFigures(base: Market | undefined) {
  const { connection } = useApp();
  const shownList = useRef<ShownList | undefined>(undefined);
  const present = useRef(base);
  present.current = base;
  const [latest, setLatest] = useState<(Latest & { readonly base: Market }) | undefined>(undefined);
  const renew = useLater(async () => {
    const read = { base: present.current, list: shownList.current };
    if (!read.base) return;
    // Without a list, the query reads no rows, but its variable still needs a number.
    const rows = Math.min(read.list?.rows ?? 1, MAX_ROWS);
    const variables = { ...read.list?.variables, isList: read.list !== undefined, rows };
    const figures = await connection.query(figuresQuery, variables);
    setLatest({ base: read.base, list: read.list && { ...read.list, rows }, figures });
  }, PAUSE_MS);
  return { figures: latest && latest.base === base ? latest.figures : undefined, latest, renew, shownList };
}
