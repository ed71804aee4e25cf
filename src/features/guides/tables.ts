import type { z } from 'zod';
import { type Declared, remoteCaches, serviceCaches } from '../../cache/caches.js';
import { type ErrorCode, errorTable } from '../../errors/errors.js';
import { metaOf } from '../../server/inputs.js';
import { errorsOf } from '../../server/openapi/failures.js';
import { limitsOf } from '../../server/openapi/limits.js';
import type { Endpoint, Tool } from '../../server/operation.js';
import { type LimitRow, outsideLimit, queryCostLimits, wrongKeyLimit } from '../../server/rate-limits.js';
import { keyReplacementLimit } from '../agents/keys/rules.js';
import { attackedCodeLimit, EVERYWHERE, unknownCodeLimit } from '../claims/operations.js';
import { assetLimit, pictureLimit } from '../dashboard/limits.js';
import { postLimits } from '../feed/rules.js';
import type { DocsFacts } from './facts.js';

/** A Markdown table. Escapes `|` in the cells, because it would end a cell. */
export function table(head: readonly string[], rows: readonly (readonly (string | number)[])[]): string {
  const line = (cells: readonly (string | number)[]) =>
    `| ${cells.map((cell) => String(cell).replaceAll('|', '\\|')).join(' | ')} |`;
  return [line(head), line(head.map(() => '---')), ...rows.map(line)].join('\n');
}

/** Escapes Markdown in a plain text. For example, Markdown would take `<field>` for an HTML tag. */
export const plain = (text: string): string => text.replaceAll('<', '\\<').replaceAll('*', '\\*').replaceAll('_', '\\_');

/** A rate limit in words, such as `30 per min and key`. */
export function limitCell({ max, seconds, per }: Pick<LimitRow, 'max' | 'seconds' | 'per'>): string {
  const time = seconds % 3600 === 0 ? `${seconds / 3600} h` : `${seconds / 60} min`;
  return `${max} per ${time} and ${per === 'ip' ? 'IP' : 'key'}`.replace(' 1 min', ' min').replace(' 1 h', ' h');
}

/**
 * Table of the endpoints under /api/. It omits GET /api, which only links to the guide, and endpoints with `me` that repeat the
 * same path with an address.
 */
export function endpointTable(endpoints: readonly Endpoint[]): string {
  const paths = new Set(endpoints.map(({ method, path }) => `${method} ${path}`));
  const isAlias = ({ method, path }: Endpoint): boolean =>
    path.includes('/me') && paths.has(`${method} ${path.replace('/me', '/{address}')}`) && !OWN.has(`${method} ${path}`);
  const rows = endpoints
    .filter((declared) => declared.path.startsWith('/api/') && !isAlias(declared))
    .map((declared) => [requestOf(declared), declared.summary, KEY[declared.auth], ownLimits(declared)]);
  return table(['Request', 'What', 'Key', 'Limit'], rows);
}

/** Endpoints with `me` that answer more than the same path with an address, so the table shows both. */
const OWN: ReadonlySet<string> = new Set(['GET /api/agents/me', 'GET /api/agents/me/pnl']);

const KEY = { none: '', optional: 'optional', required: 'yes' } as const;

/**
 * Method, path and parameter names of an endpoint. Omits aliases, and the parameters that the endpoint declares only to refuse them
 * (FIELD_IMMUTABLE).
 */
function requestOf({ method, path, query, body }: Endpoint): string {
  const names = Object.entries<z.ZodType>({ ...query?.shape, ...body?.shape })
    .filter(([, field]) => metaOf(field).code !== 'FIELD_IMMUTABLE' && !metaOf(field).deprecated)
    .map(([name]) => name);
  const shown = names.length === 0 ? '' : ` ${method === 'GET' ? '?' : ''}${names.join(', ')}`;
  return `\`${method} ${path}\`${shown}`;
}

const ownLimits = (declared: Endpoint): string => {
  const own = limitsOf(declared).filter(({ name }) => name !== 'global');
  return [...new Set(own.map(limitCell))].join(', ');
};

const NEWCOMER: readonly ErrorCode[] = [
  'MISSING_KEY',
  'INVALID_KEY',
  'AGENT_EXISTS',
  'NOT_REGISTERED_ON_CHAIN',
  'TRADE_RECORDED',
  'TRADE_UNVERIFIED',
  'CHAIN_UNAVAILABLE',
  'OUTCOME_UNKNOWN',
];

/** Table of the errors that a newcomer meets. */
export function errorsForNewcomers(): string {
  const rows = NEWCOMER.map((code) => {
    const [status, message, hint] = errorTable[code];
    return [status, `\`${message}\``, hint.replace(/<\w+>/g, '…')];
  });
  return table(['Status', 'error', 'hint'], rows);
}

