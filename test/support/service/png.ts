import { inflateSync } from 'node:zlib';

const BYTES_PER_PIXEL = 4;

/** Decodes a PNG with four bytes per pixel. Returns its size, and a function that reads the color of a pixel. */
export function readPng(bytes: Buffer): { width: number; height: number; colorAt(x: number, y: number): string } {
  if (bytes.toString('latin1', 0, 8) !== '\x89PNG\r\n\x1a\n') throw new Error('not a PNG');
  const chunks = new Map<string, Buffer>();
  for (let at = 8; at < bytes.length; ) {
    const length = bytes.readUInt32BE(at);
    const type = bytes.toString('latin1', at + 4, at + 8);
    const body = bytes.subarray(at + 8, at + 8 + length);
    chunks.set(type, Buffer.concat([chunks.get(type) ?? Buffer.alloc(0), body]));
    // The length, the type and the checksum of a chunk take 4 bytes each.
    at += length + 12;
  }
  const header = chunks.get('IHDR');
  // 8 bits per channel, color type 6 (RGBA), not interlaced.
  if (header?.[8] !== 8 || header[9] !== 6 || header[12] !== 0) throw new Error('not a PNG with RGBA pixels');
  const [width, height] = [header.readUInt32BE(0), header.readUInt32BE(4)];
  const size = width * BYTES_PER_PIXEL;
  const data = inflateSync(chunks.get('IDAT') ?? Buffer.alloc(0));
  if (data.length !== height * (size + 1)) throw new Error('not all pixels');
  const pixels = Buffer.alloc(height * size);
  for (let y = 0; y < height; y++) {
    const filter = data[y * (size + 1)] as number;
    for (let i = 0; i < size; i++) {
      const at = y * size + i;
      const left = i < BYTES_PER_PIXEL ? 0 : (pixels[at - BYTES_PER_PIXEL] as number);
      const up = y === 0 ? 0 : (pixels[at - size] as number);
      const upLeft = i < BYTES_PER_PIXEL || y === 0 ? 0 : (pixels[at - size - BYTES_PER_PIXEL] as number);
      // The filters of PNG by their number: none, left, up, average and Paeth. The sum is stored modulo 256.
      const predicted = [0, left, up, (left + up) >> 1, paeth(left, up, upLeft)][filter] as number;
      pixels[at] = (data[y * (size + 1) + 1 + i] as number) + predicted;
    }
  }
  const colorAt = (x: number, y: number): string => `#${pixels.toString('hex', y * size + x * 4, y * size + x * 4 + 3)}`;
  return { width, height, colorAt };
}

/** The Paeth predictor of the PNG format: the neighbour whose value is nearest to left + up - upLeft. */
function paeth(left: number, up: number, upLeft: number): number {
  const from = (value: number) => Math.abs(left + up - upLeft - value);
  if (from(left) <= from(up) && from(left) <= from(upLeft)) return left;
  return from(up) <= from(upLeft) ? up : upLeft;
}
