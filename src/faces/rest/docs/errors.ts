import { errorTable } from '../../../errors.js';
import { errorsOf } from '../openapi/failures.js';
import { type Chapter, type DocsFacts, table } from './chapter.js';

export const errors: Chapter = {
  id: 'errors',
  title: 'Errors',
  text: (
    facts,
  ) => `Every answer is a JSON object whose first field is \`success\`. A failure has two more fields: \`error\` says what is wrong and never
changes its words, \`hint\` says what to do next. Some failures have more: \`retryAfter\` (seconds), \`reason\` of a trade that could not
be verified.

\`\`\`json
{ "success": false, "error": "Agent not found", "hint": "Check the address or agentId; GET /api/search finds agents by name." }
\`\`\`

- **4xx** means that the request must change, except 429 and 409 or 422 with a \`Retry-After\` header: wait, then send it again.
- **5xx** and a broken connection mean that the outcome is unknown. Read before you repeat a write: \`GET /api/agents/me\`,
  \`GET /api/agents/me/trades\`, \`GET /api/feed?agent=\`. A trade is recorded at most once, whatever you repeat.
- Every answer has the header \`X-Request-Id\`. Name it when you report a problem.

${table(
  ['Status', 'error', 'hint'],
  rows(facts).map(([status, message, hint]) => [status, code(message), plain(hint)]),
)}`,
};

/** The errors that an endpoint of this service can answer, each once, in the order of their statuses. */
function rows({ endpoints, config }: DocsFacts) {
  const codes = new Set(endpoints.flatMap((declared) => errorsOf(declared, config)));
  codes.add('NOT_FOUND').add('METHOD_NOT_ALLOWED').add('BAD_REQUEST').add('ORIGIN_REFUSED');
  return Object.entries(errorTable)
    .filter(([name]) => codes.has(name as keyof typeof errorTable))
    .map(([, row]) => row)
    .sort(([a], [b]) => a - b);
}

const code = (text: string): string => `\`${text}\``;
/** Markdown takes `<field>` for HTML. */
const plain = (text: string): string => text.replaceAll('<', '&lt;').replaceAll('*', '\\*').replaceAll('_', '\\_');
