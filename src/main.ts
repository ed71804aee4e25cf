import { pino } from 'pino';
import { fail } from './cli/fail.js';
import { type Config, readConfig } from './config.js';
import { startService } from './service.js';

/** A stop takes no longer than this. */
const DEADLINE_MS = 9500;

let config: Config;
try {
  config = readConfig(process.env);
} catch (error) {
  fail(error);
}

// Not one of the keys of a request is ever logged; this is for a mistake in a later line.
const log = pino({
  level: config.LOG_LEVEL,
  redact: ['apiKey', 'headers', '*.apiKey', '*.headers'],
  // `time` is how long a request took.
  timestamp: () => `,"at":"${new Date().toISOString()}"`,
});
const interrupt = new AbortController();
const stopped = new Promise<string>((resolve) => {
  interrupt.signal.addEventListener('abort', () => resolve(interrupt.signal.reason));
});
for (const signal of ['SIGTERM', 'SIGINT'] as const) {
  process.on(signal, () => {
    interrupt.abort(signal);
    // However it hangs: in time for the supervisor that asked. A chain left behind is ended by the next start.
    setTimeout(() => process.exit(1), DEADLINE_MS).unref();
  });
}

const service = await startService(config, log, interrupt.signal).catch((error: unknown) =>
  interrupt.signal.aborted ? process.exit(0) : fail(error),
);
const embedded = service.embedded.length === 0 ? 'nothing embedded' : `embedded: ${service.embedded.join(', ')}`;
process.stdout.write(`Curvet is ready at ${service.url} (${embedded})\n`);

const reason = await Promise.race([stopped, service.failed]);
const asked = reason === 'SIGTERM' || reason === 'SIGINT';
log[asked ? 'info' : 'fatal']({ reason }, 'stopping');
await service.stop();
process.exit(asked ? 0 : 1);
