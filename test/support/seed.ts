import { randomInt } from 'node:crypto';
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
