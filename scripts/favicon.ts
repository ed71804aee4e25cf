import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';

import resvg = require('@resvg/resvg-wasm');

/** Widths of the pictures in the icon, in pixels. Browsers choose the one that fits. */
const SIZES = [16, 32, 48];
/** Lengths of the header of the file and of the entry of a picture, in bytes. */
const [HEADER, ENTRY] = [6, 16];

/** Creates an .ico file from a drawing, with one picture per size. Each picture is a PNG, which the format allows. */
export async function iconOf(svg: string): Promise<Buffer> {
  await resvg.initWasm(readFileSync(createRequire(import.meta.url).resolve('@resvg/resvg-wasm/index_bg.wasm')));
  const pictures = SIZES.map((value) => new resvg.Resvg(svg, { fitTo: { mode: 'width', value } }).render().asPng());
  const header = Buffer.alloc(HEADER + ENTRY * SIZES.length);
  // The header: type 1 for an icon, and the number of pictures.
  header.writeUInt16LE(1, 2);
  header.writeUInt16LE(SIZES.length, 4);
  let offset = header.length;
  for (const [i, { length }] of pictures.entries()) {
    const entry = HEADER + ENTRY * i;
    const size = SIZES[i] as number;
    // An entry: width, height, colour planes, bits per pixel, length and position of the picture.
    header.writeUInt8(size, entry);
    header.writeUInt8(size, entry + 1);
    header.writeUInt16LE(1, entry + 4);
    header.writeUInt16LE(32, entry + 6);
    header.writeUInt32LE(length, entry + 8);
    header.writeUInt32LE(offset, entry + 12);
    offset += length;
  }
  return Buffer.concat([header, ...pictures]);
}
