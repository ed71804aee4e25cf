import type { LimitRow } from '../../access/limit-rows.js';
import { limitsOf } from '../openapi/limits.js';
import { type Chapter, type DocsFacts, table } from './chapter.js';

export const rateLimits: Chapter = {
  id: 'limits',
  title: 'Rate limits',
  text: (
    facts,
  ) => `Limits use sliding windows: each counts the requests of the last N seconds. A request must fit into every window that applies to it.
A refused request consumes nothing.

- A request with a valid key counts against the key's global window, any other against the one of its IP address.
- A request that is refused for its form (400, 401, 403, 404, 405, 409) consumes the global window only. The windows of
  registration, verification, trades, posts, follows, likes and reposts are consumed by requests that reach the chain, the post host or
  the database.
- An IPv6 client is its /64 network. Its /48 network has ten times the budget, in windows whose names end in \`-48\`.
- \`RateLimit-Policy\` lists the windows of a request (\`q\` requests in \`w\` seconds), \`RateLimit\` how they stand (\`r\` requests left,
  \`t\` seconds until one is free again). A 429 names the window that refused, and has \`Retry-After\` and \`retryAfter\` in seconds.
- When the store of the limits is unreachable, requests pass.

${table(['Window', 'Limit', 'Endpoints'], [...rows(facts), ...OTHERS])}`,
};

const ALL: Readonly<Record<string, string>> = {
  global: 'all under `/api/`',
  outside: 'everything outside `/api/` and `/graphql`',
};

/** Windows that no endpoint declares. */
const OTHERS: readonly (readonly string[])[] = [
  [
    '`posts`',
    '3 per 1200 s per key',
    '`POST /api/feed`; posts before your last trade in another agent’s tickets do not count',
  ],
  ['`posts-day`', '20 per 86400 s per key', '`POST /api/feed`'],
  ['`auth`', '5 per 900 s per IP', 'wrong keys, wherever they are sent'],
  ['`unknown-codes`', '10 per 900 s per IP', 'unknown verification codes; 5 while many addresses guess'],
  ['`graphql`', '6000 points per 60 s per IP, 12000 per key', '`/graphql`, live answers included'],
];

/** The windows of all endpoints, those of several endpoints once. */
function rows({ endpoints }: DocsFacts): (readonly string[])[] {
  const windows = new Map<string, { row: LimitRow; paths: string[] }>();
  for (const declared of endpoints) {
    for (const row of limitsOf(declared)) {
      const key = JSON.stringify([row.name, row.max, row.seconds, row.per]);
      const known = windows.get(key) ?? { row, paths: [] };
      const path = `\`${declared.method} ${declared.path}\``;
      if (!known.paths.includes(path)) known.paths.push(path);
      windows.set(key, known);
    }
  }
  return [...windows.values()].map(({ row, paths }) => [
    `\`${row.name}\``,
    `${row.max} per ${row.seconds} s per ${row.per === 'ip' ? 'IP' : 'key'}`,
    ALL[row.name] ?? paths.join(', '),
  ]);
}
