import { useState } from 'preact/hooks';
import { etherText } from '../../format/ether.js';
import { dayText } from '../../format/time.js';
import { texts } from '../../texts.js';
import { AgentLink } from '../../ui/agent/agent-link.js';
import { ChartEnd } from '../../ui/chart/chart-end.js';
import { Spark } from '../../ui/chart/spark.js';
import { Amount } from '../../ui/figure/amount.js';
import { Change } from '../../ui/figure/change.js';
import { Empty } from '../../ui/problem-view.js';
import { RowTable } from '../../ui/row-table.js';
import { CloseTable, type Line } from './close-table.js';
import { type Close, closesOf, DAYS, daysUntil } from './closes.js';
import { NewOrder } from './new-order.js';
import type { Trend } from './queries.js';
import { steadyRows, useChosen } from './steady-rows.js';
import { marketTexts } from './texts.js';

const ROWS = 10;
/** CSS classes of the columns: `num` aligns digits. Narrow windows hide columns with `wide` or `wider`. */
const COLUMNS = ['rank num wide', '', 'num', 'num', 'wide', 'num wide', 'num wider', 'num wider', 'num wide'];

type Props = {
  readonly first: readonly Trend[] | undefined;
  /** The present trends. `first` has the trends that the page read first. */
  readonly latest: readonly Trend[] | undefined;
};

/**
 * The agents whose tickets were traded in the last 24 hours, by their score. New values appear in the shown rows, without a move.
 */
export function Trending({ first, latest }: Props) {
  const [shown, show] = useChosen(first, latest);
  const { rows: trends, isReordered } =
    shown && latest ? steadyRows(shown, latest, ROWS, ({ agent }) => agent?.id) : { rows: shown, isReordered: false };
  const days = daysUntil(Date.now());
  const lines = (trends ?? []).flatMap(({ agent }) => (agent ? [{ ...agent, closes: closesOf(agent.candles, days) }] : []));
  const [point, choose] = useState<Point | undefined>(undefined);
  const words = marketTexts.trending;
  const heads = [
    '#',
    texts.common.agent,
    texts.common.price,
    texts.common.change,
    words.days,
    texts.agent.figures.volume,
    texts.common.trades,
    words.traders,
    words.score,
  ];
  return (
    <>
      {isReordered && latest && <NewOrder show={() => show(latest)} />}
      {trends?.length === 0 ? (
        <Empty>{words.empty}</Empty>
      ) : (
        <div class="chart">
          <RowTable
            class="rows-10 stacked two-lines"
            caption={words.caption}
            heads={heads}
            columns={COLUMNS}
            rows={trends}
            loading={{ rows: ROWS, widths: [2, 14, 10, 7, 9, 10, 4, 4, 6] }}
            row={(trend, i) => (
              <TrendRow
                key={trend.agent?.id ?? i}
                rank={i + 1}
                trend={trend}
                line={lines.find(({ id }) => id === trend.agent?.id)}
                point={point}
                choose={choose}
              />
            )}
          />
          <ChartEnd
            label={words.lines}
            reading={readingOf(lines, point)}
            table={trends && <CloseTable days={days} lines={lines} />}
          />
        </div>
      )}
    </>
  );
}

/** The point that the reader has chosen, in the line of one agent. */
type Point = { readonly agent: string; readonly index: number };

const describe = ({ at, wei }: Close): string => marketTexts.trending.point(dayText(at), etherText(wei));

/** Describes the chosen point in words. If none is chosen, it says how to choose one. */
function readingOf(lines: readonly Line[], point: Point | undefined) {
  const line = lines.find(({ id }) => id === point?.agent);
  const close = line?.closes[point?.index ?? -1];
  if (!line || !close) return <span class="keys">{marketTexts.trending.keys}</span>;
  return (
    <>
      <bdi>{line.name}</bdi>, {describe(close)}
    </>
  );
}

/** Describes a small chart in words: the prices of the first and the last day, and the lowest and the highest price. */
function summaryOf(closes: readonly Close[]): string {
  const sorted = closes.map(({ wei }) => wei).toSorted((a, b) => (a < b ? -1 : 1));
  const [from = '', to = '', low = '', high = ''] = [closes[0]?.wei, closes.at(-1)?.wei, sorted[0], sorted.at(-1)].map((wei) =>
    etherText(wei ?? 0n),
  );
  return marketTexts.trending.lineSummary(closes.length, { from, to, low, high });
}

type LineProps = {
  readonly line: Line;
  readonly point: Point | undefined;
  readonly choose: (point: Point | undefined) => void;
};

function PriceLine({ line: { id, name, closes }, point, choose }: LineProps) {
  return (
    <Spark
      label={marketTexts.trending.line(name)}
      summary={summaryOf(closes)}
      values={closes.map(({ wei }) => Number(wei))}
      slots={DAYS}
      chosen={point?.agent === id ? point.index : undefined}
      choose={(index) => choose(index === undefined ? undefined : { agent: id, index })}
      describe={(index) => (closes[index] ? describe(closes[index]) : texts.chart.empty)}
    />
  );
}

type RowProps = Omit<LineProps, 'line'> & {
  readonly rank: number;
  readonly trend: Trend;
  readonly line: Line | undefined;
};

function TrendRow({ rank, trend, line, point, choose }: RowProps) {
  const { agent, priceChange24h, volume24hWei, txCount, uniqueTraders, trendScore } = trend;
  if (!agent) return null;
  return (
    <tr>
      <td class={COLUMNS[0]}>{rank}</td>
      <th scope="row">
        <AgentLink agent={agent} address={agent.id} size={28} />
      </th>
      <td class={COLUMNS[2]}>
        <Amount wei={agent.ticketPrice} usd="below" />
      </td>
      <td class={COLUMNS[3]}>
        <Change percent={priceChange24h} />
        <p class="narrow small muted">
          {marketTexts.trending.score} {trendScore}
        </p>
      </td>
      <td class={COLUMNS[4]}>{line && line.closes.length > 0 && <PriceLine line={line} point={point} choose={choose} />}</td>
      <td class={COLUMNS[5]}>
        <Amount wei={volume24hWei} usd="below" />
      </td>
      <td class={COLUMNS[6]}>{txCount}</td>
      <td class={COLUMNS[7]}>{uniqueTraders}</td>
      <td class={COLUMNS[8]}>
        <span class="score" data-tip={marketTexts.trending.scoreLong} data-tip-end="" tabIndex={-1}>
          <meter min={0} max={100} value={trendScore} aria-hidden="true" />
          {trendScore}
        </span>
      </td>
    </tr>
  );
}
