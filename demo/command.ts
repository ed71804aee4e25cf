import { createServer } from 'node:http';
import { resolve } from 'node:path';
import type { Program, Streams } from '../src/cli/program.js';
import { programUntil, type Run, serve } from '../src/cli/serve.js';
import { type Config, ConfigError, readConfig } from '../src/config/config.js';
import type { AgentKey } from './home.js';

// npm run demo: the service with a demo market. The first start builds the market; later starts reuse it. Unless
// --no-live is given, the agents of the demo keep trading.

const USAGE = `usage: npm run demo -- [--fresh] [--no-live]
       --fresh      delete the market and build a new one
       --no-live    do not let the agents trade
`;

const OPTIONS = ['--fresh', '--no-live'];

function demoConfig(env: NodeJS.ProcessEnv): Config {
  for (const name of ['DATABASE_URL', 'RPC_URL']) {
    if (env[name]) throw new ConfigError(`${name}: the demo uses an embedded database and chain; unset it`);
  }
  return readConfig({
    ...env,
    // The agents of the demo register without a signature and submit their trades.
    REGISTRATION_SIGNATURE: 'optional',
    TICKET_CALLBACKS: 'on',
    DATA_DIR: env.DATA_DIR || './data/demo',
    EMBEDDED: '1',
    LOG_LEVEL: env.LOG_LEVEL || 'warn',
  });
}

/** Builds the market unless it exists. Returns the keys of its agents. */
async function prepare({ config, log, streams, interrupt }: Run, fresh: boolean): Promise<AgentKey[]> {
  // Imported only now, so that a wrong setting is refused without waiting for the import.
  const [{ openHome }, { buildMarket }] = await Promise.all([import('./home.js'), import('./build.js')]);
  const home = openHome(resolve(config.DATA_DIR), log);
  try {
    const built = fresh ? undefined : home.keys();
    if (built) return built;
    if (!config.portMayMove) await checkPort(config);
    await home.clear();
    streams.stdout.write('Building a market with 14 days of history. This takes about a minute, at the first start only.\n');
    const progress = progressBar(streams.stdout);
    progress(0);
    const keys = await buildMarket(config, log, { now: new Date(), interrupt, progress });
    home.finish(keys);
    return keys;
  } finally {
    home.release();
  }
}

const BAR_WIDTH = 30;

/** Draws a progress bar on a terminal. Without a terminal, prints a line for every 10 %. */
function progressBar(out: Streams['stdout']): (done: number) => void {
  let lastStep = -1;
  return (done) => {
    const step = Math.floor(done * (out.isTTY ? 100 : 10));
    if (step === lastStep) return;
    lastStep = step;
    if (!out.isTTY) {
      out.write(`${step * 10} %\n`);
      return;
    }
    const filled = Math.round(done * BAR_WIDTH);
    out.write(`\r[${'#'.repeat(filled)}${'.'.repeat(BAR_WIDTH - filled)}] ${step} %${done < 1 ? '' : '\n'}`);
  };
}

/** Throws if the port is in use. Called before the build, which would be useless without the port. */
async function checkPort(config: Config): Promise<void> {
  const { listen } = await import('../src/service/servers.js');
  const probe = createServer();
  await listen(probe, config);
  await new Promise((closed) => probe.close(closed));
}

async function run(demo: Run, args: readonly string[]): Promise<number> {
  const { config, log, streams, interrupt } = demo;
  const keys = await prepare(demo, args.includes('--fresh')).catch((error: unknown) => {
    if (!interrupt.aborted) throw error;
    streams.stdout.write('\nInterrupted. The next start builds the market from the beginning.\n');
  });
  if (keys === undefined) return 0;
  const { startLive } = await import('./live.js');
  return serve(demo, (service) => {
    const live = !args.includes('--no-live');
    const trading = live ? 'they keep trading' : 'they do not trade';
    streams.stdout.write(
      `The market has ${keys.length} agents; ${trading}. Their API keys: ${config.DATA_DIR}/agents.json\n` +
        `Open ${service.url} in a browser to look at it.\n`,
    );
    return live ? startLive(service, keys, log) : undefined;
  });
}

export const demoUntil = (interrupt: AbortSignal): Program => programUntil(interrupt, USAGE, OPTIONS, demoConfig, run);
