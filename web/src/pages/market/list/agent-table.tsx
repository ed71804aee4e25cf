import { AgentLink } from '../../../ui/agent/agent-link.js';
import { ListTable } from '../../../ui/list-table.js';
import { SkeletonRows } from '../../../ui/skeleton.js';
import type { ListedAgent } from '../queries.js';
import { captionOf, columns } from './agent-columns.js';
import type { AgentList } from './agent-list.js';
import { SortHead } from './sort-head.js';

/** Number of agents on one page of the list. */
export const ROWS = 20;
const RANK = 'rank num wide';
const TICKETS = columns.find(({ sort }) => sort === 'supply');

type Props = {
  readonly list: AgentList;
  /** The agents in their order. undefined while they are loading. */
  readonly rows: readonly ListedAgent[] | undefined;
};

/** The list of agents as a table, whose column heads sort it. */
export function AgentTable({ list: { order, active, sortBy }, rows }: Props) {
  // A rank is the place among all agents by tickets, so only the unfiltered list in this order has ranks.
  const isRanked = order.sort === 'supply' && !order.isAscending && active === 0;
  const sorted = columns.find(({ sort }) => sort === order.sort);
  // Windows between phone and desktop have no room for one of the columns. It is never the column by which the list is sorted.
  const wider = order.sort === 'newest' ? 'volume' : 'newest';
  const classes = columns.map(({ sort, isWide }) => `num${isWide ? (sort === wider ? ' wider' : ' wide') : ''}`);
  // Phones hide the wide columns, so they show one of these figures below the change: the one that sorts the list, if it is wide.
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
