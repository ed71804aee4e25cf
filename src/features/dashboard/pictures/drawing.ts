import { type Html, joined, markup } from '../../../server/http/html.js';

/** Size of a picture in pixels, as sites that show link previews ask for it. */
export const WIDTH = 1200;
export const HEIGHT = 630;
/** Distance of the content from the edges, in pixels. */
export const MARGIN = 64;
/** Horizontal position at which the content ends. */
export const RIGHT = WIDTH - MARGIN;

/** Colours of the dark theme in web/src/styles/tokens.css, except `brand`, which is the accent of the light theme. */
export const COLORS = {
  ground: '#0b0e14',
  brand: '#3f51d6',
  surface: '#12161e',
  line: '#232a36',
  text: '#e6eaf1',
  muted: '#98a3b5',
  accent: '#5264e6',
  accentText: '#a3b1ff',
  accentSoft: '#1e2547',
  up: '#3fca8d',
  upSoft: '#10302a',
  down: '#ff7b84',
  downSoft: '#3a1c23',
} as const;

/** Font of all texts in pictures. It is installed with the service (see render-worker.ts). */
export const FONT = 'Manrope';

/** Characters that pictures do not show: all except printable ASCII and the signs `·`, `…` and `−`, which pictures use. */
const FOREIGN = /[^ -~·…−]/gu;

/**
 * Replaces characters that a picture cannot show by question marks: the font has no emoji and no scripts that run from right to
 * left, and XML forbids control characters. Names and agentIds are never affected, because the contract requires ASCII.
 */
const drawable = (text: string): string => text.replace(FOREIGN, '?');

/** Shortens a text to at most `max` characters. A shortened text ends with `…`. */
export const clipped = (text: string, max: number): string => (text.length > max ? `${text.slice(0, max - 1)}…` : text);

/** Font size of names. At this size, even the longest name with the widest letters fits into the picture. */
export const NAME_SIZE = 70;

/** Width of a digit as a share of the font size, rounded up. */
const DIGIT = 0.64;

/** The largest font size up to `size` in which an amount fits into the width. */
export const fitting = (amount: string, size: number, width: number): number =>
  Math.min(size, Math.floor(width / (DIGIT * amount.length)));

type TextStyle = {
  readonly x?: number;
  readonly y: number;
  readonly size: number;
  readonly color?: string;
  readonly bold?: boolean;
  readonly anchor?: 'start' | 'middle' | 'end';
};

/** One line of text. `y` is its baseline. */
export function line(content: string, { x = MARGIN, y, size, ...style }: TextStyle): Html {
  const { color = COLORS.text, bold = false, anchor = 'start' } = style;
  const weight = bold ? 700 : 500;
  return markup`<text x="${x}" y="${y}" font-size="${size}" font-weight="${weight}" fill="${color}"
 text-anchor="${anchor}">${drawable(content)}</text>`;
}

/** The curve of the logo in web/src/styles/icon.svg. It is 32 units wide. */
export const curve = (color: string): Html =>
  markup`<path d="M7 24C17 24 23 18 25 7" fill="none" stroke="${color}" stroke-width="3" stroke-linecap="round"/>
<circle cx="17.6" cy="20" r="3.4" fill="${color}"/>`;

/** Draws a whole picture: background, brand, kind and content. The SVG loads no other file. */
export const picture = (kind: string, content: readonly Html[]): string =>
  markup`<svg xmlns="http://www.w3.org/2000/svg" width="${WIDTH}" height="${HEIGHT}" font-family="${FONT}">
<rect width="${WIDTH}" height="${HEIGHT}" fill="${COLORS.ground}"/>
<rect width="${WIDTH}" height="8" fill="${COLORS.accent}"/>
<g transform="translate(${MARGIN} 52) scale(1.375)"><rect width="32" height="32" rx="8" fill="${COLORS.brand}"/>${curve('#fff')}</g>
${line('Curvet', { x: MARGIN + 60, y: 85, size: 32, bold: true })}
${line(kind, { x: RIGHT, y: 84, size: 28, color: COLORS.muted, anchor: 'end' })}
${joined(content)}
</svg>`.text;
