import { AgentLink } from '../../../ui/agent/agent-link.js';
import { ListTable } from '../../../ui/list-table.js';
import { SkeletonRows } from '../../../ui/skeleton.js';
import type { ListedAgent } from '../queries.js';
import { captionOf, columns } from './agent-columns.js';
import type { AgentList } from './agent-list.js';
import { SortHead } from './sort-head.js';

/** Number of rows of a page. */
export const ROWS = 20;
const RANK = 'rank num wide';
const TICKETS = columns.find(({ sort }) => sort === 'supply');

type Props = {
  readonly list: AgentList;
  /** undefined while the rows are loading. */
  readonly rows: readonly ListedAgent[] | undefined;
};

/** The agents of the list. */
export function AgentTable({ list: { order, active, sortBy }, rows }: Props) {
  // A rank is the place among all agents by tickets.
  const isRanked = order.sort === 'supply' && !order.isAscending && active === 0;
  const sorted = columns.find(({ sort }) => sort === order.sort);
  // Between phone and desktop one column has no room: it is not the one by which the list is sorted.
  const wider = order.sort === 'newest' ? 'volume' : 'newest';
  const classes = columns.map(({ sort, isWide }) => `num${isWide ? (sort === wider ? ' wider' : ' wide') : ''}`);
  // Phones show this figure below the change, in place of its column.
  const below = sorted?.isWide ? sorted : TICKETS;
  const widths = [2, 16, ...columns.map(({ width }) => width)];
  return (
    <ListTable class="stacked two-lines sorted">
      <caption class="hidden">{captionOf(order)}</caption>
      <SortHead order={order} rank={isRanked ? '#' : ''} rankClass={RANK} classes={classes} sortBy={sortBy} />
      <tbody aria-busy={rows === undefined}>
        {rows?.map((agent, i) => (
          <tr key={agent.id}>
            <td class={RANK}>{isRanked && i + 1}</td>
            <th scope="row">
              <AgentLink agent={agent} address={agent.id} size={28} />
            </th>
            {columns.map(({ sort, cell }, at) => (
              <td key={sort} class={classes[at]}>
                {cell(agent)}
                {sort === 'change' && (
                  <p class="narrow small muted">
                    {below?.head} {below?.cell(agent)}
                  </p>
                )}
              </td>
            ))}
          </tr>
        )) ?? <SkeletonRows rows={ROWS} widths={widths} classes={[RANK, '', ...classes]} />}
      </tbody>
    </ListTable>
  );
}
