import { type Document, textOf } from './document.js';
import { noAnswer, problemOf, RequestError } from './problem.js';

/** A request without an answer after this time counts as failed. The service's own deadline is 12 seconds. */
const TIMEOUT_MS = 15_000;

export type Execute = <Result, Variables>(
  document: Document<Result, Variables>,
  variables: Variables,
  options?: { readonly key?: string; readonly signal?: AbortSignal },
) => Promise<Result>;

type Answer<Result> = {
  readonly data?: Result | null;
  readonly errors?: readonly { readonly message?: string; readonly path?: readonly (string | number)[] }[];
};

/**
 * Sends a query or a mutation. Throws RequestError if there is no data, or if an error made a field of the root null. A nested
 * field with an error is null in the result, and every view handles null.
 */
export const execute: Execute = async <Result, Variables>(
  document: Document<Result, Variables>,
  variables: Variables,
  options: { readonly key?: string; readonly signal?: AbortSignal } = {},
): Promise<Result> => {
  const signal = AbortSignal.any([AbortSignal.timeout(TIMEOUT_MS), ...(options.signal ? [options.signal] : [])]);
  const headers = { 'content-type': 'application/json', ...(options.key && { 'x-api-key': options.key }) };
  const body = JSON.stringify({ query: textOf(document), variables });
  let response: Response;
  let answer: Answer<Result>;
  try {
    response = await fetch('/graphql', { method: 'POST', headers, body, signal });
    answer = (await response.json()) as Answer<Result>;
  } catch (cause) {
    if (options.signal?.aborted) throw cause;
    throw new RequestError(noAnswer(navigator.onLine, Date.now()));
  }
  const { data, errors = [] } = answer;
  const fatal = errors.filter(({ path: [root = ''] = [] }) => !data || data[root as keyof Result] === null);
  if (!data || fatal.length > 0) throw new RequestError(problemOf(fatal, response.headers.get('retry-after'), Date.now()));
  return data;
};
