import { useEffect, useState } from 'preact/hooks';
import { useApp } from '../../../app-context.js';
import { useQuery } from '../../../graphql/use-query.js';
import { More } from '../../../ui/control/more.js';
import { Empty, ProblemView, StaleNote } from '../../../ui/problem-view.js';
import { useLater } from '../../../ui/use-later.js';
import { usePages } from '../../../ui/use-pages.js';
import { liveOutcomes, type Thesis, type ThesisRecord, thesesQuery } from './queries.js';
import { RecordView } from './record-view.js';
import { thesesTexts } from './texts.js';
import { ThesisTable } from './thesis-table.js';
import './theses.css';

/** Pause between a judgement and the read of the record, which the service computes after it. */
const PAUSE_MS = 5000;

/** The tab with the theses of an agent: what they were worth so far, and each of them with its outcomes. */
export function Theses({ agentId }: { readonly agentId: string }) {
  const { connection } = useApp();
  const first = { agentId, after: null, isFirst: true };
  const { data, problem, reload } = useQuery(thesesQuery, first, { isExtended: true });
  const pages = usePages('theses', data, data?.agent?.theses, async (after) =>
    after === null ? undefined : (await connection.query(thesesQuery, { agentId, after, isFirst: false })).agent?.theses,
  );
  const { judged, record = data?.agent?.record } = useJudged(agentId, reload);
  const rows = pages.rows?.map((thesis) => judged.get(thesis.id) ?? thesis);
  if (!data && problem) return <ProblemView problem={problem} retry={reload} />;
  if (rows?.length === 0) return <Empty>{thesesTexts.empty}</Empty>;
  return (
    <>
      {data && <StaleNote problem={problem} />}
      <RecordView record={record} />
      <ThesisTable rows={rows} />
      <More pages={pages} />
    </>
  );
}

/** The theses that were judged since the page was read, by their ids, and the record after them. */
function useJudged(agentId: string, onGap: () => void) {
  const { connection } = useApp();
  const [judged, setJudged] = useState<ReadonlyMap<string, Thesis>>(new Map());
  const [record, setRecord] = useState<ThesisRecord | null | undefined>(undefined);
  const renew = useLater(async () => {
    const { agent } = await connection.query(thesesQuery, { agentId, after: null, isFirst: true });
    setRecord(agent?.record);
  }, PAUSE_MS);
  useEffect(
    () =>
      connection.watch(
        liveOutcomes,
        { agent: agentId },
        {
          gap: onGap,
          next: ({ outcome: { trade } }) => {
            if (trade) setJudged((before) => new Map(before).set(trade.id, trade));
            renew();
          },
        },
      ),
    [connection, agentId, renew],
  );
  return { judged, record };
}
