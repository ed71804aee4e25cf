import type { Wei } from '../../money.js';
import { type Html, html as svg } from '../../server/http/html.js';
import { COLORS } from './drawing.js';

type Box = { readonly x: number; readonly y: number; readonly width: number; readonly height: number };
type Options = {
  readonly box: Box;
  readonly color: string;
  /** Color of the area below the line. */
  readonly area: string;
  /** Index of the value that a dot marks. */
  readonly dot: number;
};

/** Parts into which the height of a chart is divided: less than a pixel each. */
const STEPS = 10_000n;

/** A line of amounts at equal distances, from the left end of the box to the right. The lowest amount is at its bottom. */
export function chart(values: readonly Wei[], { box, color, area, dot }: Options): Html {
  const lowest = values.reduce((a, b) => (b < a ? b : a));
  const highest = values.reduce((a, b) => (b > a ? b : a));
  // The amounts are compared as integers. Only the place on the picture is a number.
  const shareOf = (value: Wei): number =>
    highest === lowest ? 0.5 : Number(((value - lowest) * STEPS) / (highest - lowest)) / Number(STEPS);
  const places = values.map((value, i) => ({
    x: rounded(box.x + (i * box.width) / Math.max(1, values.length - 1)),
    y: rounded(box.y + box.height * (1 - shareOf(value))),
  }));
  const path = places.map(({ x, y }) => `${x} ${y}`).join('L');
  const bottom = box.y + box.height + 24;
  const { x, y } = places[dot] ?? box;
  return svg`<path d="M${box.x} ${bottom}L${path}L${box.x + box.width} ${bottom}Z" fill="${area}"/>
<path d="M${path}" fill="none" stroke="${color}" stroke-width="5" stroke-linejoin="round" stroke-linecap="round"/>
<path d="M${box.x} ${bottom}h${box.width}" stroke="${COLORS.line}" stroke-width="2"/>
<circle cx="${x}" cy="${y}" r="10" fill="${color}" stroke="${COLORS.ground}" stroke-width="4"/>`;
}

const rounded = (value: number): number => Math.round(value * 10) / 10;
