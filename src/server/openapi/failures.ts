import { STATUS_CODES } from 'node:http';
import { z } from 'zod';
import type { Config } from '../../config/config.js';
import { AppError, type ErrorCode, type ErrorParams, errorTable, sampleParams, tradeReasons } from '../../errors/errors.js';
import { limitText } from '../../limits/limits.js';
import { MAX_BYTES, MAX_JSON_DEPTH, MAX_RPC_DEPTH } from '../http/body.js';
import { problemBody } from '../http/problem.js';
import { KEY_FORMAT } from '../idempotency/keys.js';
import { baseOf, type FieldMeta, metaOf } from '../inputs.js';
import type { JsonSchema } from '../json-schema.js';
import { type Endpoint, isRead } from '../operation.js';
import { isProbe, isUnderApi } from '../rate-limits.js';
import { IDEMPOTENCY_HEADER } from '../rest/rest.js';
import { headersOf } from './headers.js';
import { limitsOf } from './limits.js';

/** The JSON body that all failures share. */
export const failure: JsonSchema = {
  type: 'object',
  properties: {
    success: { const: false },
    error: { type: 'string', description: 'Short name of the error, in English. It never changes.' },
    hint: { type: 'string', description: 'Next step for the caller, in English.' },
    code: {
      type: 'string',
      pattern: '^[A-Z][A-Z_]+$',
      description:
        'Code of the error, the same as `extensions.code` in GraphQL. It never changes, so programs can compare it. New ' +
        'versions of the service may add codes.',
      examples: ['AGENT_NOT_FOUND'],
    },
    reason: {
      type: 'string',
      enum: Object.keys(tradeReasons),
      description: 'Reason why the transaction does not prove the trade. Present only with `Transaction verification failed`.',
    },
    retryAfter: {
      type: 'integer',
      minimum: 1,
      description: 'Seconds to wait before the next attempt. Present only with status 429.',
    },
    onChainName: {
      type: 'string',
      description: 'The name under which the wallet registered on the chain, if it differs from the name sent.',
    },
    takenBy: { type: 'string', description: 'Wallet address that registered the name on the chain.' },
  },
  required: ['success', 'error', 'hint', 'code'],
};

export const codesByStatus = (declared: Endpoint, config: Config): Record<string, ErrorCode[]> =>
  Object.fromEntries(byStatus(errorsOf(declared, config)));

/** One response per status, with an example of each error that has this status. */
export function failureResponses(endpoints: readonly Endpoint[], config: Config) {
  return Object.fromEntries(
    byStatus(endpoints.flatMap((declared) => errorsOf(declared, config))).map(([status, codes]) => [
      responseName(status),
      {
        description: `${STATUS_CODES[status]}: the request failed with one of these errors. \`x-errors\` of the operation lists those that it can have.`,
        headers: headersOf({ mayRetry: [429, 503].includes(status) || codes.some((code) => retried.includes(code)) }),
        content: {
          'application/json': {
            schema: { $ref: '#/components/schemas/Failure' },
            examples: Object.fromEntries(codes.map((code) => [code, { $ref: `#/components/examples/${code}` }])),
          },
        },
      },
    ]),
  );
}

/** `404` becomes `NotFound`. */
export const responseName = (status: number): string => (STATUS_CODES[status] ?? '').replaceAll(' ', '');

const byStatus = (codes: readonly ErrorCode[]): [status: number, codes: ErrorCode[]][] =>
  [...Map.groupBy(new Set(codes), (code): number => errorTable[code][0])].sort(([a], [b]) => a - b);

/** Errors with a status below 429 whose answers may have the header Retry-After. */
const retried: readonly ErrorCode[] = ['TRADE_UNVERIFIED', 'REQUEST_IN_PROGRESS'];

/** One example per error, from the first endpoint under /api that has it. */
export function failureExamples(endpoints: readonly Endpoint[], config: Config) {
  const first = new Map<ErrorCode, Endpoint>();
  for (const declared of endpoints.toSorted((a, b) => Number(isUnderApi(b.path)) - Number(isUnderApi(a.path)))) {
    for (const code of errorsOf(declared, config)) if (!first.has(code)) first.set(code, declared);
  }
  return Object.fromEntries(
    [...first].sort(([a], [b]) => (a < b ? -1 : 1)).map(([code, declared]) => [code, exampleOf(code, declared)]),
  );
}

function exampleOf(code: ErrorCode, declared: Endpoint) {
  const details = code === 'TRADE_UNVERIFIED' ? { reason: 'REVERTED' } : {};
  return {
    summary: errorTable[code][1],
    value: problemBody(new AppError(code, sampleOf(code, declared), { details })),
  };
}

