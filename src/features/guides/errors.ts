import { type ErrorCode, errorTable } from '../../errors.js';
import { errorsOf } from '../../server/openapi/failures.js';
import type { DocsFacts } from './facts.js';
import { plain, table } from './markdown.js';

/** Errors that no endpoint answers: those of MCP tools. A quote contains two of them as its refusal. */
const TOOL_ERRORS = [
  'UNKNOWN_ARGUMENT',
  'INSUFFICIENT_ETHER',
  'TRADE_REVERTS',
  'HOST_REFUSED',
] as const satisfies ErrorCode[];

/** Table of the errors that an endpoint or a tool of this service can answer, each once, in the order of their statuses. */
export function errorsTable({ endpoints, config }: DocsFacts): string {
  const codes = new Set(endpoints.flatMap((declared) => errorsOf(declared, config)));
  codes.add('NOT_FOUND').add('METHOD_NOT_ALLOWED').add('BAD_REQUEST').add('ORIGIN_REFUSED');
  for (const code of TOOL_ERRORS) codes.add(code);
  const rows = Object.entries(errorTable)
    .filter(([name]) => codes.has(name as keyof typeof errorTable))
    .sort(([, [a]], [, [b]]) => a - b);
  return table(
    ['Status', 'error', 'code', 'hint'],
    rows.map(([code, [status, message, hint]]) => [status, `\`${message}\``, `\`${code}\``, plain(hint)]),
  );
}
