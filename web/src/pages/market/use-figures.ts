import { useRef, useState } from 'preact/hooks';
import { useApp } from '../../app-context.js';
import { useLater } from '../../ui/use-later.js';
import { type Figures, figuresQuery, type Market } from './queries.js';

/** Pause between an event and the read of the figures: at most six reads in a minute, however many events there are. */
const PAUSE_MS = 10_000;
/** Rows of the leaderboard that are renewed. Further ones stay as they were read, which keeps the query cheap. */
const MAX_ROWS = 30;

export type Latest = {
  readonly figures: Figures;
  /** Number of rows of the leaderboard that were read. */
  readonly rows: number;
};

/**
 * The figures of the market. A call of `renew` reads them again after a moment. `base` are the figures that the page
 * read first.
 */
export function useFigures(base: Market | undefined) {
  const { connection } = useApp();
  const shownRows = useRef(0);
  const present = useRef(base);
  present.current = base;
  const [state, setState] = useState<(Latest & { readonly base: Market | undefined }) | undefined>(undefined);
  const renew = useLater(async () => {
    const read = { base: present.current, rows: Math.min(shownRows.current, MAX_ROWS) };
    if (read.base) setState({ ...read, figures: await connection.query(figuresQuery, { rows: read.rows }) });
  }, PAUSE_MS);
  const latest: Latest | undefined = state && state.base === base ? state : undefined;
  return { latest, renew, shownRows };
}
