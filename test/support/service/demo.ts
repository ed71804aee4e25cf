import { pino } from 'pino';
import { buildMarket } from '../../../demo/build.js';
import { openHome } from '../../../demo/home.js';
import { readConfig } from '../../../src/config/config.js';
import { type Service, startService } from '../../../src/service/service.js';
import { TIMEOUT_FACTOR } from '../times.js';
import { ask } from '../world.js';
import { chainPort, freshDirectory } from './process.js';

const log = pino({ level: 'silent' });

const demoConfig = (directory: string, environment: Record<string, string> = {}) =>
  readConfig({
    DATA_DIR: directory,
    PORT: '0',
    CHAIN_PORT: chainPort(),
    RATE_LIMITS: 'off',
    TIMEOUT_FACTOR,
    ...environment,
  });

/** Builds the demo market as of the given time. Returns its data directory. */
export async function builtDemo(now: Date): Promise<string> {
  const directory = freshDirectory('curvet-demo-');
  const home = openHome(directory, log);
  await home.clear();
  const interrupt = new AbortController().signal;
  home.finish(await buildMarket(demoConfig(directory), log, { now, interrupt, progress: () => {} }));
  home.release();
  return directory;
}

/** Starts the service on a data directory of the demo. If `now` is given, the clock of the service stands still at that time. */
export const serveDemo = (directory: string, now?: Date, environment?: Record<string, string>): Promise<Service> =>
  startService(demoConfig(directory, environment), log, undefined, now && { now: () => now });

export async function body(service: Service, path: string): Promise<Record<string, unknown>> {
  const answer = await ask(service.url, 'GET', path);
  if (answer.status !== 200) throw new Error(`GET ${path}: ${answer.status} ${JSON.stringify(answer.body)}`);
  return answer.body;
}
