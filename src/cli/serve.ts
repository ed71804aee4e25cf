import { type Logger, pino } from 'pino';
import { type Config, readConfig } from '../config.js';
import { logFields } from '../outage.js';
import { type Service, startService } from '../service.js';
import { type Times, timesOf, within } from '../times.js';
import { printErrors } from './fail.js';
import type { Program, Streams } from './program.js';

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

/** A task that runs while the service is ready, and ends before the service stops. */
export type Companion = { stop(): Promise<void> };

/** Runs the service until `interrupt` aborts or a required part fails. Then stops it. Returns the exit code. */
export async function serve(
  config: Config,
  log: Logger,
  { stdout }: Streams,
  interrupt: AbortSignal,
  whenReady: (service: Service) => Companion | undefined = () => undefined,
): Promise<number> {
  const stopped = new Promise<string>((resolve) => {
    interrupt.addEventListener('abort', () => resolve(interrupt.reason));
  });
  const service = await startService(config, log, interrupt).catch((error: unknown) => {
    if (interrupt.aborted) return undefined;
    throw error;
  });
  if (service === undefined) return 0;
  const embedded = service.embedded.length === 0 ? 'nothing embedded' : `embedded: ${service.embedded.join(', ')}`;
  stdout.write(`Curvet is ready at ${service.url} (${embedded})\n`);
  const companion = whenReady(service);

  const reason = await Promise.race([stopped, service.failed]);
  const { aborted } = interrupt;
  log[aborted ? 'info' : 'fatal']({ reason }, 'stopping');
  const stopping = (async () => {
    await companion?.stop();
    await service.stop();
    return aborted ? 0 : 1;
  })();
  const { times } = service.deps;
  return aborted ? stopping : ((await within(times, times.stop, stopping)) ?? 1);
}

/**
 * The exit code of a program that stops when `interrupt` aborts. If a part hangs, it is 1, before the supervisor kills the
 * process. The next start ends an orphaned chain.
 */
export function stopInTime(program: Promise<number>, interrupt: AbortSignal, times: Times): Promise<number> {
  const late = new Promise<number>((resolve) => {
    interrupt.addEventListener('abort', () => times.after(times.stop, () => resolve(1)));
  });
  return Promise.race([program, late]);
}

/** The service, which stops when `interrupt` aborts. */
export const serviceUntil =
  (interrupt: AbortSignal): Program =>
  (_args, env, streams) =>
    printErrors(streams.stderr, async () => {
      const config = readConfig(env);
      return stopInTime(serve(config, logOf(config), streams, interrupt), interrupt, timesOf(config));
    });
