import { type Logger, pino } from 'pino';
import type { Config } from '../config.js';
import { logFields } from '../outage.js';
import { type Service, startService } from '../service.js';
import { timesOf } from '../times.js';
import { fail } from './fail.js';

export function logOf({ LOG_LEVEL }: Pick<Config, 'LOG_LEVEL'>): Logger {
  return pino(
    {
      level: LOG_LEVEL,
      mixin: logFields,
      // No log line contains API keys or headers. This is a safeguard against future mistakes.
      redact: ['apiKey', 'headers', '*.apiKey', '*.headers'],
      // The field is not named `time`, because the line of a request has its duration under that name.
      timestamp: () => `,"at":"${new Date().toISOString()}"`,
    },
    // Asynchronous, so that requests do not wait for the log. Buffered lines are written at exit.
    pino.destination({ dest: 1, sync: false }),
  );
}

/** A signal that aborts at SIGTERM or SIGINT, with the name of the signal as its reason. */
export function interruption(config: Config): AbortSignal {
  const interrupt = new AbortController();
  for (const signal of ['SIGTERM', 'SIGINT'] as const) {
    process.on(signal, () => {
      interrupt.abort(signal);
      // Exits before the supervisor kills the process, even if a part hangs. The next start ends an orphaned chain.
      exitAfterStop(config);
    });
  }
  return interrupt.signal;
}

function exitAfterStop(config: Config): void {
  const times = timesOf(config);
  times.after(times.stop, () => process.exit(1));
}

/** A task that runs while the service is ready, and ends before the service stops. */
export type Companion = { stop(): Promise<void> };

/** Runs the service until a signal arrives or a required part fails. Then stops it and exits. */
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
  const isRequested = reason === 'SIGTERM' || reason === 'SIGINT';
  log[isRequested ? 'info' : 'fatal']({ reason }, 'stopping');
  if (!isRequested) exitAfterStop(config);
  await companion?.stop();
  await service.stop();
  process.exit(isRequested ? 0 : 1);
}
