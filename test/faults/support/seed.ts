/** The seed of the run. `npm run test:faults -- --seed 7` repeats a run. */
export const seed = Number(process.env.FAULT_SEED ?? 1);
if (!Number.isSafeInteger(seed)) throw new Error('--seed takes an integer');
