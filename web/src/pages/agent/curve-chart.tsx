import { useMemo, useState } from 'preact/hooks';
import { unitPrice } from '../../../../src/values/curve.js';
import { etherDigits, etherText, weiOfMark } from '../../format/ether.js';
import { count } from '../../format/number.js';
import { texts } from '../../texts.js';
import { ChartFrame } from '../../ui/chart/chart-frame.js';
import { ticksBetween } from '../../ui/chart/ticks.js';
import { Amount } from '../../ui/figure/amount.js';
import { ListTable } from '../../ui/list-table.js';
import { curvePoints, type Side } from './curve.js';

const WIDTH = 520;
const HEIGHT = 260;
const LEFT = 52;
const BOTTOM = 26;
const TOP = 14;
const RIGHT = 12;

type Props = {
  readonly supply: number | undefined;
  readonly side: Side;
  /** Number of tickets of the chosen trade. The area under their part of the curve is filled. */
  readonly tickets: number;
};

const priceAt = (supply: number): bigint => unitPrice(BigInt(supply));

/** The bonding curve: the price of one ticket by supply, a mark at the present supply, and the area of the chosen trade. */
export function CurveChart({ supply = 0, side, tickets }: Props) {
  // The axis ends beyond the 20 tickets that one purchase can add, so that every purchase fits into the chart.
  const last = Math.max(24, Math.ceil((supply + 20) * 1.25));
  const points = useMemo(() => curvePoints(last), [last]);
  const [chosen, choose] = useState<number | undefined>(undefined);
  const words = texts.agent.curve;
  const place = placement(last);
  const here = place(supply);
  const [from, to] = side === 'buy' ? [supply, supply + tickets] : [supply - tickets, supply];
  const pointed = chosen === undefined ? undefined : points[chosen];
  const line = points.map(({ supply: at }) => pair(place(at))).join(' ');
  return (
    <ChartFrame
      label={words.title}
      summary={words.summary(count(supply), etherText(priceAt(supply)))}
      length={points.length}
      chosen={chosen}
      choose={choose}
      describe={(index) => words.point(count(points[index]?.supply ?? 0), etherText(points[index]?.price ?? 0n))}
      table={<CurveTable last={last} />}
      class="bonding"
    >
      <svg viewBox={`0 0 ${WIDTH} ${HEIGHT}`} aria-hidden="true" focusable="false">
        <Axes last={last} place={place} />
        {tickets > 0 && <polygon class={`ask ${side}`} points={areaOf(from, to, place)} />}
        <polyline class="line" points={line} />
        <line class="drop" x1={here.x} y1={here.y} x2={here.x} y2={HEIGHT - BOTTOM} />
        <circle class="here" cx={here.x} cy={here.y} r="5.5" />
        {/* The text ends at the mark. If the mark is too near to the left edge for that, the text begins at it. */}
        <text class="here-text" x={Math.max(LEFT + 4, here.x - 10)} y={here.y - 12} text-anchor={here.x > 170 ? 'end' : 'start'}>
          {words.here}
        </text>
        {pointed && <circle class="pointed" cx={place(pointed.supply).x} cy={place(pointed.supply).y} r="4" />}
      </svg>
    </ChartFrame>
  );
}

type Place = (supply: number) => { readonly x: number; readonly y: number };

function placement(last: number): Place {
  const top = Number(priceAt(last));
  return (supply) => ({
    x: LEFT + (supply / last) * (WIDTH - LEFT - RIGHT),
    y: HEIGHT - BOTTOM - (Number(priceAt(Math.max(0, supply))) / top) * (HEIGHT - BOTTOM - TOP),
  });
}

const pair = ({ x, y }: { readonly x: number; readonly y: number }): string => `${x.toFixed(1)},${y.toFixed(1)}`;

/** The area under the curve between two supplies, as points of an SVG polygon. It shows what the tickets between them cost. */
function areaOf(from: number, to: number, place: Place): string {
  const steps = Array.from({ length: to - from + 1 }, (_, i) => pair(place(from + i)));
  const base = HEIGHT - BOTTOM;
  return [`${place(from).x.toFixed(1)},${base}`, ...steps, `${place(to).x.toFixed(1)},${base}`].join(' ');
}

function Axes({ last, place }: { readonly last: number; readonly place: Place }) {
  const top = Number(priceAt(last)) / 1e18;
  const base = HEIGHT - BOTTOM;
  return (
    <g class="axes">
      {ticksBetween(0, top)
        .slice(1)
        .map((price) => {
          const y = base - (price / top) * (base - TOP);
          return (
            <g key={price}>
              <line x1={LEFT} x2={WIDTH - RIGHT} y1={y} y2={y} />
              <text x={LEFT - 6} y={y + 4} text-anchor="end">
                {etherDigits(weiOfMark(price))}
              </text>
            </g>
          );
        })}
      <line class="base" x1={LEFT} x2={WIDTH - RIGHT} y1={base} y2={base} />
      {ticksBetween(0, last).map((supply) => (
        <text key={supply} x={place(supply).x} y={HEIGHT - 8} text-anchor="middle">
          {count(supply)}
        </text>
      ))}
    </g>
  );
}

function CurveTable({ last }: { readonly last: number }) {
  const [supply, price] = texts.agent.curve.tableColumns;
  return (
    <ListTable class="compact">
      <thead>
        <tr>
          <th scope="col" class="num">
            {supply}
          </th>
          <th scope="col" class="num">
            {price}
          </th>
        </tr>
      </thead>
      <tbody>
        {curvePoints(last).map((point) => (
          <tr key={point.supply}>
            <th scope="row" class="num">
              {count(point.supply)}
            </th>
            <td class="num">
              <Amount wei={point.price} usd="none" />
            </td>
          </tr>
        ))}
      </tbody>
    </ListTable>
  );
}
