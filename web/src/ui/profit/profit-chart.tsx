import { useEffect, useRef, useState } from 'preact/hooks';
import { etherDigits, weiOfMark } from '../../format/ether.js';
import { dayText } from '../../format/time.js';
import { ticksBetween } from '../chart/ticks.js';
import type { ProfitPeriod } from './queries.js';

const HEIGHT = 240;
const LEFT = 64;
const RIGHT = 12;
const TOP = 12;
const BOTTOM = 24;
/** Smallest height of the axis in ETH, for a wallet whose profit has not changed. */
const LEAST = 1e-6;

type Props = {
  readonly periods: readonly ProfitPeriod[];
  readonly chosen: number | undefined;
  readonly choose: (index: number | undefined) => void;
};

const etherOf = ({ totalAtEndWei }: ProfitPeriod): number => Number(totalAtEndWei) / 1e18;

/** The profit since the first trade at the end of each period, as a line over an axis that includes 0. */
export function ProfitChart({ periods, chosen, choose }: Props) {
  const [width, setWidth] = useState(560);
  const svg = useRef<SVGSVGElement>(null);
  // The drawing has the size of its place, so that texts have the same size in narrow and in wide cards.
  useEffect(() => {
    const observer = new ResizeObserver(([place]) => place && setWidth(Math.max(240, Math.round(place.contentRect.width))));
    if (svg.current) observer.observe(svg.current);
    return () => observer.disconnect();
  }, []);
  const values = periods.map(etherOf);
  const low = Math.min(0, ...values);
  const high = Math.max(low + LEAST, ...values);
  const last = Math.max(1, periods.length - 1);
  const xOf = (index: number) => LEFT + ((periods.length === 1 ? 1 : index) / last) * (width - LEFT - RIGHT);
  const yOf = (ether: number) => HEIGHT - BOTTOM - ((ether - low) / (high - low)) * (HEIGHT - BOTTOM - TOP);
  const line = values.map((value, i) => `${xOf(i).toFixed(1)},${yOf(value).toFixed(1)}`);
  const zero = yOf(0).toFixed(1);
  const marked = chosen ?? values.length - 1;
  const point = ({ offsetX }: PointerEvent) => {
    const index = Math.round(((offsetX - LEFT) / (width - LEFT - RIGHT)) * last);
    if (periods.length > 0) choose(Math.min(periods.length - 1, Math.max(0, index)));
  };
  return (
    <svg
      ref={svg}
      height={HEIGHT}
      viewBox={`0 0 ${width} ${HEIGHT}`}
      aria-hidden="true"
      focusable="false"
      onPointerMove={point}
      onPointerLeave={() => choose(undefined)}
    >
      <g class="axes">
        {ticksBetween(low, high).map((ether) => (
          <g key={ether}>
            <line class={ether === 0 ? 'base' : undefined} x1={LEFT} x2={width - RIGHT} y1={yOf(ether)} y2={yOf(ether)} />
            <text x={LEFT - 6} y={yOf(ether) + 4} text-anchor="end">
              {etherDigits(weiOfMark(ether))}
            </text>
          </g>
        ))}
        {periods.length > 0 &&
          [...new Set([0, Math.floor(last / 2), periods.length - 1])].map((index) => (
            <text
              key={index}
              x={xOf(index)}
              y={HEIGHT - 6}
              text-anchor={index === periods.length - 1 ? 'end' : index === 0 ? 'start' : 'middle'}
            >
              {dayText(Date.parse(periods[index]?.start ?? ''))}
            </text>
          ))}
      </g>
      {line.length > 1 && <polygon class="area" points={[`${xOf(0)},${zero}`, ...line, `${xOf(last)},${zero}`].join(' ')} />}
      {line.length > 1 && <polyline class="line" points={line.join(' ')} />}
      {values[marked] !== undefined && <circle class="here" cx={xOf(marked)} cy={yOf(values[marked])} r="4.5" />}
    </svg>
  );
}
