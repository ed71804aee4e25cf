/**
 * Guard against a test that never ends. It is the only limit of time in the tests: of mocha, of `eventually` and `until`, of
 * spawned processes and of the browser. It is so long that no slow machine reaches it, so it says nothing about speed.
 */
export const HANG_MS = 600_000;
