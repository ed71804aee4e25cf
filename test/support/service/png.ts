import { inflateSync } from 'node:zlib';

/** Size, palette and pixels of a PNG with a palette, as any reader sees them. */
export function readPng(bytes: Buffer): { width: number; height: number; colorAt(x: number, y: number): string } {
  if (bytes.toString('latin1', 0, 8) !== '\x89PNG\r\n\x1a\n') throw new Error('not a PNG');
  const chunks = new Map<string, Buffer>();
  for (let at = 8; at < bytes.length; ) {
    const length = bytes.readUInt32BE(at);
    chunks.set(bytes.toString('latin1', at + 4, at + 8), bytes.subarray(at + 8, at + 8 + length));
    at += length + 12;
  }
  const [header, palette, data] = ['IHDR', 'PLTE', 'IDAT'].map((name) => chunks.get(name) ?? Buffer.alloc(0));
  if (!header || !palette || !data || header[8] !== 8 || header[9] !== 3) throw new Error('not a PNG with a palette');
  const [width, height] = [header.readUInt32BE(0), header.readUInt32BE(4)];
  const rows = inflateSync(data);
  if (rows.length !== height * (width + 1)) throw new Error('not all pixels');
  const colorAt = (x: number, y: number): string => {
    const index = rows[y * (width + 1) + 1 + x] as number;
    return `#${palette.toString('hex', index * 3, index * 3 + 3)}`;
  };
  return { width, height, colorAt };
}
