import { texts } from '../../../texts.js';
import { columns } from './agent-columns.js';
import type { Order } from './agent-list.js';

type Props = {
  readonly order: Order;
  /**
   * The head of the column of ranks. It is empty if the list has no ranks; the column stays, so that the others keep their
   * places.
   */
  readonly rank: '#' | '';
  /** CSS class of the column of ranks. `classes` has those of the columns of figures. */
  readonly rankClass: string;
  readonly classes: readonly string[];
  readonly sortBy: (order: Order) => void;
};

/** The heads of the columns. A click on the head of a figure sorts by it, highest first, and a second click reverses the order. */
export function SortHead({ order, rank, rankClass, classes, sortBy }: Props) {
  return (
    <thead>
      <tr>
        {rank ? (
          <th scope="col" class={rankClass}>
            {rank}
          </th>
        ) : (
          <td class={rankClass} />
        )}
        <th scope="col">{texts.common.agent}</th>
        {columns.map(({ sort, head }, i) => {
          const isSorted = sort === order.sort;
          const isAscending = isSorted && order.isAscending;
          return (
            <th
              key={sort}
              scope="col"
              class={classes[i]}
              aria-sort={isSorted ? (isAscending ? 'ascending' : 'descending') : undefined}
            >
              <button type="button" onClick={() => sortBy({ sort, isAscending: isSorted && !isAscending })}>
                <span aria-hidden="true">{isAscending ? '▲' : '▼'}</span>
                {head}
              </button>
            </th>
          );
        })}
      </tr>
    </thead>
  );
}
