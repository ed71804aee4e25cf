type Props = { readonly address: string; readonly size?: number };

/**
 * SVG paths of the shapes for a cell at the left edge, two units wide and high. The cell at the right edge has the mirror image.
 */
const EDGE = [
  'M0 0h2v2H0z',
  'M0 0a2 2 0 0 1 2 2H0z',
  'M2 2a2 2 0 0 1-2-2h2z',
  'M0 2a2 2 0 0 1 2-2v2z',
  'M2 0a2 2 0 0 1-2 2V0z',
  'M0 0l2 2H0z',
  'M2 0v2L0 0z',
  'M1 0a1 1 0 0 1 0 2a1 1 0 0 1 0-2z',
  'M0 0h1a1 1 0 0 1 0 2H0z',
];
/** SVG paths of the shapes for a cell in the middle. Each shape is its own mirror image, so that the picture is symmetric. */
const MIDDLE = [
  'M0 0h2v2H0z',
  'M1 0a1 1 0 0 1 0 2a1 1 0 0 1 0-2z',
  'M1 0l1 1l-1 1l-1-1z',
  'M1 0l1 2H0z',
  'M0 0h2L1 2z',
  'M0 2a1 1 0 0 1 2 0z',
  'M0 0a1 1 0 0 0 2 0z',
];
const ROWS = [0, 1, 2];

/**
 * A picture made from an address: three by three large shapes in two tones, symmetric. The same address always has the same
 * picture.
 */
export function Identicon({ address, size = 32 }: Props) {
  const bytes = bytesOf(address);
  // Byte 0 gives the main colour, byte 1 the second tone, and each of the next six the shape and the tone of a cell.
  const [hue = 0, turn = 0] = bytes;
  const base = Math.round((hue / 255) * 360);
  const tones = [`hsl(${base} 88% 68%)`, `hsl(${(base + 60 + (turn % 4) * 60) % 360} 90% 76%)`];
  const cell = (shapes: readonly string[], place: number) => {
    const byte = bytes[2 + place] ?? 0;
    return { d: shapes[byte % shapes.length], fill: tones[(byte >> 6) % 2] };
  };
  return (
    <svg class="identicon" width={size} height={size} viewBox="-1 -1 8 8" aria-hidden="true" focusable="false">
      <rect x="-1" y="-1" width="8" height="8" fill={`hsl(${base} 52% 30%)`} />
      {ROWS.map((row) => {
        const edge = cell(EDGE, row);
        return (
          <g key={row} transform={`translate(0 ${2 * row})`}>
            <path {...edge} />
            <path {...edge} transform="matrix(-1 0 0 1 6 0)" />
            <path {...cell(MIDDLE, 3 + row)} transform="translate(2 0)" />
          </g>
        );
      })}
    </svg>
  );
}

/** The 20 bytes of an address. Any other text is hashed into as many bytes. */
function bytesOf(address: string): number[] {
  const hex = /^0x([0-9a-f]{40})$/i.exec(address)?.[1];
  if (hex) return Array.from({ length: 20 }, (_, i) => Number.parseInt(hex.slice(2 * i, 2 * i + 2), 16));
  let seed = 7;
  return Array.from({ length: 20 }, (_, i) => {
    for (const character of address) seed = (seed * 31 + (character.codePointAt(0) ?? 0) + i) % 65_521;
    return seed % 256;
  });
}