/** Table of all caches, for `/docs` and docs/caching.md. */
export function freshnessTable(): string {
  const rows = Object.values<Declared>({ ...serviceCaches, ...remoteCaches }).flatMap((cache) => [
    [cache.description, ageOf(cache), invalidationOf(cache)],
    ...(cache.large ?? []).map((row) => [
      `${cache.description}, from ${row.minSize.toLocaleString('en')} ${cache.unit}`,
      ageOf(row),
      invalidationOf(row),
    ]),
  ]);
  return table(['Value', 'Maximum age', 'Invalidated by'], rows);
}

function ageOf({ ttlMs, staleMs }: Pick<Declared, 'ttlMs' | 'staleMs'>): string {
  if (ttlMs === Number.POSITIVE_INFINITY) return 'unlimited: the value never changes';
  return staleMs ? `${ttlMs / 1000} s; ${staleMs / 1000} s while a new value is loaded` : `${ttlMs / 1000} s`;
}

const invalidationOf = ({ untilWrite, untilTrade }: Pick<Declared, 'untilWrite' | 'untilTrade'>): string =>
  untilWrite ? 'every write' : untilTrade ? 'a recorded trade of the wallet' : '';

/**
 * Errors that only MCP tools answer. A quote can name two of them as the reason why its trade would fail: INSUFFICIENT_ETHER and
 * TRADE_REVERTS.
 */
const TOOL_ERRORS = ['UNKNOWN_ARGUMENT', 'INSUFFICIENT_ETHER', 'TRADE_REVERTS', 'HOST_REFUSED'] as const satisfies ErrorCode[];

/** Table of the errors that an endpoint or a tool of this service can answer, each once, in the order of their statuses. */
export function errorsTable({ endpoints, config }: DocsFacts): string {
  const codes = new Set(endpoints.flatMap((declared) => errorsOf(declared, config)));
  // No endpoint declares these errors, because they occur outside of endpoints, such as before a route is found.
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

/** Table of the MCP tools, grouped by whether they need a key. */
export function toolTable(tools: readonly Tool[]): string {
  const rows = Object.entries(KEY).map(([auth, key]) => {
    const names = tools.filter((declared) => declared.auth === auth).map(({ tool }) => `\`${tool.name}\``);
    return [names.join(', '), key];
  });
  return table(['Tools', 'Key'], rows);
}

/** Table of all rate limits, with one row per window. */
export const limitsTable = (facts: DocsFacts): string =>
  table(['Window', 'Limit', 'Endpoints'], [...rows(facts), ...keyReplacementRow(facts), ...OTHERS]);

const ALL: Readonly<Record<string, string>> = { global: 'all under `/api/`' };

/** The row for the rate limit of replacing an API key. Empty unless KEY_REPLACEMENT is on. */
function keyReplacementRow({ config }: DocsFacts): (readonly string[])[] {
  if (config.KEY_REPLACEMENT === 'off') return [];
  const { key, max, seconds, per } = keyReplacementLimit;
  return [windowRow({ name: key, max, seconds, per }, '`POST /api/agents/key`')];
}

/** Rows of the rate limits that no endpoint declares. */
const OTHERS: readonly (readonly string[])[] = [
  windowRow(postRow(postLimits.short), '`POST /api/feed`; posts before your last trade in tickets of another agent do not count'),
  windowRow(postRow(postLimits.day), '`POST /api/feed`'),
  windowRow(wrongKeyLimit, 'requests with a wrong key, on all paths'),
  windowRow(
    unknownCodeLimit,
    `unknown verification codes; ${attackedCodeLimit.max} while the service receives more than ${EVERYWHERE.max} per ${EVERYWHERE.seconds} s`,
  ),
  windowRow(
    outsideLimit,
    'everything outside `/api/` and `/graphql` that no other row names, except `/health`, `/ready` and endpoints for schedulers and chain providers',
  ),
  windowRow(assetLimit, 'files of the dashboard under `/assets/`'),
  windowRow(pictureLimit, 'pictures under `/share/`'),
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
  const all = endpoints.flatMap((declared) =>
    limitsOf(declared).map((row) => ({ row, path: `\`${declared.method} ${declared.path}\`` })),
  );
  const windows = Map.groupBy(all, ({ row }) => JSON.stringify([row.name, row.max, row.seconds, row.per]));
  return [...windows.values()].flatMap((found) => {
    const paths = new Set(found.map(({ path }) => path));
    return found.slice(0, 1).map(({ row }) => windowRow(row, ALL[row.name] ?? [...paths].join(', ')));
  });
}
