import { endSeason, startSeason } from '../../features/seasons/lifecycle.js';
import { scoreNow } from '../../features/seasons/score.js';
import { listSeasons } from '../../features/seasons/seasons.js';
import { ensureCursor } from '../../index/cursor.js';
import { startChain } from '../../service/chain.js';
import { startBlock } from '../../service/connect-chain.js';
import type { Database } from '../../store/database.js';
import { answering, type CommandParts, commandDeps, runOrCall } from './run-command.js';

// npm run season: manages seasons as the internal endpoints do. Works on the database directly. If a running service holds
// the embedded database or chain, calls its endpoints instead.

const USAGE = `usage: npm run season -- list
       npm run season -- start <startDate> <endDate>    a date (00:00 UTC) or a time with a time zone
       npm run season -- end <number>
       npm run season -- score
`;

/** A command, with the request that carries it out in a running service. */
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
  if (name === 'start' && args.length === 2 && isTime(first) && isTime(second)) {
    const body = { startDate: first, endDate: second };
    return { name, method: 'POST', path: '/internal/seasons', body, startAt: new Date(first), endAt: new Date(second) };
  }
  return null;
}

const isTime = (text: string): boolean =>
  /^\d{4}-\d\d-\d\d(T\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:\d\d))?$/.test(text) && !Number.isNaN(Date.parse(text));

async function runOnDatabase(command: Command, orm: Database, { config, log, stops }: CommandParts): Promise<unknown> {
  const deps = await commandDeps(config, log, { orm });
  switch (command.name) {
    case 'list':
      return { seasons: (await listSeasons(deps)).map(formatSeason) };
    case 'start':
      return { season: formatSeason(await startSeason(deps, command)) };
    case 'end':
      return { season: formatSeason(await endSeason(deps, command.number)) };
    case 'score': {
      const scoring = await commandDeps(config, log, { orm, connected: await startChain(config, stops) });
      await ensureCursor(scoring, startBlock(scoring));
      return { scored: await scoreNow(scoring) };
    }
  }
}

/** A season with the field names of the endpoints. */
const formatSeason = ({ number, startAt, endAt, ...rest }: { number: number; startAt: Date; endAt: Date }) => ({
  number,
  startDate: startAt,
  endDate: endAt,
  ...rest,
});

export const seasonCommand = answering(USAGE, parse, (parts, command) =>
  runOrCall(parts, {
    usesDirectory: parts.config.chainEmbedded || parts.config.DATABASE_URL === undefined,
    request: command,
    onDatabase: (orm) => runOnDatabase(command, orm, parts),
  }),
);
