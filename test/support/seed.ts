import { createHash, randomInt } from 'node:crypto';
import fc from 'fast-check';

/** The seed of an ordinary run. Any number would do: it is fixed so that a run can be repeated. */
const FIXED = 20_261_121;

/** The seed of every random choice that decides what a test does. TEST_SEED sets another number. With `free`, it is random. */
export const seed = seedOf(process.env.TEST_SEED ?? String(FIXED));

function seedOf(text: string): number {
  if (text === 'free') return randomInt(2 ** 31);
  if (!/^\d{1,10}$/.test(text)) throw new Error('TEST_SEED takes a whole number or `free`');
  return Number(text);
}

// The processes of a parallel run inherit this variable, so they all use the same seed.
process.env.TEST_SEED = String(seed);
fc.configureGlobal({ seed });

export const SEED_LINE = `Seed of random choices: TEST_SEED=${seed}`;

let [file, drawn] = ['', 0];

/**
 * Restarts the drawing of values for a test file, so that they do not depend on the files before. An empty path forbids drawing.
 */
export function startDrawing(path: string): void {
  [file, drawn] = [path, 0];
}

/**
 * Bytes that follow from the seed, the test file and the number of its earlier draws, so no two files draw the same. Only hooks
 * and tests may draw, because the current file is unknown while files are loaded.
 */
export function drawBytes(size: number): Buffer {
  if (file === '') throw new Error('draw in a hook or a test, not while the file is loaded');
  drawn += 1;
  return createHash('shake256', { outputLength: size }).update(`${seed} ${file} ${drawn}`).digest();
}

/** Draws `size` bytes. Returns them as 0x and hexadecimal digits. */
export const drawHex = (size: number): string => `0x${drawBytes(size).toString('hex')}`;

/** Draws a UUID of version 4. */
export const drawUuid = (): string =>
  drawBytes(16)
    .toString('hex')
    .replace(/^(.{8})(.{4}).(.{3}).(.{3})(.{12})$/, '$1-$2-4$3-8$4-$5');

/** A deterministic stream of numbers from 0 (inclusive) to 1 (exclusive). */
export function seeded(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}
