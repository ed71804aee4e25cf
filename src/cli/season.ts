import { resolve } from 'node:path';
import type { SqlEntityManager } from '@mikro-orm/sql';
import { type Logger, pino } from 'pino';
import { ethersMarket } from '../chain/market.js';
import { type Config, ConfigError, readConfig } from '../config.js';
import { endSeason } from '../core/seasons/commands/end.js';
import { scoreNow } from '../core/seasons/commands/score.js';
import { startSeason } from '../core/seasons/commands/start.js';
import { listSeasons } from '../core/seasons/queries/seasons.js';
import { ensureCursor } from '../core/trading/commands/cursor.js';
import { AppError } from '../errors.js';
import { processLive } from '../live/process.js';
import { type Stops, startChain, startDatabase, systemClock } from '../service.js';
import { DirectoryRefused, lockDirectory } from '../store/data-directory.js';
import { fail } from './fail.js';

// npm run season: what the internal endpoints do. Over the database itself; or, where a running service has what is
// embedded, through its endpoints.

const USAGE = `usage: npm run season -- list
       npm run season -- start <startDate> <endDate>    a day (its 00:00 UTC) or a time with its zone
       npm run season -- end <number>
       npm run season -- score
`;

/** What was asked for, and how a running service is asked for it. */
type Command = { readonly method: 'GET' | 'POST'; readonly path: string; readonly body?: Record<string, string> } & (
  | { readonly name: 'list' | 'score' }
  | { readonly name: 'start'; readonly startAt: Date; readonly endAt: Date }
  | { readonly name: 'end'; readonly number: number }
);

function parse([name, ...args]: readonly string[]): Command | null {
  const [first = '', second = ''] = args;
  if (name === 'list' && args.length === 0) return { name, method: 'GET', path: '/api/seasons' };
  if (name === 'score' && args.length === 0) return { name, method: 'POST', path: '/internal/jobs/score-season' };
  if (name === 'end' && args.length === 1 && /^[1-9]\d{0,8}$/.test(first)) {
    return { name, method: 'POST', path: `/internal/seasons/${first}/end`, number: Number(first) };
  }
  if (name === 'start' && args.length === 2 && isMoment(first) && isMoment(second)) {
    const body = { startDate: first, endDate: second };
    return { name, method: 'POST', path: '/internal/seasons', body, startAt: new Date(first), endAt: new Date(second) };
  }
  return null;
}

const isMoment = (text: string): boolean =>
  /^\d{4}-\d\d-\d\d(T\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:\d\d))?$/.test(text) && !Number.isNaN(Date.parse(text));

async function overDatabase(config: Config, log: Logger, command: Command, stops: Stops): Promise<unknown> {
  const dataDir = resolve(config.DATA_DIR);
  const { orm, sql } = await startDatabase(config, dataDir, stops);
  const deps = { config, log, clock: systemClock, em: orm.em as SqlEntityManager, sql, live: processLive() };
  switch (command.name) {
    case 'list':
      return { seasons: (await listSeasons(deps)).map(shown) };
    case 'start':
      return { season: shown(await startSeason(deps, command)) };
    case 'end':
      return { season: shown(await endSeason(deps, command.number)) };
    case 'score': {
      const chain = await startChain(config, dataDir, stops);
      const market = ethersMarket(chain.provider, { chainId: config.CHAIN_ID, ...chain });
      await ensureCursor(
        { ...deps, market },
        async () => config.START_BLOCK ?? (config.chainEmbedded ? 1 : market.deployBlock()),
      );
      return { scored: await scoreNow({ ...deps, market }) };
    }
  }
}

/** As the endpoints show it. */
const shown = ({ number, startAt, endAt, ...rest }: { number: number; startAt: Date; endAt: Date }) => ({
  number,
  startDate: startAt,
  endDate: endAt,
  ...rest,
});

async function overService(config: Config, { name, method, path, body }: Command, refused: Error): Promise<unknown> {
  const base = (config.PUBLIC_URL ?? `http://${config.HOST}:${config.PORT}`).replace(/\/$/, '');
  const secret = config.CRON_SECRET;
  if (secret === undefined && name !== 'list') {
    throw new ConfigError(`${refused.message}: stop it, or set the CRON_SECRET that it has`);
  }
  const response = await fetch(base + path, {
    method,
    headers: { ...(secret && { authorization: `Bearer ${secret}` }), 'content-type': 'application/json' },
    ...(body && { body: JSON.stringify(body) }),
  }).catch((cause: Error) => {
    throw new ConfigError(`${refused.message}, and no service answers at ${base}`, { cause });
  });
  const { success, error, hint, ...answer } = (await response.json()) as Record<string, unknown>;
  if (success !== true) throw new ConfigError(`${error}. ${hint}`);
  return answer;
}

async function run(config: Config, command: Command, stops: Stops): Promise<unknown> {
  const log = pino({ level: config.LOG_LEVEL }, process.stderr);
  if (config.chainEmbedded || config.DATABASE_URL === undefined) {
    try {
      stops.push(lockDirectory(resolve(config.DATA_DIR), log));
    } catch (error) {
      if (error instanceof DirectoryRefused) return overService(config, command, error);
      throw error;
    }
  }
  return overDatabase(config, log, command, stops).catch((error) => {
    if (error instanceof AppError) throw new ConfigError(`${error.message}. ${error.hint}`, { cause: error });
    throw error;
  });
}

const command = parse(process.argv.slice(2));
if (command === null) {
  process.stderr.write(USAGE);
  process.exit(1);
}
const stops: Stops = [];
let failure: unknown;
try {
  const answer = await run(readConfig(process.env), command, stops);
  process.stdout.write(`${JSON.stringify(answer, null, 2)}\n`);
} catch (error) {
  failure = error;
}
for (const stop of stops.reverse()) await stop();
if (failure !== undefined) fail(failure);
process.exit(0);
