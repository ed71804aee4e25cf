import { useState } from 'preact/hooks';

export type SteadyRows<Row> = {
  readonly rows: readonly Row[];
  /** Whether the present list has other agents than the shown rows, or the same agents in another order. */
  readonly isReordered: boolean;
};

/**
 * Updates the values of the shown rows. Each row keeps its place, which is its rank, so that nothing moves. `latest` has only the
 * first `asked` rows of the present list, so only that many rows are compared for their order.
 */
export function steadyRows<Row>(
  shown: readonly Row[],
  latest: readonly Row[],
  asked: number,
  idOf: (row: Row) => string | undefined,
): SteadyRows<Row> {
  const byAgent = new Map(latest.map((row) => [idOf(row), row]));
  const order = (rows: readonly Row[]) => rows.map(idOf).join();
  return {
    rows: shown.map((row) => byAgent.get(idOf(row)) ?? row),
    isReordered: order(shown.slice(0, asked)) !== order(latest),
  };
}

/**
 * Returns the list that the page shows, and a function that shows another list. It shows `first`, the list that it read first,
 * until the reader asks for the present list. A new `first` is shown immediately. With `present`, a part of the page that appears
 * again starts with that list.
 */
export function useChosen<List>(first: List | undefined, present?: List): [List | undefined, (list: List) => void] {
  const [chosen, setChosen] = useState<{ readonly first: List | undefined; readonly list: List } | undefined>(
    present && { first, list: present },
  );
  return [chosen && chosen.first === first ? chosen.list : first, (list) => setChosen({ first, list })];
}
