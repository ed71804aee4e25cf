import { useEffect, useRef } from 'preact/hooks';
import { useApp } from '../../../app-context.js';
import { useQuery } from '../../../graphql/use-query.js';
import { More } from '../../../ui/control/more.js';
import { Empty, ProblemView, StaleNote } from '../../../ui/problem-view.js';
import { usePages } from '../../../ui/use-pages.js';
import { NewOrder } from '../new-order.js';
import { agentListQuery } from '../queries.js';
import { steadyRows, useChosen } from '../steady-rows.js';
import { marketTexts } from '../texts.js';
import type { Latest, ShownList } from '../use-figures.js';
import { captionOf } from './agent-columns.js';
import { type AgentList, useAgentList } from './agent-list.js';
import { AgentTable, ROWS } from './agent-table.js';
import { ListBar } from './list-bar.js';

const words = marketTexts.list;

type Props = {
  readonly latest: Latest | undefined;
  /** The component writes into this reference what it shows, so that `useFigures` reads the figures of these agents. */
  readonly shownList: { current: ShownList | undefined };
};

/** All agents, sorted and filtered as the address says. Their values change in place. */
export function AllAgents({ latest, shownList }: Props) {
  const { connection } = useApp();
  const list = useAgentList();
  const { variables, active } = list;
  const key = JSON.stringify(variables);
  // Back shows the list as the reader left it, without a request. Once the reader chooses another order or filter, lists are read.
  const start = useRef<string | undefined>(key);
  if (start.current !== key) start.current = undefined;
  const { data, problem, reload } = useQuery(agentListQuery, variables, { isExtended: start.current === key });
  const first = data?.agents;
  const [chosen, choose] = useChosen(first);
  const pages = usePages('agents', chosen, chosen, async (after) =>
    after === null ? undefined : (await connection.query(agentListQuery, { ...variables, after })).agents,
  );
  // The present first rows of this list. undefined if the latest figures were read for another list.
  const now = latest?.list && latest.list.first === first ? latest.figures.agents : undefined;
  const { rows, isReordered } =
    pages.rows && now
      ? steadyRows(pages.rows, now.nodes, latest?.list?.rows ?? 0, ({ id }) => id)
      : { rows: pages.rows, isReordered: false };
  useEffect(() => {
    shownList.current = first && { first, variables, rows: Math.max(ROWS, rows?.length ?? 0) };
  });
  useEffect(
    () => () => {
      shownList.current = undefined;
    },
    [],
  );
  useAnnounced(list, key, first?.nodes.length);
  return (
    <>
      {isReordered && now && <NewOrder show={() => choose(now)} />}
      <ListBar list={list} />
      {data && <StaleNote problem={problem} />}
      {!data && problem ? (
        <ProblemView problem={problem} retry={reload} />
      ) : rows?.length === 0 ? (
        <Empty>{active > 0 ? words.none : words.empty}</Empty>
      ) : (
        <AgentTable list={list} rows={rows} />
      )}
      <More pages={pages} />
    </>
  );
}

/** Tells users of screen readers that another order or filter is shown. */
function useAnnounced(list: AgentList, key: string, found: number | undefined): void {
  const { announce } = useApp();
  const told = useRef(found === undefined ? undefined : key);
  useEffect(() => {
    if (found === undefined) return;
    if (told.current !== undefined && told.current !== key) announce(found === 0 ? words.none : captionOf(list.order));
    told.current = key;
  }, [key, found]);
}
