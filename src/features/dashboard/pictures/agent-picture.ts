import type { Deps } from '../../../deps.js';
import { AppError } from '../../../errors/errors.js';
import { type Html, markup } from '../../../server/http/html.js';
import { unitPrice } from '../../../values/curve.js';
import { formatEth, type Wei } from '../../../values/money.js';
import { HOUR_MS } from '../../../values/time.js';
import { findAgent } from '../../agents/lookup.js';
import { type AgentRow, agentByWallet } from '../../agents/queries.js';
import { NAME_LENGTH } from '../../agents/rules.js';
import { type CandleRow, candles } from '../../trading/prices/candles.js';
import { COLORS, clipped, fitting, line, MARGIN, NAME_SIZE, picture, RIGHT } from './drawing.js';

/** The picture of an agent as SVG. Throws AGENT_NOT_FOUND if there is no such agent. */
export async function agentPicture(deps: Deps, agentId: string): Promise<string> {
  const { wallet } = await findAgent(deps, agentId);
  const before = deps.clock.now();
  const [agent, groups] = await Promise.all([
    agentByWallet(deps, wallet),
    candles(deps, [wallet], { interval: '4h', before, limit: SLOTS }),
  ]);
  if (agent === null) throw new AppError('AGENT_NOT_FOUND');
  return drawAgent(agent, pricesOf(groups.get(wallet) ?? [], before));
}

/**
 * The line in the picture covers seven days in intervals of four hours. With such long intervals, time alone moves the line only
 * every four hours. As long as line and figures stay the same, the rendered picture comes from the cache.
 */
const SLOT_MS = 4 * HOUR_MS;
const SLOTS = 42;

/**
 * Prices of the last seven days: the price before the first trade, then the price at the end of each interval. An interval without
 * a trade repeats the price before it. Empty if there was no trade in the seven days.
 */
export function pricesOf(rows: readonly Pick<CandleRow, 'time' | 'open' | 'close'>[], now: Date): Wei[] {
  const last = Math.floor(now.getTime() / SLOT_MS);
  const closes = new Map(rows.map(({ time, close }) => [last - Math.floor(time.getTime() / SLOT_MS), close]));
  const first = rows.find(({ time }) => last - Math.floor(time.getTime() / SLOT_MS) < SLOTS);
  if (first === undefined) return [];
  const prices = [first.open];
  for (let age = SLOTS - 1; age >= 0; age--) prices.push(closes.get(age) ?? (prices.at(-1) as Wei));
  return prices;
}

/** Prices on the bonding curve from 0 tickets to twice the current supply, so that the current price is in the middle. */
function curveOf(supply: number): Wei[] {
  const parts = Math.min(SLOTS, 2 * supply);
  return Array.from({ length: parts + 1 }, (_, i) => unitPrice(BigInt(Math.round((2 * supply * i) / parts))));
}

/** A number with its noun: `1 holder`, `2 holders`. */
export const counted = (count: number, noun: string): string => `${count.toLocaleString('en-US')} ${noun}${count === 1 ? '' : 's'}`;

/** A change in percent, with its sign. */
export function changeText(change: number): string {
  const size = Math.abs(change).toLocaleString('en-US', { minimumFractionDigits: 2, maximumFractionDigits: 2 });
  return `${change > 0 ? '+' : change < 0 ? '−' : ''}${size} %`;
}

const TINTS = {
  up: { color: COLORS.up, area: COLORS.upSoft },
  down: { color: COLORS.down, area: COLORS.downSoft },
  none: { color: COLORS.accentText, area: COLORS.surface },
} as const;

type Shown = Pick<AgentRow, 'name' | 'agentId' | 'supply' | 'holderCount' | 'priceChange24h'>;

/**
 * Draws the picture of an agent: name, price, change, holders and a line. `prices` are recent prices at equal distances in time.
 * The line shows them, or the bonding curve if they are empty because there was no trade.
 */
export function drawAgent({ name, agentId, supply, ...agent }: Shown, prices: readonly Wei[]): string {
  const change = agent.priceChange24h;
  const isLine = prices.length > 0;
  const changeColor = change > 0 ? COLORS.up : change < 0 ? COLORS.down : COLORS.muted;
  const trend = (prices.at(-1) ?? 0n) < (prices[0] ?? 0n) ? 'down' : isLine ? 'up' : 'none';
  const values = isLine ? prices : curveOf(supply);
  const price = `${formatEth(unitPrice(BigInt(supply)))} ETH`;
  const stats = `${counted(agent.holderCount, 'holder')} · ${counted(supply, 'ticket')}`;
  return picture('Agent', [
    line(clipped(name, NAME_LENGTH.max), { y: 198, size: NAME_SIZE, bold: true }),
    line(`${clipped(agentId, NAME_LENGTH.max)} · ${stats}`, { y: 252, size: 30, color: COLORS.muted }),
    line(price, { y: 348, size: fitting(price, 62, 680), bold: true }),
    line(changeText(change), { x: RIGHT - 74, y: 344, size: 40, color: changeColor, bold: true, anchor: 'end' }),
    line('24 h', { x: RIGHT, y: 344, size: 28, color: COLORS.muted, anchor: 'end' }),
    chart(values, {
      box: { x: MARGIN, y: 396, width: RIGHT - MARGIN, height: 120 },
      dot: isLine ? values.length - 1 : (values.length - 1) / 2,
      ...TINTS[trend],
    }),
    line(isLine ? 'Price, last 7 days' : 'Price by number of tickets', { y: 586, size: 24, color: COLORS.muted }),
  ]);
}

type Box = { readonly x: number; readonly y: number; readonly width: number; readonly height: number };
type Options = {
  readonly box: Box;
  readonly color: string;
  /** Color of the area below the line. */
  readonly area: string;
  /** Index of the value that a dot marks. */
  readonly dot: number;
};

/** Number of vertical positions in a chart. The distance between two of them is less than a pixel. */
const STEPS = 10_000n;

/**
 * Draws amounts as a line, at equal distances from the left edge of the box to the right edge. The lowest amount is at the bottom.
 */
function chart(values: readonly Wei[], { box, color, area, dot }: Options): Html {
  const lowest = values.reduce((a, b) => (b < a ? b : a));
  const highest = values.reduce((a, b) => (b > a ? b : a));
  // Wei amounts are too large to be exact as numbers, so this computes with bigint. Only the position is a number.
  const shareOf = (value: Wei): number =>
    highest === lowest ? 0.5 : Number(((value - lowest) * STEPS) / (highest - lowest)) / Number(STEPS);
  const places = values.map((value, i) => ({
    x: rounded(box.x + (i * box.width) / Math.max(1, values.length - 1)),
    y: rounded(box.y + box.height * (1 - shareOf(value))),
  }));
  const path = places.map(({ x, y }) => `${x} ${y}`).join('L');
  const bottom = box.y + box.height + 24;
  const { x, y } = places[dot] ?? box;
  return markup`<path d="M${box.x} ${bottom}L${path}L${box.x + box.width} ${bottom}Z" fill="${area}"/>
<path d="M${path}" fill="none" stroke="${color}" stroke-width="5" stroke-linejoin="round" stroke-linecap="round"/>
<path d="M${box.x} ${bottom}h${box.width}" stroke="${COLORS.line}" stroke-width="2"/>
<circle cx="${x}" cy="${y}" r="10" fill="${color}" stroke="${COLORS.ground}" stroke-width="4"/>`;
}

const rounded = (value: number): number => Math.round(value * 10) / 10;
