import { type Logger, pino } from 'pino';
import type { Config } from '../config.js';
import { type Service, startService } from '../service.js';
import { fail } from './fail.js';

/** A stop takes no longer than this. */
const DEADLINE_MS = 9500;

export function logOf({ LOG_LEVEL }: Pick<Config, 'LOG_LEVEL'>): Logger {
  return pino(
    {
      level: LOG_LEVEL,
      // Not one of the keys of a request is ever logged; this is for a mistake in a later line.
      redact: ['apiKey', 'headers', '*.apiKey', '*.headers'],
      // `time` is how long a request took.
      timestamp: () => `,"at":"${new Date().toISOString()}"`,
    },
    // No request waits for its line to be written; an exit writes what is left.
    pino.destination({ dest: 1, sync: false }),
  );
}

/** Aborted, with the signal's name as its reason, when the process is asked to stop. */
export function interruption(): AbortSignal {
  const interrupt = new AbortController();
  for (const signal of ['SIGTERM', 'SIGINT'] as const) {
    process.on(signal, () => {
      interrupt.abort(signal);
      // However it hangs: in time for the supervisor that asked. A chain left behind is ended by the next start.
      setTimeout(() => process.exit(1), DEADLINE_MS).unref();
    });
  }
  return interrupt.signal;
}

/** What runs beside the service, from when it is ready until it is to stop. */
export type Companion = { stop(): Promise<void> };

/** Runs the service until it is asked to stop, or a part that it needs has ended; then the process ends. */
export async function serve(
  config: Config,
  log: Logger,
  interrupt: AbortSignal,
  whenReady: (service: Service) => Companion | undefined = () => undefined,
): Promise<never> {
  const stopped = new Promise<string>((resolve) => {
    interrupt.addEventListener('abort', () => resolve(interrupt.reason));
  });
  const service = await startService(config, log, interrupt).catch((error: unknown) =>
    interrupt.aborted ? process.exit(0) : fail(error),
  );
  const embedded = service.embedded.length === 0 ? 'nothing embedded' : `embedded: ${service.embedded.join(', ')}`;
  process.stdout.write(`Curvet is ready at ${service.url} (${embedded})\n`);
  const companion = whenReady(service);

  const reason = await Promise.race([stopped, service.failed]);
  const asked = reason === 'SIGTERM' || reason === 'SIGINT';
  log[asked ? 'info' : 'fatal']({ reason }, 'stopping');
  await companion?.stop();
  await service.stop();
  process.exit(asked ? 0 : 1);
}
