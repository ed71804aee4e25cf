import { userInfo } from 'node:os';
import { resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { type Logger, pino } from 'pino';
import { type Config, readConfig } from '../config.js';
import { type ModerationRequest, moderate } from '../core/desk/commands/moderate.js';
import { moderationRecord } from '../core/desk/queries/moderation.js';
import { startDatabase } from '../service/database.js';
import type { Stops } from '../service/stops.js';
import { DirectoryRefused, lockDirectory } from '../store/data-directory.js';
import { callService } from './call-service.js';
import { commandDeps } from './command-deps.js';
import { finish, refuse } from './fail.js';

// npm run moderate: hides and restores content of agents. Works on the database directly. If a running service holds the
// embedded database, calls its endpoints instead.

const USAGE = `usage: npm run moderate -- hide post <id> <reason>
       npm run moderate -- hide avatar|texts <agent> <reason>
       npm run moderate -- restore post|avatar|texts <id or agent> <reason>
       npm run moderate -- rename-avatar <agent> <url> <reason>
       npm run moderate -- list
An agent is a wallet address, an agentId or a name. --by <name> records another operator than the user of the system.
`;

const ROWS = 100;

type Command = 'list' | ModerationRequest;

function parse(args: readonly string[]): Command | null {
  const { values, positionals } = parseArgs({
    args: [...args],
    options: { by: { type: 'string' } },
    allowPositionals: true,
  });
  const [action, ...rest] = positionals;
  const operator = values.by ?? userInfo().username;
  if (action === 'list' && rest.length === 0) return 'list';
  const [first = '', subject = '', last = ''] = rest;
  if (rest.length !== 3) return null;
  if (action === 'rename-avatar') {
    return { action, target: 'avatar', subject: first, avatarUrl: subject, operator, reason: last };
  }
  if (action !== 'hide' && action !== 'restore') return null;
  if (first !== 'post' && first !== 'avatar' && first !== 'texts') return null;
  return { action, target: first, subject, operator, reason: last };
}

async function runOnDatabase(config: Config, log: Logger, command: Command, stops: Stops): Promise<unknown> {
  const { orm } = await startDatabase(config, stops);
  const deps = await commandDeps(config, log, { orm });
  return command === 'list' ? { actions: await moderationRecord(deps, ROWS) } : moderate(deps, command);
}

async function run(config: Config, command: Command, stops: Stops): Promise<unknown> {
  const log = pino({ level: config.LOG_LEVEL }, process.stderr);
  if (config.DATABASE_URL === undefined) {
    try {
      stops.push(lockDirectory(resolve(config.DATA_DIR), log));
    } catch (error) {
      if (!(error instanceof DirectoryRefused)) throw error;
      const path = `/internal/moderation${command === 'list' ? '/list' : ''}`;
      return callService(
        config,
        { method: 'POST', path, ...(command !== 'list' && { body: fieldsOf(command) }) },
        error,
      );
    }
  }
  return runOnDatabase(config, log, command, stops).catch(refuse);
}

/** The fields that are set, as a JSON body. */
const fieldsOf = (request: ModerationRequest): Record<string, string> =>
  Object.fromEntries(Object.entries(request).filter((entry): entry is [string, string] => entry[1] !== undefined));

/** The command that the arguments name. Null if there is no such command, or if an option is unknown. */
function commandOf(args: readonly string[]): Command | null {
  try {
    return parse(args);
  } catch {
    return null;
  }
}

const command = commandOf(process.argv.slice(2));
if (command === null) {
  process.stderr.write(USAGE);
  process.exit(1);
}
await finish(async (stops) => {
  const answer = await run(readConfig(process.env), command, stops);
  process.stdout.write(`${JSON.stringify(answer, null, 2)}\n`);
  return 0;
});
