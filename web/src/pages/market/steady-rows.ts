import { useState } from 'preact/hooks';

type Ranked = { readonly agent: { readonly id: string } | null };

export type SteadyRows<Row> = {
  readonly rows: readonly Row[];
  /** Whether other agents, or the same ones in another order, are in these places now. */
  readonly isReordered: boolean;
};

/**
 * Renews the values of rows, and leaves each row in its place, which is its rank, so that nothing moves. `latest` are
 * the rows as they are now, of which the first `asked` were read.
 */
export function steadyRows<Row extends Ranked>(
  shown: readonly Row[],
  latest: readonly Row[],
  asked: number,
): SteadyRows<Row> {
  const byAgent = new Map(latest.map((row) => [row.agent?.id, row]));
  const order = (rows: readonly Row[]) => rows.map(({ agent }) => agent?.id).join();
  return {
    rows: shown.map((row) => byAgent.get(row.agent?.id) ?? row),
    isReordered: order(shown.slice(0, asked)) !== order(latest),
  };
}

/** What the page has read first, until the reader asks for what is there now. Another `first` begins again. */
export function useChosen<List>(first: List | undefined): [List | undefined, (list: List) => void] {
  const [chosen, setChosen] = useState<{ readonly first: List | undefined; readonly list: List } | undefined>(
    undefined,
  );
  return [chosen && chosen.first === first ? chosen.list : first, (list) => setChosen({ first, list })];
}
