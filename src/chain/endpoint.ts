import type { JsonRpcError, JsonRpcPayload, JsonRpcResult } from 'ethers';
import type { Times } from '../config/timeouts.js';
import type { Metrics } from '../observe/metrics.js';
import { isPlausible } from './logs/rpc-answers.js';

export const LOGS = 'eth_getLogs';

/** HTTP statuses with which a URL rejects a request before it executes any call. So even a broadcast may be sent to another URL. */
const REFUSALS = new Set([401, 403, 429]);
/** Codes of connection errors: the request was not sent, so even a broadcast may be sent to another URL. */
const UNREACHED = new Set(['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN', 'EHOSTUNREACH', 'ENETUNREACH']);

/**
 * The JSON-RPC code for "limit exceeded", sent with HTTP 200. For `eth_getLogs` it may also mean "range too large", so it does not
 * count as a rate limit there.
 */
const TOO_MANY = -32005;
const LIMITED = /too many requests|rate.?limit|compute units/i;

/** HTTP statuses with which some RPCs reject a batch, although they answer each call alone. The calls are then sent one by one. */
const BATCH_REFUSED = new Set([400, 405, 413, 415, 422]);

/** The URL did not execute the request, so even a broadcast may be sent to another URL. */
export class RequestRefused extends Error {}

/** The URL gave a malformed answer. The call goes to another URL, and is not sent alone to this URL. */
class MalformedAnswer extends Error {}

export type Reply = Array<JsonRpcResult | JsonRpcError>;
export type CallMetric = Metrics['rpcCalls'];
export type RpcEndpoint = {
  readonly url: string;
  /** Counts a call. The label of the URL contains only its host, because a path may contain an API key. */
  readonly count: (labels: { method: string; result: string }, seconds: number) => void;
  readonly headers: Record<string, string>;
  /** True if calls skip this URL, because it hangs, or because it was not checked yet. */
  isOut: boolean;
  /** End of the cooldown of this URL. Until then, it is asked after all other URLs. */
  restsUntil: number;
  /** Number of requests that ended in time, with an answer or an error. It tells a URL that fails from one that hangs. */
  answers: number;
  /** Time until which calls are sent one by one, because this URL refused a batch. */
  unbatchedUntil: number;
};
export type RpcRequest = {
  readonly calls: readonly JsonRpcPayload[];
  /** True if one node must answer all calls, in order. */
  readonly sameNode: boolean;
};

/** Number of cooldowns (`rpcCooldown`) until a URL that refused a batch gets batches again: the refusal may have been temporary. */
const UNBATCHED_COOLDOWNS = 6;

/** Sends a batch, or the calls one by one to a URL that refuses batches. */
export async function postJson(
  endpoint: RpcEndpoint,
  { calls, sameNode }: RpcRequest,
  signal: AbortSignal,
  times: Times,
): Promise<Reply> {
  if (calls.length === 1 || endpoint.unbatchedUntil <= times.now()) {
    try {
      const reply = await postOnce(endpoint, calls, signal);
      if (reply !== 'batch refused') return reply;
    } catch (error) {
      // With `sameNode`, the node gets the calls of a failed batch one by one, below.
      if (!sameNode || calls.length === 1 || isFinal(error, signal)) throw error;
    }
  }
  if (sameNode) return postInSequence(endpoint, calls, signal);
  const replies = await Promise.all(calls.map((call) => postOnce(endpoint, [call], signal)));
  if (endpoint.unbatchedUntil <= times.now()) {
    endpoint.unbatchedUntil = times.now() + UNBATCHED_COOLDOWNS * times.rpcCooldown;
  }
  return replies.flat() as Reply;
}

/** Whether it is useless to send the calls to the same URL again, one by one. */
const isFinal = (error: unknown, signal: AbortSignal): boolean =>
  error instanceof RequestRefused || error instanceof MalformedAnswer || signal.aborted;

/**
 * Sends the calls to one node one by one, after their batch has failed there. If the first call fails, this throws, and another URL
 * is asked. A later call that fails has an error as its reply.
 */
async function postInSequence(endpoint: RpcEndpoint, calls: readonly JsonRpcPayload[], signal: AbortSignal): Promise<Reply> {
  const replies: Reply = [];
  for (const call of calls) {
    try {
      replies.push(...((await postOnce(endpoint, [call], signal)) as Reply));
    } catch (error) {
      if (replies.length === 0 || isFinal(error, signal)) throw error;
      replies.push({ id: call.id, error: { code: -32000, message: (error as Error).message } });
    }
  }
  return replies;
}

/** The reason with which the request of a URL is aborted when another URL has answered. */
export const CANCELLED = new Error('another URL has answered');

