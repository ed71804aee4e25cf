type Props = { readonly address: string; readonly size?: number };

const CELLS = 5;

/** A picture made from an address: five by five cells, symmetric. Equal addresses have equal pictures. */
export function Identicon({ address, size = 32 }: Props) {
  const bytes = bytesOf(address);
  const [hue = 0, turn = 0] = bytes;
  const base = Math.round((hue / 255) * 360);
  const colour = `hsl(${base} 62% 46%)`;
  const second = `hsl(${(base + 40 + (turn % 4) * 50) % 360} 66% 58%)`;
  const cells: { readonly x: number; readonly y: number; readonly fill: string }[] = [];
  for (let y = 0; y < CELLS; y++) {
    for (let x = 0; x < 3; x++) {
      const byte = bytes[2 + y * 3 + x] ?? 0;
      if (byte % 5 < 2) continue;
      const fill = byte % 7 < 2 ? second : colour;
      cells.push({ x, y, fill });
      if (x < 2) cells.push({ x: CELLS - 1 - x, y, fill });
    }
  }
  return (
    <svg class="identicon" width={size} height={size} viewBox="-1 -1 7 7" aria-hidden="true" focusable="false">
      <rect class="plate" x="-1" y="-1" width="7" height="7" />
      {cells.map(({ x, y, fill }) => (
        <rect key={`${x} ${y}`} x={x} y={y} width="1.02" height="1.02" fill={fill} />
      ))}
    </svg>
  );
}

/** The bytes of an address. Other text is hashed into as many bytes. */
function bytesOf(address: string): number[] {
  const hex = /^0x([0-9a-f]{40})$/i.exec(address)?.[1];
  if (hex) return Array.from({ length: 20 }, (_, i) => Number.parseInt(hex.slice(2 * i, 2 * i + 2), 16));
  let seed = 7;
  return Array.from({ length: 20 }, (_, i) => {
    for (const character of address) seed = (seed * 31 + (character.codePointAt(0) ?? 0) + i) % 65_521;
    return seed % 256;
  });
}
