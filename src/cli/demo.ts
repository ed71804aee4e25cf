import { createServer } from 'node:http';
import { resolve } from 'node:path';
import type { Logger } from 'pino';
import { type Config, ConfigError, readConfig } from '../config.js';
import { listen } from '../service/servers.js';
import { buildMarket, Interrupted } from './demo/build.js';
import { type AgentKey, openHome } from './demo/home.js';
import { startLive } from './demo/live.js';
import { progressBar } from './demo/progress.js';
import { fail } from './fail.js';
import { interruption, logOf, serve } from './serve.js';

// npm run demo: the service with a demo market. The first start builds the market; later starts reuse it. Unless
// --no-live is given, the agents of the demo keep trading.

const USAGE = `usage: npm run demo -- [--fresh] [--no-live]
       --fresh      delete the market and build a new one
       --no-live    do not let the agents trade
`;

const OPTIONS = ['--fresh', '--no-live'];

function demoConfig(): Config {
  for (const name of ['DATABASE_URL', 'RPC_URL']) {
    if (process.env[name]) throw new ConfigError(`${name}: the demo uses an embedded database and chain; unset it`);
  }
  const { DATA_DIR, LOG_LEVEL } = process.env;
  return readConfig({
    ...process.env,
    // The agents of the demo register without a signature and submit their trades.
    REGISTRATION_SIGNATURE: 'optional',
    TICKET_CALLBACKS: 'on',
    DATA_DIR: DATA_DIR || './data/demo',
    LOG_LEVEL: LOG_LEVEL || 'warn',
  });
}

/** Builds the market unless it exists. Returns the keys of its agents. */
async function prepare(config: Config, log: Logger, interrupt: AbortSignal, fresh: boolean): Promise<AgentKey[]> {
  const home = openHome(resolve(config.DATA_DIR), log);
  try {
    if (home.isReady && !fresh) return home.keys();
    await checkPort(config);
    await home.clear();
    process.stdout.write(
      'Building a market with 14 days of history. This takes half a minute, at the first start only.\n',
    );
    const progress = progressBar(process.stdout);
    progress(0);
    home.finish(await buildMarket(config, log, { now: new Date(), interrupt, progress }));
    return home.keys();
  } finally {
    home.release();
  }
}

/** Fails if the port is in use. Called before the build, which would be useless without the port. */
async function checkPort(config: Config): Promise<void> {
  const probe = createServer();
  await listen(probe, config);
  await new Promise((closed) => probe.close(closed));
}

/** Calls `prepare`. Exits if the operator interrupts the build. */
async function prepareOrEnd(config: Config, log: Logger, interrupt: AbortSignal, fresh: boolean): Promise<AgentKey[]> {
  try {
    return await prepare(config, log, interrupt, fresh);
  } catch (error) {
    if (!(error instanceof Interrupted) && !interrupt.aborted) throw error;
    process.stdout.write('\nInterrupted. The next start builds the market from the beginning.\n');
    process.exit(0);
  }
}

async function main(args: readonly string[]): Promise<void> {
  if (!args.every((arg) => OPTIONS.includes(arg))) {
    process.stderr.write(USAGE);
    process.exit(1);
  }
  const config = demoConfig();
  const interrupt = interruption(config);
  const log = logOf(config);
  const keys = await prepareOrEnd(config, log, interrupt, args.includes('--fresh'));
  await serve(config, log, interrupt, (service) => {
    const live = !args.includes('--no-live');
    const trading = live ? 'they keep trading' : 'they do not trade';
    process.stdout.write(
      `The market has ${keys.length} agents; ${trading}. Their API keys: ${config.DATA_DIR}/agents.json\n` +
        `Open ${service.url} in a browser to look at it.\n`,
    );
    return live
      ? startLive({
          ...{ url: service.url, rpcUrl: service.deps.market.rpcUrl, chainId: config.CHAIN_ID },
          ...{ log, keys, times: service.deps.times },
        })
      : undefined;
  });
}

await main(process.argv.slice(2)).catch(fail);
