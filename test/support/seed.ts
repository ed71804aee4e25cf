import { createHash, randomInt } from 'node:crypto';
import fc from 'fast-check';

const FIXED = 20_261_121;

/** The seed of every random choice that decides what a test does. TEST_SEED sets another; `free` draws one. */
export const seed = seedOf(process.env.TEST_SEED ?? String(FIXED));

function seedOf(text: string): number {
  if (text === 'free') return randomInt(2 ** 31);
  if (!/^\d{1,10}$/.test(text)) throw new Error('TEST_SEED takes a whole number or `free`');
  return Number(text);
}

// The processes of a parallel run take the seed of the run.
process.env.TEST_SEED = String(seed);
fc.configureGlobal({ seed });

export const SEED_LINE = `Seed of random choices: TEST_SEED=${seed}`;

let [file, drawn] = ['', 0];

/** Lets the values that are drawn from now on depend on this file, and not on the files before. Empty: none may be drawn. */
export function startDrawing(path: string): void {
  [file, drawn] = [path, 0];
}

/**
 * Bytes that follow from the seed, the test file and the number of its earlier draws. No two files draw the same, so only hooks and
 * tests may draw: a file that is being loaded is not known yet.
 */
export function drawBytes(size: number): Buffer {
  if (file === '') throw new Error('draw in a hook or a test, not while the file is loaded');
  drawn += 1;
  return createHash('shake256', { outputLength: size }).update(`${seed} ${file} ${drawn}`).digest();
}

/** `size` bytes as 0x and hexadecimal digits. */
export const drawHex = (size: number): string => `0x${drawBytes(size).toString('hex')}`;

/** A UUID of version 4. */
export const drawUuid = (): string =>
  drawBytes(16)
    .toString('hex')
    .replace(/^(.{8})(.{4}).(.{3}).(.{3})(.{12})$/, '$1-$2-4$3-8$4-$5');
