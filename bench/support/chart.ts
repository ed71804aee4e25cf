import { progress, reached, shown, shownTarget } from './figures.js';
import type { Line } from './result.js';

const WIDTH = 900;
const BAR_FROM = 390;
const ROW = 30;
const TOP = 56;
/** Position of the target in pixels. Bars above twice the target are cut off. */
const TARGET_AT = BAR_FROM + 200;
const LONGEST = 400;

/**
 * Bar chart with one bar per line. All targets are at the same position, so a bar that passes it has reached its target.
 * The image has its own light and dark colours, because an image in a README does not inherit those of the page.
 */
export function chart(lines: readonly Line[]): string {
  const height = TOP + lines.length * ROW + 16;
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${height}" width="${WIDTH}" height="${height}" role="img" aria-label="What was measured, against its targets">
<style>
text { font: 13px system-ui, sans-serif; fill: #1f2328 }
.dim { fill: #656d76 }
.reached { fill: #2f81f7 }
.missed { fill: #d1762b }
.mark { stroke: #1f2328; stroke-width: 2 }
.back { fill: #ffffff }
@media (prefers-color-scheme: dark) {
text { fill: #e6edf3 }
.dim { fill: #9198a1 }
.mark { stroke: #e6edf3 }
.back { fill: #0d1117 }
}
</style>
<rect class="back" width="${WIDTH}" height="${height}" rx="8"/>
<text x="16" y="26" font-weight="600">Measured against the targets</text>
<text class="dim" x="${TARGET_AT}" y="26" text-anchor="middle">target</text>
<line class="mark" x1="${TARGET_AT}" y1="34" x2="${TARGET_AT}" y2="${height - 12}" stroke-dasharray="3 3"/>
${lines.map((line, i) => barOf(line, TOP + i * ROW)).join('\n')}
</svg>
`;
}

function barOf(line: Line, y: number): string {
  const length = Math.max(2, Math.min(LONGEST, 200 * progress(line.value, line.target)));
  const kind = reached(line.value, line.target) ? 'reached' : 'missed';
  const figure = `${shown(line.value, line.target.unit)} (${shownTarget(line.target)})`;
  // The label of a short bar is to the right of it, the label of a long bar on it.
  const inside = length > 250;
  const x = inside ? BAR_FROM + length - 8 : Math.max(BAR_FROM + length, TARGET_AT) + 8;
  return `<text x="16" y="${y + 11}" style="font-size: 12px">${escaped(shortened(line.work.replaceAll('`', ''), 56))}</text>
<text class="dim" x="16" y="${y + 23}" style="font-size: 10px">${escaped(line.against)}</text>
<rect class="${kind}" x="${BAR_FROM}" y="${y}" width="${length.toFixed(1)}" height="18" rx="3"/>
<text x="${x.toFixed(1)}" y="${y + 13}"${inside ? ' text-anchor="end" style="fill: #ffffff"' : ''}>${escaped(figure)}</text>`;
}

const shortened = (text: string, most: number): string => (text.length > most ? `${text.slice(0, most - 1)}…` : text);
const escaped = (text: string): string => text.replace(/[&<>"]/g, (character) => `&#${character.charCodeAt(0)};`);
