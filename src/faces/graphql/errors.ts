import { GraphQLError, type GraphQLFormattedError, Kind } from 'graphql';
import type { Deps } from '../../deps.js';
import { AppError } from '../../errors.js';
import { problemOf } from '../problem.js';

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
  const retry = error.status === 429 ? { retryAfter: error.retryAfter } : {};
  return { message, extensions: { code, hint, ...retry, ...details } };
}

/** graphql-js wraps what resolvers and scalars throw, sometimes twice. */
function appErrorIn(thrown: unknown): AppError | undefined {
  let error = thrown;
  for (let i = 0; i < 5 && error instanceof Error; i++) {
    if (error instanceof AppError) return error;
    error = (error as { originalError?: unknown }).originalError;
  }
  return undefined;
}

/** Null for an argument that must not be null is found where the variable is used. */
function isOfVariable(thrown: unknown): boolean {
  const { originalError } = thrown as GraphQLError;
  return originalError instanceof GraphQLError && originalError.nodes?.[0]?.kind === Kind.VARIABLE;
}

export function formatError({ log }: Deps, formatted: GraphQLFormattedError, thrown: unknown): GraphQLFormattedError {
  const { locations, path } = formatted;
  const place = { ...(locations ? { locations } : {}), ...(path ? { path } : {}) };
  const known = appErrorIn(thrown);
  if (known) return { ...errorBody(known), ...place };
  // What Apollo refuses without a name is a request that is wrong in itself.
  const unnamed = (thrown as GraphQLError).extensions?.http !== undefined && !formatted.path;
  const own = String(formatted.extensions?.code ?? '');
  const code = isOfVariable(thrown)
    ? 'BAD_USER_INPUT'
    : own === 'INTERNAL_SERVER_ERROR' && unnamed
      ? 'BAD_REQUEST'
      : own;
  const hint = hints[code];
  if (hint !== undefined) return { message: formatted.message, ...place, extensions: { code, hint } };
  log.error({ err: thrown }, 'unexpected error');
  return { ...errorBody(problemOf(thrown).error), ...place };
}
