import { HeaderMap, type HTTPGraphQLRequest } from '@apollo/server';
import type { Context } from 'koa';
import { type Bytes, bypassesCache, bytesOf } from '../../http/public-answer.js';
import type { HttpAnswer, HttpExecution } from '../engine.js';

/** What the answer depends on beside the query. */
type RequestHead = Pick<Context, 'method' | 'headers' | 'get'>;

/** Thrown while an answer is loaded, to return one that is not public. The cache stores nothing if loading throws. */
class PrivateAnswer extends Error {
  constructor(readonly answer: HttpAnswer) {
    super('not cached');
  }
}

/**
 * Answers public queries of callers without a key from a cache with a TTL of one second. Concurrent requests for the same
 * answer share one execution. `Cache-Control: no-cache` bypasses the cache; the answer to a POST with it is private.
 */
export async function publicAnswer(ctx: RequestHead, execution: HttpExecution): Promise<Bytes | HttpAnswer> {
  const { request, known, cache } = execution;
  const execute = () => execution.execute(httpRequest(ctx, execution));
  const bypass = bypassesCache(ctx);
  if (cache === undefined || (bypass && ctx.method === 'POST')) return execute();
  const load = async (): Promise<Bytes> => {
    const answer = await execute();
    if (!answer.state.isComplete || answer.status !== undefined) throw new PrivateAnswer(answer);
    return bytesOf(textOf(answer));
  };
  try {
    if (bypass) return await load();
    const key = `${known?.hash} ${request.operationName ?? ''} ${JSON.stringify(request.variables)}`;
    return await cache.get(key, load, ({ bytes }) => bytes.length);
  } catch (error) {
    if (error instanceof PrivateAnswer) return error.answer;
    throw error;
  }
}

/** The request for Apollo Server, with exactly the fields that were measured. */
function httpRequest({ method, headers: given }: RequestHead, { request: body }: HttpExecution): HTTPGraphQLRequest {
  const headers = new HeaderMap();
  for (const [name, value] of Object.entries(given)) if (value !== undefined) headers.set(name, String(value));
  const text = (value: unknown) => (typeof value === 'string' ? value : JSON.stringify(value));
  const parameters = method === 'GET' ? Object.entries(body).map(([name, value]) => [name, text(value)]) : [];
  return { method, search: String(new URLSearchParams(parameters)), headers, body };
}

export function textOf({ body }: HttpAnswer): string {
  if (body.kind === 'complete') return body.string;
  throw new Error('The schema has no directive @defer, but Apollo Server sends the answer in parts');
}