/** The declared errors of an endpoint, and the errors that its input, key and limits imply. */
export function errorsOf(declared: Endpoint, config: Config): readonly ErrorCode[] {
  const { auth, query, body } = declared;
  const fields = fieldsOf(declared);
  const codes: ErrorCode[] = [...declared.errors];
  if (declared.retired?.(config)) codes.push('DEPRECATED');
  if (auth === 'required') codes.push('MISSING_KEY');
  if (!isProbe(declared.path)) codes.push('INVALID_KEY', 'RATE_LIMITED');
  if (body) codes.push('INVALID_JSON', 'BODY_TOO_LARGE', 'BODY_TOO_DEEP');
  if (!isRead(declared)) codes.push('INVALID_FIELD', 'REQUEST_IN_PROGRESS', 'IDEMPOTENCY_KEY_REUSED');
  if (query) codes.push('INVALID_QUERY');
  if (query || body) codes.push('UNKNOWN_PARAMETER');
  if (fields.length > 0) codes.push('INVALID_CHARACTERS');
  for (const field of fields) {
    if (field.required && field.place !== 'path') codes.push('MISSING_FIELD');
    if (field.max !== undefined) codes.push('FIELD_TOO_LONG');
    if (field.meta.code) codes.push(field.meta.code);
    else if (field.place === 'body') codes.push('INVALID_FIELD');
  }
  // All endpoints except those with the tag Operations read the database: /health reads nothing, and /ready declares its error 503.
  if (declared.tag !== 'Operations') {
    codes.push('DATABASE_UNAVAILABLE', 'DATABASE_BUSY', 'TIMED_OUT');
    if (declared.method !== 'GET') codes.push('OUTCOME_UNKNOWN');
  }
  codes.push('ORIGIN_REFUSED', 'INTERNAL');
  return [...new Set(codes)];
}

type Field = {
  readonly name: string;
  readonly place: 'path' | 'query' | 'body';
  readonly required: boolean;
  /** Maximum length that the declaration of the field accepts. */
  readonly max: number | undefined;
  readonly meta: FieldMeta;
};

function fieldsOf({ params, query, body }: Endpoint): Field[] {
  return Object.entries({ path: params, query, body }).flatMap(([place, schema]) =>
    Object.entries(schema?.shape ?? {}).map(([name, field]) => ({
      name,
      place: place as Field['place'],
      required: !field.safeParse(undefined).success,
      max: maxLengthOf(baseOf(field)),
      meta: metaOf(field),
    })),
  );
}

const maxLengthOf = (schema: z.core.$ZodType): number | undefined =>
  schema instanceof z.ZodString ? (schema.maxLength ?? undefined) : undefined;

/** Parameters for the example of an error. If the error is about a field, they name a field of the endpoint that can cause it. */
function sampleOf(code: ErrorCode, declared: Endpoint): ErrorParams {
  if (code === 'RATE_LIMITED') {
    const [row] = limitsOf(declared);
    const limit = row ? limitText({ ...row, per: row.per === 'ip' ? 'IP' : 'key' }) : '';
    return { seconds: 30, limit, advice: 'Wait 30 seconds' };
  }
  const sample = sampleParams[code];
  if (sample) return sample;
  if (code === 'BODY_TOO_LARGE') return { max: MAX_BYTES };
  if (code === 'BODY_TOO_DEEP') return { max: declared.jsonRpc ? MAX_RPC_DEPTH : MAX_JSON_DEPTH };
  const fields = fieldsOf(declared);
  const fits: Partial<Record<ErrorCode, (field: Field) => boolean>> = {
    MISSING_FIELD: ({ required, place }) => required && place !== 'path',
    INVALID_QUERY: ({ place, meta }) => place === 'query' && meta.code === undefined,
    INVALID_FIELD: ({ place, meta }) => place === 'body' && meta.code === undefined,
    INVALID_CHARACTERS: () => true,
    FIELD_IMMUTABLE: ({ meta }) => meta.code === 'FIELD_IMMUTABLE',
    FIELD_TOO_LONG: ({ max }) => max !== undefined,
  };
  if (code === 'UNKNOWN_PARAMETER') {
    const meant = fields.findLast(({ place }) => place !== 'path')?.name ?? '';
    // The example misspells a field: its last letter is missing.
    return { field: meant.slice(0, -1), meant };
  }
  const field = fields.find(fits[code] ?? (() => false));
  if (!field) return code === 'INVALID_FIELD' ? { field: IDEMPOTENCY_HEADER, expected: KEY_FORMAT } : {};
  return { field: field.name, expected: field.meta.expected ?? 'documented', ...(field.max ? { max: field.max } : {}) };
}
