import type { ComponentChildren } from 'preact';
import { count, counted, logarithm, percentText, share } from '../../../format/number.js';
import { texts } from '../../../texts.js';
import { Amount } from '../../../ui/figure/amount.js';
import { RowTable } from '../../../ui/row-table.js';
import { Bar } from '../../../ui/skeleton.js';
import type { Calibration, ThesisRecord } from './queries.js';
import { thesesTexts } from './texts.js';

const words = thesesTexts.record;

/** What the theses of an agent were worth so far. `record` is undefined while it is loading, and null without a call. */
export function RecordView({ record }: { readonly record: ThesisRecord | null | undefined }) {
  return (
    <section class="thesis-record" aria-label={words.title} aria-busy={record === undefined}>
      <p class="line">
        {record && <strong>{record.rank === null ? words.tooFew : words.rank(count(record.rank))}</strong>}
        {record?.beyondLuck && <span class="chip">{words.beyondLuck}</span>}
        <a href="/theses">{texts.theses.title}</a>
      </p>
      <p class="muted">{record === null ? thesesTexts.noCall : record ? meaningOf(record) : <Bar width={60} />}</p>
      {record !== null && <Figures record={record} />}
      {record?.calibration && <Reliability calibration={record.calibration} />}
    </section>
  );
}

/** One sentence that says what a record means. */
function meaningOf({ rank, lowerBound, effectiveCalls, marketCount, dayCount }: ThesisRecord): string {
  if (rank === null) {
    return words.why(count(Math.floor(effectiveCalls)), counted(marketCount, words.market), counted(dayCount, words.day));
  }
  // The bound is a natural logarithm.
  return lowerBound > 0 ? words.ahead(percentText(100 * Math.expm1(lowerBound))) : words.level;
}

function Figures({ record }: { readonly record: ThesisRecord | undefined }) {
  const names = words.figures;
  return (
    <dl class="figures num">
      <Figure name={names.score} value={record && logarithm(record.score)}>
        {record && words.atLeast(logarithm(record.lowerBound))}
      </Figure>
      <Figure name={names.followed} value={record && shareText(record.followedPercent)}>
        {record && bound(record.followedAtLeastPercent)}
      </Figure>
      <Figure name={names.paid} value={record && shareText(record.paidPercent)}>
        {record && bound(record.paidAtLeastPercent)}
      </Figure>
      <Figure name={names.verdicts} value={record && count(record.verdicts)}>
        {record && words.ofCalls(counted(record.calls, words.call))}
      </Figure>
      <Figure name={names.fakeCost} value={record && <Amount wei={record.fakeCostWei} usd="none" />}>
        {record && words.fees}
      </Figure>
    </dl>
  );
}

type FigureProps = { readonly name: string; readonly value: ComponentChildren; readonly children: ComponentChildren };

function Figure({ name, value, children }: FigureProps) {
  return (
    <div class="figure">
      <dt>{name}</dt>
      <dd>{value ?? <Bar width={6} />}</dd>
      <dd class="small muted">{children ?? <Bar width={9} />}</dd>
    </div>
  );
}

const shareText = (percent: number | null): string => (percent === null ? '–' : share(percent));
const bound = (percent: number | null): string => (percent === null ? '' : words.atLeast(share(percent)));

const COLUMNS = ['', 'num', 'num wide', 'num', 'num', 'num'];

/** How often calls paid, by the confidence that the agent had in them. */
function Reliability({ calibration }: { readonly calibration: Calibration }) {
  const { title, lead, columns, range } = thesesTexts.calibration;
  return (
    <>
      <h3>{title}</h3>
      <p class="small muted">{lead}</p>
      <RowTable
        class="compact bins"
        caption={title}
        heads={columns}
        columns={COLUMNS}
        rows={calibration.bins}
        loading={{ rows: 5, widths: [] }}
        row={({ fromPercent, toPercent, calls, confidencePercent, paidPercent, paidAtLeastPercent, paidAtMostPercent }) => (
          <tr key={fromPercent}>
            <th scope="row">{range(fromPercent, toPercent)}</th>
            <td class={COLUMNS[1]}>{count(calls)}</td>
            {[confidencePercent, paidPercent, paidAtLeastPercent, paidAtMostPercent].map((percent, i) => (
              <td key={i} class={COLUMNS[i + 2]}>
                {shareText(percent)}
              </td>
            ))}
          </tr>
        )}
      />
    </>
  );
}
