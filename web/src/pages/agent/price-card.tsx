import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import { useApp } from '../../app-context.js';
import { etherText } from '../../format/ether.js';
import { change } from '../../format/number.js';
import { exactTime } from '../../format/time.js';
import { texts } from '../../texts.js';
import { Card } from '../../ui/card.js';
import type { CandleChart } from '../../ui/chart/candle-chart.js';
import { type Bar, barsOf, type Range, ranges, type SentCandle } from '../../ui/chart/candle-series.js';
import { ChartFrame } from '../../ui/chart/chart-frame.js';
import { useCandles } from '../../ui/chart/use-candles.js';
import { Choices } from '../../ui/control/choices.js';
import { useChoice } from '../../ui/control/use-choice.js';
import { Amount } from '../../ui/figure/amount.js';
import { ListTable } from '../../ui/list-table.js';
import { ProblemView } from '../../ui/problem-view.js';
import { useScript } from '../../ui/use-script.js';

const FIRST: Range = '7d';

type Props = {
  readonly agentId: string;
  /** The candles of the page's query, for the range that is shown first. */
  readonly first: readonly SentCandle[] | undefined;
  /** Price of one ticket now. */
  readonly price: string | undefined;
};

/** Price and volume over time. */
export function PriceCard({ agentId, first, price }: Props) {
  const [range, setRange] = useChoice<Range>('range', ranges, FIRST);
  const { candles: sent, problem, reload } = useCandles(agentId, range, { given: FIRST, first, price });
  const bars = useMemo(
    () => (sent && price !== undefined ? barsOf(sent, range, Date.now(), BigInt(price)) : undefined),
    [sent, range, price],
  );
  const [chosen, choose] = useState<number | undefined>(undefined);
  const words = texts.agent.chart;
  return (
    <Card
      title={words.title}
      actions={<Choices label={words.range} options={words.ranges} chosen={range} choose={setRange} />}
    >
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
          describe={(index) => (bars?.[index] ? describe(bars[index]) : '')}
          table={<CandleTable bars={bars ?? []} />}
          class="candles"
        >
          <Canvas bars={bars} chosen={chosen} point={choose} />
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
  readonly chosen: number | undefined;
  readonly point: (index: number | undefined) => void;
};

/** The drawing. Its script is loaded when the chart is shown for the first time. */
function Canvas({ bars, chosen, point }: CanvasProps) {
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
  useEffect(() => chart?.paint(), [chart, isDark]);
  useEffect(() => {
    chart?.mark(chosen === undefined ? undefined : bars?.[chosen]);
  }, [chart, chosen]);
  return <div class="canvas" ref={container} aria-hidden="true" />;
}

const percentBetween = (from: bigint, to: bigint): number =>
  from === 0n ? 0 : Number(((to - from) * 1_000_000n) / from) / 10_000;

function summaryOf(bars: readonly Bar[]): string {
  const [first, last] = [bars[0], bars.at(-1)];
  if (!first || !last) return texts.chart.empty;
  const high = bars.reduce((most, bar) => (bar.high > most ? bar.high : most), 0n);
  const low = bars.reduce((least, bar) => (bar.low < least ? bar.low : least), high);
  const moved = change(percentBetween(first.open, last.close));
  return texts.agent.chart.summary(etherText(last.close), moved, etherText(low), etherText(high));
}

const describe = ({ at, open, high, low, close, volume }: Bar): string =>
  texts.agent.chart.bar(exactTime(at), {
    open: etherText(open),
    high: etherText(high),
    low: etherText(low),
    close: etherText(close),
    volume: etherText(volume),
  });

function CandleTable({ bars }: { readonly bars: readonly Bar[] }) {
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
            <th scope="row">{exactTime(bar.at)}</th>
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
