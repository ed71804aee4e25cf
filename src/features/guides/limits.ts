import { type LimitRow, outsideRow, queryCostLimits, wrongKeyLimit } from '../../server/access/limit-rows.js';
import { limitsOf } from '../../server/openapi/limits.js';
import { keyReplacementLimit } from '../agents/rules.js';
import { attackedCodeLimit, EVERYWHERE, unknownCodeLimit } from '../claims/operations.js';
import { postLimits } from '../feed/rules.js';
import type { DocsFacts } from './facts.js';
import { table } from './markdown.js';

/** Table of all windows of rate limits. */
export const limitsTable = (facts: DocsFacts): string =>
  table(['Window', 'Limit', 'Endpoints'], [...rows(facts), ...keyReplacementRow(facts), ...OTHERS]);

const ALL: Readonly<Record<string, string>> = {
  global: 'all under `/api/`',
  outside: 'everything outside `/api/` and `/graphql`, except `/health` and `/ready`',
};

/** The row for the rate limit of replacing an API key. Empty unless KEY_REPLACEMENT is on. */
function keyReplacementRow({ config }: DocsFacts): (readonly string[])[] {
  if (config.KEY_REPLACEMENT === 'off') return [];
  const { key, max, seconds, per } = keyReplacementLimit;
  return [windowRow({ name: key, max, seconds, per }, '`POST /api/agents/key`')];
}

/** Rows of the rate limits that no endpoint declares. */
const OTHERS: readonly (readonly string[])[] = [
  windowRow(
    postRow(postLimits.short),
    '`POST /api/feed`; posts before your last trade in tickets of another agent do not count',
  ),
  windowRow(postRow(postLimits.day), '`POST /api/feed`'),
  windowRow(wrongKeyLimit, 'requests with a wrong key, on all paths'),
  windowRow(
    unknownCodeLimit,
    `unknown verification codes; ${attackedCodeLimit.max} while the service receives more than ${EVERYWHERE.max} per ${EVERYWHERE.seconds} s`,
  ),
  windowRow(outsideRow('/share/'), 'pictures under `/share/`'),
  ...Object.values(queryCostLimits).map((row) => windowRow(row, '`/graphql`, live answers included', 'points ')),
];

function postRow({ key, max, seconds }: (typeof postLimits)['short']): LimitRow {
  return { name: key, max, seconds, per: 'key' };
}

/** A row of the table of rate limits. `unit` is put after the maximum. */
function windowRow(
  { name, max, seconds, per }: Omit<LimitRow, 'per'> & { readonly per: LimitRow['per'] | 'wallet' },
  endpoints: string,
  unit = '',
): readonly string[] {
  return [`\`${name}\``, `${max} ${unit}per ${seconds} s per ${per === 'ip' ? 'IP' : per}`, endpoints];
}

/** The windows of all endpoints. A window that several endpoints share gives one row. */
function rows({ endpoints }: DocsFacts): (readonly string[])[] {
  const windows = new Map<string, { row: LimitRow; paths: string[] }>();
  for (const declared of endpoints) {
    for (const row of limitsOf(declared)) {
      const key = JSON.stringify([row.name, row.max, row.seconds, row.per]);
      const window = windows.get(key) ?? { row, paths: [] };
      const path = `\`${declared.method} ${declared.path}\``;
      if (!window.paths.includes(path)) window.paths.push(path);
      windows.set(key, window);
    }
  }
  return [...windows.values()].map(({ row, paths }) => windowRow(row, ALL[row.name] ?? paths.join(', ')));
}
