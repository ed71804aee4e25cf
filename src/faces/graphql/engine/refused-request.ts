import { GraphQLError } from 'graphql';

/** Thrown for a request that is not executed, with errors in the form of GraphQL. */
export class RefusedRequest extends Error {
  constructor(
    readonly errors: readonly GraphQLError[],
    /** Status and headers of the HTTP response, unless they depend on the media type. */
    readonly http?: { readonly status: number; readonly headers?: Readonly<Record<string, string>> },
  ) {
    super(errors[0]?.message);
  }
}

/** Refuses a request with errors of graphql-js. An error without a code gets `code`. */
export function refused(code: string, errors: readonly GraphQLError[]): RefusedRequest {
  for (const error of errors) error.extensions.code ??= code;
  return new RefusedRequest(errors, fixedResponses[code]);
}

/** Refuses a request that is malformed as a whole. */
export const badRequest = (message: string, status = 400, headers: Readonly<Record<string, string>> = {}) =>
  new RefusedRequest([new GraphQLError(message, { extensions: { code: 'BAD_REQUEST' } })], { status, headers });

/** Clients of persisted queries expect status 200, and that no proxy caches the answer. */
const fixedResponses: Readonly<Record<string, RefusedRequest['http']>> = {
  PERSISTED_QUERY_NOT_FOUND: { status: 200, headers: { 'Cache-Control': 'private, no-cache, must-revalidate' } },
};
