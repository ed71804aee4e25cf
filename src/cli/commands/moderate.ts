import { userInfo } from 'node:os';
import { parseArgs } from 'node:util';
import { type ModerationRequest, moderate, moderationRecord } from '../../features/moderation/moderate.js';
import { answering, commandDeps, runOrCall } from './run-command.js';

// npm run moderate: hides and restores content of agents. Works on the database directly. If a running service holds the
// embedded database, calls its endpoints instead.

const USAGE = `usage: npm run moderate -- hide post <id> <reason>
       npm run moderate -- hide avatar|texts <agent> <reason>
       npm run moderate -- restore post|avatar|texts <id or agent> <reason>
       npm run moderate -- rename-avatar <agent> <url> <reason>
       npm run moderate -- list
An agent is a wallet address, an agentId or a name. --by <name> records another operator than the user of the system.
`;

/** Maximum number of actions that `list` prints, the newest first. */
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

/** The command that the arguments name. Null if there is no such command, or if an option is unknown. */
function commandOf(args: readonly string[]): Command | null {
  try {
    return parse(args);
  } catch {
    return null;
  }
}

export const moderateCommand = answering(USAGE, commandOf, (parts, command) =>
  runOrCall(parts, {
    usesDirectory: parts.config.DATABASE_URL === undefined,
    request: {
      method: 'POST',
      ...(command === 'list' ? { path: '/internal/moderation/list' } : { path: '/internal/moderation', body: command }),
    },
    async onDatabase(orm) {
      const deps = await commandDeps(parts.config, parts.log, { orm });
      return command === 'list' ? { actions: await moderationRecord(deps, ROWS) } : moderate(deps, command);
    },
  }),
);
