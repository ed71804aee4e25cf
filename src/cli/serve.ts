import type { Logger } from 'pino';
import { COMMIT, type Config, readConfig, VERSION } from '../config/config.js';
import { type Times, timesOf } from '../config/timeouts.js';
import type { Service } from '../service/service.js';
import { within } from '../tasks.js';
import { printErrors } from './fail.js';
import { logOf } from './log.js';
import { answerAtOnce, type Program, type Streams } from './program.js';
import { warnOfSettings } from './warnings.js';

/** What a program needs to run the service until `interrupt` aborts. */
export type Run = {
  readonly config: Config;
  readonly log: Logger;
  readonly streams: Streams;
  readonly interrupt: AbortSignal;
};

/** A task that runs while the service is ready, and ends before the service stops. */
export type Companion = { stop(): Promise<void> };

/** Runs the service until `interrupt` aborts or a required part fails. Then stops it. Returns the exit code. */
export async function serve(
  { config, log, streams: { stdout }, interrupt }: Run,
  whenReady: (service: Service) => Companion | undefined = () => undefined,
): Promise<number> {
  // Imported only now, so that a wrong setting is refused without waiting for the import.
  const { startService } = await import('../service/service.js');
  const stopped = new Promise<string>((resolve) => {
    interrupt.addEventListener('abort', () => resolve(interrupt.reason));
  });
  // At a terminal, the info lines of the start are hidden: the first line says that the service is ready, or is a warning.
  if (stdout.isTTY && log.level === 'info') log.level = 'warn';
  const service = await startService(config, log, interrupt).catch((error: unknown) => {
    if (interrupt.aborted) return undefined;
    throw error;
  });
  if (service === undefined) return 0;
  sayReady(service, stdout);
  log.level = config.LOG_LEVEL;
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
  // After `interrupt`, `stopInTime` bounds the time of the stop. After a failure of a part, this line does.
  return aborted ? stopping : ((await within(times, times.stop, stopping)) ?? 1);
}

/** Says that the service is ready, whatever LOG_LEVEL is: as plain text at a terminal, otherwise as a line of the log. */
function sayReady({ url, embedded, migrations, deps }: Service, stdout: Streams['stdout']): void {
  const parts = embedded.length === 0 ? 'nothing embedded' : `embedded: ${embedded.join(', ')}`;
  const ready = `Curvet is ready at ${url} (${parts})`;
  if (stdout.isTTY) {
    stdout.write(`${ready}\n`);
    return;
  }
  const log = deps.log.child({}, { level: 'info' });
  log.info({ version: VERSION, commit: COMMIT, url, port: Number(new URL(url).port), embedded, migrations }, ready);
}

/**
 * Returns the exit code of a program that stops when `interrupt` aborts. If a part hangs during the stop, the code is 1 after
 * `times.stop`, before the supervisor kills the process. An embedded chain that then stays behind is ended by the next start.
 */
export function stopInTime(program: Promise<number>, interrupt: AbortSignal, times: Times): Promise<number> {
  const late = new Promise<number>((resolve) => {
    interrupt.addEventListener('abort', () => times.after(times.stop, () => resolve(1)));
  });
  return Promise.race([program, late]);
}

const USAGE = `usage: npm start                  run the service
       npm start -- --version     print the version and the commit
       npm start -- --help        print this
Settings are environment variables: .env.example lists them.
`;

/** Makes a program that stops when `interrupt` aborts, and accepts `options` as arguments. */
export const programUntil =
  (
    interrupt: AbortSignal,
    usage: string,
    options: readonly string[],
    configOf: (env: NodeJS.ProcessEnv) => Config,
    run: (parts: Run, args: readonly string[]) => Promise<number>,
  ): Program =>
  async (args, env, streams) =>
    answerAtOnce(args, options, usage, streams) ??
    printErrors(streams.stderr, async () => {
      const config = configOf(env);
      const log = await logOf(config, env, streams.stdout);
      warnOfSettings(env, log);
      return stopInTime(run({ config, log, streams, interrupt }, args), interrupt, timesOf(config));
    });

/** The program that runs the service until `interrupt` aborts. */
export const serviceUntil = (interrupt: AbortSignal): Program =>
  programUntil(interrupt, USAGE, [], readConfig, (parts) => serve(parts));
