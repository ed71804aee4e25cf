// The processes of parallel tests load this file first.

// A signal ends the worker processes if the run is interrupted. The handler must call exit, because the handlers of
// `exit` stop the programs that a worker started.
for (const signal of ['SIGTERM', 'SIGINT'] as const) process.once(signal, () => process.exit(1));

/** A rejection that nobody handles fails the test. Mocha's command line does this, its processes for parallel tests do not. */
export function failOnUnhandled(): void {
  if (!process.listeners('unhandledRejection').includes(rethrow)) process.on('unhandledRejection', rethrow);
}
function rethrow(reason: unknown): never {
  throw reason;
}

// Mocha removes all listeners after each file.
export const mochaHooks = { beforeAll: failOnUnhandled };
