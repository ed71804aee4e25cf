/**
 * Maximum time of a test, so that a run always ends. It is the only time limit in the tests of `npm test` and `.ci/run`: of mocha,
 * of `eventually` and `until`, of spawned processes and of the browser. No slow machine reaches it, so it says nothing about speed.
 */
export const HANG_MS = 600_000;
