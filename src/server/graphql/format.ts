import { GraphQLError, type GraphQLFormattedError, Kind, type Token, TokenKind } from 'graphql';
import type { Deps } from '../../deps.js';
import { forGraphql } from '../../errors/advice.js';
import { AppError } from '../../errors/errors.js';
import { RateLimited } from '../../limits/limits.js';
import { outageOf } from '../../observe/database-errors.js';
import { logUnexpected, problemOf } from '../http/problem.js';

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

/**
 * An error of the service as an entry of `errors`, with the same code as in REST. `argument`: name of the argument that is wrong.
 */
function errorBody(error: AppError, argument?: string): GraphQLFormattedError {
  const { code, message, hint, details } = argument === undefined ? error : atArgument(error, argument);
  // The value of Retry-After is a field of the entry, because an entry of `errors` has no headers.
  const retry = error.retryAfter !== undefined ? { retryAfter: error.retryAfter } : {};
  const windows = error instanceof RateLimited ? { windows: error.refusedBy } : {};
  return { message, extensions: { code, hint: forGraphql(hint), ...retry, ...windows, ...details } };
}

/** Adds the name of the argument to the error of a scalar. A scalar gets only the value, so it does not know the name. */
function atArgument(error: AppError, argument: string): Pick<AppError, 'code' | 'message' | 'hint' | 'details'> {
  const { code, params, details, hint } = error;
  if ('field' in params) return new AppError(code, { ...params, field: argument }, { details });
  return { code, hint, details, message: `${argument}: ${error.message}` };
}

/**
 * Name of the argument or input field whose value a scalar refused. For a literal, it is the name before the literal. For a
 * variable, it is the last name in the path that graphql-js writes into the message, or else the name of the variable.
 */
function argumentOf({ nodes, message }: GraphQLError): string | undefined {
  const [node] = nodes ?? [];
  if (node?.kind === Kind.VARIABLE_DEFINITION) {
    const [, name = node.variable.name.value] = / at "[^"]*?(\w+)(?:\[\d+\])*"; /.exec(message) ?? [];
    return name;
  }
  let token = tokenBefore(node?.loc?.startToken);
  if (token?.kind === TokenKind.COLON) return tokenBefore(token)?.value;
  if (token?.kind !== TokenKind.EQUALS) return undefined;
  // The literal is the default of a variable, `$name: Type = value`, so the name follows the `$`.
  while (token && token.kind !== TokenKind.DOLLAR) token = tokenBefore(token);
  return token?.next?.value;
}

function tokenBefore(token: Token | undefined): Token | undefined {
  let before = token?.prev;
  while (before?.kind === TokenKind.COMMENT) before = before.prev;
  return before ?? undefined;
}

/** Maximum length of a path in the log, in characters. Clients can make paths long with aliases. */
const MAX_PATH_LENGTH = 200;

/** The error that a resolver or scalar threw, if any. graphql-js wraps it, sometimes twice. */
function causeOf(thrown: unknown): unknown {
  let error = thrown;
  while (error instanceof GraphQLError) error = error.originalError;
  return error;
}

/**
 * Whether the client caused the error: graphql-js found it in the request as a whole, or in a variable or literal, such as null.
 */
function isClientError(error: GraphQLError): boolean {
  if (causeOf(error) !== undefined) return false;
  const { originalError } = error;
  return error.path === undefined || (originalError instanceof GraphQLError && isAtValue(originalError));
}

/** Whether the error is at a variable or a literal. Literals are nodes whose kind ends in `Value`, such as `StringValue`. */
const isAtValue = ({ nodes }: GraphQLError): boolean => /^Variable|Value$/.test(nodes?.[0]?.kind ?? '');

/** Wraps an error of the service, so that it can be listed with errors of graphql-js. */
export const graphError = (error: Error): GraphQLError => new GraphQLError(error.message, { originalError: error });

/** Converts an error to an entry of `errors` in an answer, and counts it as a failure in the metrics. */
export function formatError(deps: Deps, error: GraphQLError): GraphQLFormattedError {
  const entry = entryOf(deps, error);
  deps.metrics.countError('graphql', String(entry.extensions?.code));
  return entry;
}

function entryOf({ log }: Deps, error: GraphQLError): GraphQLFormattedError {
  const { message, locations, path, extensions } = error.toJSON();
  const place = { ...(locations ? { locations } : {}), ...(path ? { path } : {}) };
  const cause = causeOf(error);
  const appError = cause instanceof AppError ? cause : outageOf(error);
  const argument = isAtValue(error) ? argumentOf(error) : undefined;
  if (appError) return { ...errorBody(appError, argument), ...place };
  // Apollo Server gives some errors about the HTTP request a status, but no code. They get BAD_REQUEST.
  const code = String(extensions?.code ?? (extensions?.http ? 'BAD_REQUEST' : ''));
  const clientCode = Object.hasOwn(hints, code) ? code : isClientError(error) ? 'BAD_USER_INPUT' : undefined;
  // Client errors are not logged, because their messages repeat the input of the client.
  if (clientCode !== undefined) {
    // The message of graphql-js already names a variable, but not an argument.
    const named = argument === undefined || message.startsWith('Variable ') ? message : `${argument}: ${message}`;
    return { message: named, ...place, extensions: { code: clientCode, hint: hints[clientCode] } };
  }
  logUnexpected(log, cause ?? error, { path: path?.join('.').slice(0, MAX_PATH_LENGTH) });
  return { ...errorBody(problemOf(error).error), ...place };
}
