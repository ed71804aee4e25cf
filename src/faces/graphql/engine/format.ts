import { type ExecutionResult, type FormattedExecutionResult, GraphQLError, type GraphQLFormattedError } from 'graphql';
import type { Deps } from '../../../deps.js';
import { AppError } from '../../../errors.js';
import { outageOf } from '../../../outage.js';
import { RateLimited } from '../../access/rate-limit.js';
import { problemOf } from '../../http/problem.js';
import { logUnexpected } from '../../http/unexpected-errors.js';

const CHECK = 'Check the query against the schema: GET /graphql in a browser shows it, and introspection is on.';

/** Hints for the errors that Apollo Server finds in a request, by code. */
const hints: Readonly<Record<string, string>> = {
  GRAPHQL_PARSE_FAILED: 'Correct the syntax error at the position in locations.',
  GRAPHQL_VALIDATION_FAILED: CHECK,
  BAD_USER_INPUT: CHECK,
  OPERATION_RESOLUTION_FAILURE: 'Send operationName with the name of one operation of the document.',
  PERSISTED_QUERY_NOT_FOUND: 'Send the query together with its hash once. Later requests can send only the hash.',
  BAD_REQUEST: 'Send a POST with a JSON object that contains query, and with Content-Type: application/json.',
};

/** The error as an entry of `errors`, with the code and hint that REST uses. */
export function errorBody(error: AppError): GraphQLFormattedError {
  const { code, hint, message, details } = error;
  // The value of Retry-After is a field of the entry, because an entry of `errors` has no headers.
  const retry = error.retryAfter !== undefined ? { retryAfter: error.retryAfter } : {};
  const windows = error instanceof RateLimited ? { windows: error.refusedBy } : {};
  return { message, extensions: { code, hint, ...retry, ...windows, ...details } };
}

/** Maximum length of a path in the log, in characters. Clients can make paths long with aliases. */
const MAX_PATH_LENGTH = 200;

/**
 * The error that a resolver or scalar threw. graphql-js wraps it, sometimes twice. Undefined for an error that graphql-js found
 * itself.
 */
function causeOf(thrown: unknown): unknown {
  let error = thrown;
  while (error instanceof GraphQLError) error = error.originalError;
  return error;
}

/**
 * Whether the client caused an error that has no code: the error concerns the request as a whole, or a value that is
 * checked where it is used, such as null for a non-null argument.
 */
function isClientError(error: GraphQLError): boolean {
  if (causeOf(error) !== undefined) return false;
  const { originalError } = error;
  return error.path === undefined || (originalError instanceof GraphQLError && isAtValue(originalError));
}

/** Whether the error is at a variable or a literal: the names of the kinds of literals end in Value. */
const isAtValue = ({ nodes }: GraphQLError): boolean => /^Variable$|Value$/.test(nodes?.[0]?.kind ?? '');

/** Wraps an error of the service, so that it can be listed with errors of graphql-js. */
export const graphError = (error: Error): GraphQLError => new GraphQLError(error.message, { originalError: error });

export function formatError({ log }: Deps, error: GraphQLError): GraphQLFormattedError {
  const { message, locations, path, extensions } = error.toJSON();
  const place = { ...(locations ? { locations } : {}), ...(path ? { path } : {}) };
  const cause = causeOf(error);
  const appError = cause instanceof AppError ? cause : outageOf(error);
  if (appError) return { ...errorBody(appError), ...place };
  // Apollo Server gives some errors about the HTTP request a status, but no code.
  const code = String(extensions?.code ?? (extensions?.http ? 'BAD_REQUEST' : ''));
  const clientCode = Object.hasOwn(hints, code) ? code : isClientError(error) ? 'BAD_USER_INPUT' : undefined;
  // Client errors are not logged, because their messages repeat the input of the client.
  if (clientCode !== undefined) return { message, ...place, extensions: { code: clientCode, hint: hints[clientCode] } };
  logUnexpected(log, cause ?? error, { path: path?.join('.').slice(0, MAX_PATH_LENGTH) });
  return { ...errorBody(problemOf(error).error), ...place };
}

/** Formats the errors of a result. In the answer, the errors come before the data. */
export function formatResult(deps: Deps, { data, errors }: ExecutionResult): FormattedExecutionResult {
  if (errors === undefined) return { data };
  const formatted = errors.map((error) => formatError(deps, error));
  return data === undefined ? { errors: formatted } : { errors: formatted, data };
}
