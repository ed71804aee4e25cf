import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import { useApp } from '../../app-context.js';
import { etherText } from '../../format/ether.js';
import { change } from '../../format/number.js';
import { exactTime } from '../../format/time.js';
import { texts } from '../../texts.js';
import { Card } from '../../ui/card.js';
import type { CandleChart } from '../../ui/chart/candle-chart.js';
import { type Bar, barsOf, type Mark, marksOf, type Range, ranges, type SentCandle } from '../../ui/chart/candle-series.js';
import { ChartFrame } from '../../ui/chart/chart-frame.js';
import { useCandles } from '../../ui/chart/use-candles.js';
import { useOwnTrades } from '../../ui/chart/use-own-trades.js';
import { Choices } from '../../ui/control/choices.js';
import { useChoice } from '../../ui/control/use-choice.js';
import { Amount } from '../../ui/figure/amount.js';
import { ListTable } from '../../ui/list-table.js';
import { ProblemView } from '../../ui/problem-view.js';
import { useScript } from '../../ui/use-script.js';

/** The range that the page shows first. `agentQuery` reads its candles, so their interval and number must match `ranges`. */
const FIRST: Range = '7d';

type Props = {
  readonly agentId: string;
  /** The candles that came with the page's query, for the range `FIRST`. */
  readonly first: readonly SentCandle[] | undefined;
  /** Price of one ticket now. */
  readonly price: string | undefined;
};

/** The card with the price of a ticket and the traded volume over time, as a chart of candles. */
export function PriceCard({ agentId, first, price }: Props) {
  const [range, setRange] = useChoice<Range>('range', ranges, FIRST);
  const { candles: sent, problem, reload } = useCandles(agentId, range, { given: FIRST, first, price });
  const bars = useMemo(
    () => (sent && price !== undefined ? barsOf(sent, range, Date.now(), BigInt(price)) : undefined),
    [sent, range, price],
  );
  const trades = useOwnTrades(agentId, price);
  const marks = useMemo(() => marksOf(bars ?? [], range, trades), [bars, trades]);
  const [chosen, choose] = useState<number | undefined>(undefined);
  const words = texts.agent.chart;
  return (
    <Card title={words.title} actions={<Choices label={words.range} options={words.ranges} chosen={range} choose={setRange} />}>
      {!bars && problem ? (
        <div class="no-candles">
          <ProblemView problem={problem} retry={reload} />
        </div>
      ) : (
        <ChartFrame
          label={words.label(words.spoken[range])}
          summary={bars ? summaryOf(bars) : texts.common.loading}
          length={bars?.length ?? 0}
          chosen={chosen}
          choose={choose}
          describe={(index) => (bars?.[index] ? describe(bars[index], marks) : '')}
          table={<CandleTable bars={bars ?? []} marks={marks} />}
          class="candles"
        >
          {marks.length > 0 && (
            <p class="marks small">
              <span class="up">▲</span> {words.marks.bought} <span class="down">▼</span> {words.marks.sold}
            </p>
          )}
          <Canvas bars={bars} marks={marks} chosen={chosen} point={choose} />
        </ChartFrame>
      )}
      <p class="notice muted">
        {words.by} <a href="https://www.tradingview.com/">TradingView Lightweight Charts™</a>
      </p>
    </Card>
  );
}

type CanvasProps = {
  readonly bars: readonly Bar[] | undefined;
  readonly marks: readonly Mark[];
  readonly chosen: number | undefined;
  readonly point: (index: number | undefined) => void;
};

/** The drawing of the chart. Its script is loaded when a chart is shown for the first time. */
function Canvas({ bars, marks, chosen, point }: CanvasProps) {
  const { theme } = useApp();
  const container = useRef<HTMLDivElement>(null);
  const [chart, setChart] = useState<CandleChart | undefined>(undefined);
  const isDark = theme.isDark();
  const { loaded: script } = useScript(() => import('../../ui/chart/candle-chart.js'));
  useEffect(() => {
    if (!script || !container.current) return;
    const drawn = script.drawCandles(container.current, point);
    setChart(drawn);
    return () => drawn.close();
  }, [script]);
  useEffect(() => {
    chart?.show(bars ?? []);
  }, [chart, bars]);
  useEffect(() => chart?.showMarks(marks), [chart, marks]);
  useEffect(() => chart?.paint(), [chart, isDark]);
  useEffect(() => {
    chart?.mark(chosen === undefined ? undefined : bars?.[chosen]);
  }, [chart, chosen]);
  return <div class="canvas" ref={container} aria-hidden="true" />;
}

const percentBetween = (from: bigint, to: bigint): number => (from === 0n ? 0 : Number(((to - from) * 1_000_000n) / from) / 10_000);

function summaryOf(bars: readonly Bar[]): string {
  const [first, last] = [bars[0], bars.at(-1)];
  if (!first || !last) return texts.chart.empty;
  const high = bars.reduce((most, bar) => (bar.high > most ? bar.high : most), 0n);
  const low = bars.reduce((least, bar) => (bar.low < least ? bar.low : least), high);
  const moved = change(percentBetween(first.open, last.close));
  return texts.agent.chart.summary(etherText(last.close), moved, etherText(low), etherText(high));
}

function describe(bar: Bar, marks: readonly Mark[]): string {
  const text = texts.agent.chart.bar(exactTime(bar.at), {
    open: etherText(bar.open),
    high: etherText(bar.high),
    low: etherText(bar.low),
    close: etherText(bar.close),
    volume: etherText(bar.volume),
  });
  return [text, ownOf(bar, marks)].filter(Boolean).join('. ');
}

/** Says what the connected wallet bought and sold during a bar. Empty if it did not trade then. */
function ownOf(bar: Bar, marks: readonly Mark[]): string {
  const mark = marks.find((one) => one.bar === bar);
  return mark ? texts.agent.chart.own(mark.bought, mark.sold) : '';
}

function CandleTable({ bars, marks }: { readonly bars: readonly Bar[]; readonly marks: readonly Mark[] }) {
  const words = texts.agent.chart;
  return (
    <ListTable class="compact">
      <thead>
        <tr>
          {words.columns.map((head, i) => (
            <th key={head} scope="col" class={i > 0 ? 'num' : undefined}>
              {head}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {bars.toReversed().map((bar) => (
          <tr key={bar.at}>
            <th scope="row">
              {exactTime(bar.at)} <span class="muted small">{ownOf(bar, marks)}</span>
            </th>
            {[bar.open, bar.high, bar.low, bar.close, bar.volume].map((wei, i) => (
              <td key={words.columns[i + 1]} class="num">
                <Amount wei={wei} usd="none" />
              </td>
            ))}
          </tr>
        ))}
      </tbody>
    </ListTable>
  );
}