/** Sends one request. Counts its calls, unless it is a refused batch, whose calls are sent again. */
async function postOnce(
  endpoint: RpcEndpoint,
  calls: readonly JsonRpcPayload[],
  signal: AbortSignal,
): Promise<Reply | 'batch refused'> {
  const started = performance.now();
  const count = (method: string, result: string) => endpoint.count({ method, result }, (performance.now() - started) / 1000);
  try {
    const reply = await exchange(endpoint, calls, signal);
    if (reply === 'batch refused') return reply;
    for (const { id, method } of calls) {
      const answer = reply.find((one) => one.id === id);
      count(method, isError(answer) ? 'error' : 'answered');
    }
    return reply;
  } catch (error) {
    for (const { method } of calls) count(method, signal.reason === CANCELLED ? 'cancelled' : 'failed');
    throw error;
  }
}

async function exchange(
  { url, headers }: RpcEndpoint,
  calls: readonly JsonRpcPayload[],
  signal: AbortSignal,
): Promise<Reply | 'batch refused'> {
  const body = JSON.stringify(calls.length === 1 ? calls[0] : calls);
  const response = await fetch(url, { method: 'POST', headers, body, signal }).catch((error: Error) => {
    const { code } = (error.cause ?? {}) as NodeJS.ErrnoException;
    throw UNREACHED.has(code ?? '') ? new RequestRefused(code) : new Error(code ?? error.message, { cause: error });
  });
  if (REFUSALS.has(response.status)) throw new RequestRefused(`HTTP ${response.status}`);
  // The URL may have executed the calls, so this is not a RequestRefused.
  if (response.status === 408 || response.status >= 500) throw new Error(`HTTP ${response.status}`);
  if (calls.length > 1 && BATCH_REFUSED.has(response.status)) return 'batch refused';
  const reply: unknown = await response.json();
  // The URL answers with a single error instead of an array, so it takes no batches.
  if (calls.length > 1 && isError(reply)) return 'batch refused';
  const answers: unknown[] = Array.isArray(reply) ? reply : [reply];
  if (!calls.every(({ id }) => answers.some((answer) => answersTo(id, answer)))) {
    throw new Error(`HTTP ${response.status} without a JSON-RPC answer`);
  }
  const valid = answers.filter((answer) => typeof answer === 'object' && answer !== null) as Reply;
  const rateLimited = valid.find((answer) => isRateLimited(answer, calls));
  if (rateLimited !== undefined) throw new RequestRefused((rateLimited as JsonRpcError).error.message);
  for (const answer of valid) {
    const call = calls.find(({ id }) => id === answer.id);
    if (call !== undefined && 'result' in answer && !isPlausible(call, answer.result)) {
      throw new MalformedAnswer(`malformed answer to ${call.method}`);
    }
  }
  return valid;
}

function isRateLimited(answer: Reply[number], calls: readonly JsonRpcPayload[]): boolean {
  if (!isError(answer)) return false;
  const { code, message } = (answer as JsonRpcError).error;
  const logs = calls.some(({ id, method }) => id === answer.id && method === LOGS);
  return code === 429 || (code === TOO_MANY && !logs) || LIMITED.test(String(message));
}

const isError = (reply: unknown): boolean =>
  typeof reply === 'object' && typeof (reply as Partial<JsonRpcError> | null)?.error === 'object';

const answersTo = (id: number, answer: unknown): boolean =>
  typeof answer === 'object' &&
  answer !== null &&
  (answer as JsonRpcResult).id === id &&
  ('result' in answer || typeof (answer as Partial<JsonRpcError>).error === 'object');

/** The endpoints of the URLs. If several URLs have the same host, their label in the metrics also has the number of the URL. */
export function endpointsOf(urls: readonly string[], metric: CallMetric | undefined): RpcEndpoint[] {
  const hosts = urls.map((url) => new URL(url).host);
  return urls.map((text, i) => {
    const host = hosts[i] ?? '';
    const url = hosts.filter((other) => other === host).length > 1 ? `${host} (URL ${i + 1})` : host;
    const state = { isOut: false, restsUntil: 0, answers: 0, unbatchedUntil: 0 };
    return { ...endpointOf(text), ...state, count: (labels, seconds) => metric?.observe({ url, ...labels }, seconds) };
  });
}

/** fetch rejects URLs with credentials, so user and password move to the Authorization header. */
export function endpointOf(text: string): Pick<RpcEndpoint, 'url' | 'headers'> {
  const url = new URL(text);
  const headers: Record<string, string> = { 'content-type': 'application/json' };
  if (url.username !== '' || url.password !== '') {
    const credentials = `${decodeURIComponent(url.username)}:${decodeURIComponent(url.password)}`;
    headers.authorization = `Basic ${Buffer.from(credentials).toString('base64')}`;
    url.username = '';
    url.password = '';
  }
  // Removes the fragment: servers never receive it, and WebSocket rejects a URL with a fragment.
  url.hash = '';
  return { url: url.href, headers };
}
