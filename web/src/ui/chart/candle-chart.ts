// The only file that imports the library lightweight-charts. `price-card.tsx` loads it when a chart is shown, so that other pages
// do not load the library.
import {
  type AutoscaleInfo,
  CandlestickSeries,
  ColorType,
  createChart,
  createSeriesMarkers,
  HistogramSeries,
  type SeriesMarker,
  type UTCTimestamp,
} from 'lightweight-charts';
import { etherDigits, weiOfMark } from '../../format/ether.js';
import type { Bar, Mark } from './candle-series.js';

export type CandleChart = {
  show(bars: readonly Bar[]): void;
  /** Shows arrows at the bars during which the connected wallet traded. */
  showMarks(marks: readonly Mark[]): void;
  /** Draws the chart in the colours of the present theme. To be called after the theme has changed. */
  paint(): void;
  /** Shows the crosshair on a bar, as if the pointer were on it. undefined hides the crosshair. */
  mark(bar: Bar | undefined): void;
  close(): void;
};

const ether = (wei: bigint): number => Number(wei) / 1e18;
/**
 * The time of a bar for the chart, in seconds. It is shifted by the time zone, because the axis shows UTC and readers
 * expect their local time.
 */
const timeOf = (at: number): UTCTimestamp => (at / 1000 - new Date(at).getTimezoneOffset() * 60) as UTCTimestamp;

/** Draws candles with their volume. Calls `pointed` with the index of the bar that the pointer is on, or undefined. */
export function drawCandles(container: HTMLElement, pointed: (index: number | undefined) => void): CandleChart {
  const { chart, candles, volume } = create(container);
  const arrows = createSeriesMarkers(candles, []);
  let shown: readonly Bar[] = [];
  let marks: readonly Mark[] = [];
  let colours = themeOf(container);
  const drawVolume = () =>
    volume.setData(
      shown.map(({ at, open, close, volume: wei }) => ({
        time: timeOf(at),
        value: ether(wei),
        color: close < open ? colours.downSoft : colours.upSoft,
      })),
    );
  const drawMarks = () => arrows.setMarkers(marks.flatMap((mark) => arrowsOf(mark, colours)));
  const paint = () => {
    colours = themeOf(container);
    const { surface, muted, line, up, down } = colours;
    chart.applyOptions({
      layout: {
        background: { type: ColorType.Solid, color: surface },
        textColor: muted,
        fontFamily: getComputedStyle(document.body).fontFamily,
        panes: { separatorColor: line },
      },
      grid: { vertLines: { color: line }, horzLines: { color: line } },
      crosshair: { vertLine: { labelBackgroundColor: muted }, horzLine: { labelBackgroundColor: muted } },
    });
    candles.applyOptions({ upColor: up, wickUpColor: up, downColor: down, wickDownColor: down });
    drawVolume();
    drawMarks();
  };
  chart.subscribeCrosshairMove(({ time, sourceEvent }) => {
    // A crosshair that `mark` sets has no source event. It is not reported, because only the pointer chooses a bar here.
    if (sourceEvent === undefined && time !== undefined) return;
    const index = time === undefined ? -1 : shown.findIndex(({ at }) => timeOf(at) === time);
    pointed(index < 0 ? undefined : index);
  });
  paint();
  return {
    paint,
    show(bars) {
      shown = bars;
      candles.setData(bars.map(candleOf));
      drawVolume();
      chart.timeScale().fitContent();
    },
    showMarks(next) {
      marks = next;
      drawMarks();
    },
    mark(bar) {
      if (bar) chart.setCrosshairPosition(ether(bar.close), timeOf(bar.at), candles);
      else chart.clearCrosshairPosition();
    },
    close: () => chart.remove(),
  };
}

type Colours = ReturnType<typeof themeOf>;

/** An arrow below the bar for a purchase, and one above it for a sale. */
const arrowsOf = ({ bar, bought, sold }: Mark, { up, down }: Colours): SeriesMarker<UTCTimestamp>[] => [
  ...(bought > 0 ? [{ time: timeOf(bar.at), position: 'belowBar', shape: 'arrowUp', color: up } as const] : []),
  ...(sold > 0 ? [{ time: timeOf(bar.at), position: 'aboveBar', shape: 'arrowDown', color: down } as const] : []),
];

const candleOf = ({ at, open, high, low, close }: Bar) => ({
  time: timeOf(at),
  open: ether(open),
  high: ether(high),
  low: ether(low),
  close: ether(close),
});

const VOLUME_PANE = 1;
/** Shares of the height of the chart: for the pane of the prices, and for the pane of the volume. */
const SHARES = [0.8, 0.2];
/** Free space below the lowest price, as a part of the range of prices. */
const MARGIN = 0.06;

/** The range of the price axis: it starts a little below the lowest price, but never below zero. */
function aboveZero(info: AutoscaleInfo | null): AutoscaleInfo | null {
  if (!info?.priceRange) return info;
  const { minValue, maxValue } = info.priceRange;
  // If all prices are equal, the axis shows the price in its middle.
  const margin = (maxValue - minValue) * MARGIN || minValue / 2;
  const top = minValue === maxValue ? maxValue + margin : maxValue;
  return { ...info, priceRange: { minValue: Math.max(0, minValue - margin), maxValue: top } };
}

/** The text of a mark on the price axis. The axis may have room for marks below zero, which get no text. */
const priceText = (price: number): string => (price < 0 ? '' : etherDigits(weiOfMark(price)));

function create(container: HTMLElement) {
  const chart = createChart(container, {
    autoSize: true,
    // The logo brings inline styles, which the content security policy forbids. Instead, the page names the library beside the
    // chart.
    layout: { attributionLogo: false, fontSize: 11, panes: { enableResize: false } },
    rightPriceScale: { borderVisible: false, scaleMargins: { top: 0.08, bottom: 0 } },
    timeScale: {
      borderVisible: false,
      timeVisible: true,
      secondsVisible: false,
      fixLeftEdge: true,
      fixRightEdge: true,
    },
    handleScroll: { mouseWheel: false, vertTouchDrag: false },
    handleScale: { mouseWheel: false },
  });
  const candles = chart.addSeries(CandlestickSeries, {
    priceLineVisible: false,
    borderVisible: false,
    autoscaleInfoProvider: (read: () => AutoscaleInfo | null) => aboveZero(read()),
    // Prices start at 0.00002 ETH, so the axis needs a smaller step than the default.
    priceFormat: { type: 'custom', minMove: 0.000001, formatter: priceText },
  });
  // The volume has a pane of its own. In the pane of the prices, it would push their axis below zero.
  const volume = chart.addSeries(
    HistogramSeries,
    { priceScaleId: 'volume', lastValueVisible: false, priceLineVisible: false },
    VOLUME_PANE,
  );
  for (const [index, share] of SHARES.entries()) chart.panes()[index]?.setStretchFactor(share);
  return { chart, candles, volume };
}

function themeOf(element: HTMLElement) {
  const style = getComputedStyle(element);
  const colour = (name: string) => style.getPropertyValue(`--${name}`).trim();
  return {
    surface: colour('surface'),
    muted: colour('muted'),
    line: colour('line'),
    up: colour('up'),
    down: colour('down'),
    upSoft: colour('up-bar'),
    downSoft: colour('down-bar'),
  };
}
