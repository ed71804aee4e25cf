import { GraphQLError, type GraphQLFormattedError, Kind } from 'graphql';
import type { Deps } from '../../../deps.js';
import { AppError } from '../../../errors.js';
import { outageOf } from '../../../outage.js';
import { RateLimited } from '../../access/rate-limit.js';
import { problemOf } from '../../http/problem.js';
import { logUnexpected } from '../../http/unexpected-errors.js';

const CHECK = 'Check the query against the schema: GET /graphql in a browser shows it, and introspection is on.';

/** What to do about the errors that the server itself finds in a request. */
const hints: Readonly<Record<string, string>> = {
  GRAPHQL_PARSE_FAILED: 'Correct the syntax of the query at the place that locations names.',
  GRAPHQL_VALIDATION_FAILED: CHECK,
  BAD_USER_INPUT: CHECK,
  OPERATION_RESOLUTION_FAILURE: 'Name one of the operations of the document in operationName.',
  PERSISTED_QUERY_NOT_FOUND: 'Send the query together with its hash once; afterwards the hash will do.',
  PERSISTED_QUERY_NOT_SUPPORTED: 'Send the query itself.',
  BAD_REQUEST: 'POST a JSON object with query, and Content-Type: application/json.',
};

/** The error as a field of an answer has it: the code and the hint are those of REST. */
export function errorBody(error: AppError): GraphQLFormattedError {
  const { code, hint, message, details } = error;
  // Within an answer there is no Retry-After header.
  const retry = error.retryAfter !== undefined ? { retryAfter: error.retryAfter } : {};
  const windows = error instanceof RateLimited ? { windows: error.refusedBy } : {};
  return { message, extensions: { code, hint, ...retry, ...windows, ...details } };
}

/** graphql-js wraps what resolvers and scalars throw, sometimes twice. */
function appErrorIn(thrown: unknown): AppError | undefined {
  let error = thrown;
  for (let i = 0; i < 5 && error instanceof Error; i++) {
    if (error instanceof AppError) return error;
    error = (error as { originalError?: unknown }).originalError;
  }
  return outageOf(thrown);
}

/** Callers choose the names in a path by aliases. */
const MOST_OF_PATH = 200;

/** The nodes of a document where a value stands. */
const VALUES: ReadonlySet<string> = new Set([
  Kind.VARIABLE,
  Kind.INT,
  Kind.FLOAT,
  Kind.STRING,
  Kind.BOOLEAN,
  Kind.NULL,
  Kind.ENUM,
  Kind.LIST,
  Kind.OBJECT,
]);

/** What a resolver, or a scalar, has thrown; undefined for what graphql-js and Apollo find by themselves. */
function causeOf(thrown: unknown): unknown {
  let error = thrown;
  while (error instanceof GraphQLError) error = error.originalError;
  return error;
}

/**
 * Whether the request is wrong: as a whole, before anything was executed, or in a value that is judged where it is used,
 * such as null for an argument that must not be null.
 */
function isOfCaller(thrown: unknown, path: GraphQLFormattedError['path']): boolean {
  if (causeOf(thrown) !== undefined) return false;
  const { originalError } = thrown as GraphQLError;
  return path === undefined || (originalError instanceof GraphQLError && isAtValue(originalError));
}

const isAtValue = ({ nodes }: GraphQLError): boolean => VALUES.has(nodes?.[0]?.kind ?? '');

export function formatError({ log }: Deps, formatted: GraphQLFormattedError, thrown: unknown): GraphQLFormattedError {
  const { locations, path } = formatted;
  const place = { ...(locations ? { locations } : {}), ...(path ? { path } : {}) };
  const known = appErrorIn(thrown);
  if (known) return { ...errorBody(known), ...place };
  const own = String(formatted.extensions?.code ?? '');
  // What Apollo refuses without a code is a request that is wrong in itself.
  const unnamed = (thrown as GraphQLError).extensions?.http !== undefined && !path;
  const code = own === 'INTERNAL_SERVER_ERROR' && unnamed ? 'BAD_REQUEST' : own;
  const named = Object.hasOwn(hints, code) ? code : isOfCaller(thrown, path) ? 'BAD_USER_INPUT' : undefined;
  // Errors of the caller are not logged: their messages repeat what was sent.
  if (named !== undefined) {
    return { message: formatted.message, ...place, extensions: { code: named, hint: hints[named] } };
  }
  logUnexpected(log, causeOf(thrown) ?? thrown, { path: path?.join('.').slice(0, MOST_OF_PATH) });
  return { ...errorBody(problemOf(thrown).error), ...place };
}
