import { JsonRpcApiProvider, type JsonRpcError, type JsonRpcPayload, type JsonRpcResult, Network } from 'ethers';
import { isPlausible } from './logs/answers.js';

/** No RPC answered in time. Anything that a node itself answers, errors included, is not this. */
export class RpcUnavailable extends Error {}

/** What a caller waits for altogether, and when the next URL is asked besides one that has not answered. */
export type RpcLimits = { readonly totalMs: number; readonly hedgeMs: number };

export type RpcTimes = {
  readonly interactive: RpcLimits;
  /** Ranges of logs are large, and only the indexer asks for them. */
  readonly bulk: RpcLimits;
  /** How long a URL that failed is asked last. */
  readonly restMs: number;
};

const TIMES: RpcTimes = {
  interactive: { totalMs: 3000, hedgeMs: 1000 },
  // A range that takes longer is asked for in smaller parts. A longer wait would outlast an RPC that is well again.
  bulk: { totalMs: 5000, hedgeMs: 1900 },
  restMs: 10_000,
};
/** How many rests a URL takes whose answers contradict the chain, or that is behind the index. */
const DISTRUST_RESTS = 3;
/** After so many rests a URL that took no lists is offered one again: it may have been a fault of the moment. */
const SINGLES_RESTS = 6;

const LOGS = 'eth_getLogs';
/** Asking a second URL as well would answer "already known" for what the first has taken. */
const BROADCAST = 'eth_sendRawTransaction';

/** HTTP statuses that say that the request was turned away before anything was done. */
const REFUSALS = new Set([401, 403, 429]);
const UNREACHED = new Set(['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN', 'EHOSTUNREACH', 'ENETUNREACH']);

/** The same in JSON-RPC's words, which some send with HTTP 200. For logs the first code may mean: a smaller range. */
const TOO_MANY = -32005;
const LIMITED = /too many requests|rate.?limit|compute units/i;

/** Statuses that some give to several calls in one request, where each alone is answered. */
const LISTS_REFUSED = new Set([400, 405, 413, 415, 422]);

/** The URL has certainly not taken the request: another one may be given it, whatever it is. */
class Refused extends Error {}

/** An answer that has not the form of one. Another URL is asked; this one would say as little to one call alone. */
class Nonsense extends Error {}

export type Call = { readonly method: string; readonly params: unknown[] };
export type RpcReply = JsonRpcResult | JsonRpcError;
type Send = JsonRpcApiProvider['send'];
type Reply = Array<JsonRpcResult | JsonRpcError>;
type Endpoint = {
  readonly url: string;
  readonly headers: Record<string, string>;
  restsUntil: number;
  /** Until then it is asked with one call a request, since it was found to take no lists. */
  singlesUntil: number;
};
type Request = {
  readonly calls: readonly JsonRpcPayload[];
  readonly once: boolean;
  /** Calls that are worth nothing but together, in their order. */
  readonly whole: boolean;
};

/**
 * JSON-RPC over several URLs, in the order of preference. One that refuses is passed over at once, one that hangs
 * after a second; either is asked last for ten seconds, then the first is the first again. (The provider that comes
 * with ethers for this can hang for ever on an endpoint that hangs.)
 */
export class RpcProvider extends JsonRpcApiProvider {
  readonly #endpoints: Endpoint[];

  constructor(
    urls: readonly string[],
    chainId: number,
    readonly times: RpcTimes = TIMES,
  ) {
    const network = Network.from(chainId);
    super(network, { staticNetwork: network, cacheTimeout: -1, batchMaxCount: 50, polling: true });
    this.#endpoints = urls.map(endpointOf);
  }

  /** What has limits of its own is not put into one batch with what a caller waits for. */
  override async send(method: string, params: unknown[] | Record<string, unknown>): ReturnType<Send> {
    if (this.destroyed || (method !== LOGS && method !== BROADCAST)) return super.send(method, params);
    const payload: JsonRpcPayload = { method, params, id: 1, jsonrpc: '2.0' };
    const [reply] = await this._send(payload);
    if (reply === undefined || 'error' in reply) throw this.getRpcError(payload, reply as JsonRpcError);
    return reply.result;
  }

  /** The node's answer to one call, an error of the node included. */
  async reply(call: Call): Promise<RpcReply> {
    const [reply] = await this.batch([call]);
    return reply as RpcReply;
  }

  /** Several calls in one request, or, where that is refused, in one each; the answers in the order of the calls. */
  batch(calls: readonly Call[]): Promise<Reply> {
    return this.#inOrder(calls, false);
  }

  /** The same, all answered by one node, and one after the other. What it does not answer besides the first is an error. */
  together(calls: readonly Call[]): Promise<Reply> {
    return this.#inOrder(calls, true);
  }

  async #inOrder(calls: readonly Call[], whole: boolean): Promise<Reply> {
    const payloads = calls.map((call, id): JsonRpcPayload => ({ ...call, id, jsonrpc: '2.0' }));
    const answers = new Map((await this.#ask(payloads, whole)).map((answer) => [answer.id, answer]));
    return payloads.map(({ id }) => answers.get(id) as JsonRpcResult | JsonRpcError);
  }

  override async _send(payload: JsonRpcPayload | JsonRpcPayload[]): Promise<Reply> {
    return this.#ask(Array.isArray(payload) ? payload : [payload], false);
  }

  /** How many URLs there are to ask. */
  get urls(): number {
    return this.#endpoints.length;
  }

  /** What was answered last was wrong: the URL that is asked first is asked last for a while. */
  distrust(): void {
    const [first] = this.#order();
    if (first !== undefined) first.restsUntil = Date.now() + DISTRUST_RESTS * this.times.restMs;
  }

  #order(): Endpoint[] {
    const now = Date.now();
    const rests = ({ restsUntil }: Endpoint) => (restsUntil > now ? restsUntil : 0);
    return [...this.#endpoints].sort((a, b) => rests(a) - rests(b));
  }

  #ask(payloads: readonly JsonRpcPayload[], whole: boolean): Promise<Reply> {
    const limits = payloads.some(({ method }) => method === LOGS) ? this.times.bulk : this.times.interactive;
    const request = {
      calls: payloads,
      whole,
      once: payloads.some(({ method }) => method === BROADCAST),
    };
    return firstAnswer(this.#order(), request, limits, this.times.restMs);
  }
}

function firstAnswer(order: readonly Endpoint[], request: Request, limits: RpcLimits, restMs: number): Promise<Reply> {
  return new Promise((resolve, reject) => {
    const abort = new AbortController();
    const hedges = new Set<NodeJS.Timeout>();
    const failures: string[] = [];
    let asked = 0;
    const finish = (settle: () => void) => {
      clearTimeout(total);
      for (const hedge of hedges) clearTimeout(hedge);
      abort.abort();
      settle();
    };
    const fail = () => finish(() => reject(new RpcUnavailable(failures.join('; ') || 'no answer in time')));
    const total = setTimeout(fail, limits.totalMs);
    const askNext = () => {
      const endpoint = order[asked];
      if (endpoint === undefined) return;
      const turn = ++asked;
      const passOver = () => {
        endpoint.restsUntil = Date.now() + restMs;
        // If another has been asked besides, that one has its own time.
        if (turn === asked) askNext();
      };
      const hedge = setTimeout(() => {
        if (request.once) endpoint.restsUntil = Date.now() + restMs;
        else passOver();
      }, limits.hedgeMs);
      hedges.add(hedge);
      post(endpoint, request, abort.signal, restMs * SINGLES_RESTS).then(
        (reply) => finish(() => resolve(reply)),
        (error: Error) => {
          if (abort.signal.aborted) return;
          clearTimeout(hedge);
          failures.push(error.message);
          if (request.once && !(error instanceof Refused)) {
            endpoint.restsUntil = Date.now() + restMs;
            return fail();
          }
          passOver();
          if (failures.length === order.length) fail();
        },
      );
    };
    askNext();
  });
}

/** Several calls in one request; in one each where the URL is known, or now found, to take no lists. */
async function post(
  endpoint: Endpoint,
  { calls, whole }: Request,
  signal: AbortSignal,
  singlesMs: number,
): Promise<Reply> {
  if (whole && calls.length > 1) return postTogether(endpoint, calls, signal);
  if (calls.length === 1 || endpoint.singlesUntil < Date.now()) {
    const reply = await postOnce(endpoint, calls, signal);
    if (reply !== 'no lists') return reply;
  }
  const replies = await Promise.all(calls.map((call) => postOnce(endpoint, [call], signal)));
  if (endpoint.singlesUntil < Date.now()) endpoint.singlesUntil = Date.now() + singlesMs;
  return replies.flat() as Reply;
}

/** A request may be refused for what one of its calls asks: then they are sent in turn, and that one is. */
async function postTogether(endpoint: Endpoint, calls: readonly JsonRpcPayload[], signal: AbortSignal): Promise<Reply> {
  const hopeless = (error: unknown) => error instanceof Refused || error instanceof Nonsense || signal.aborted;
  if (endpoint.singlesUntil < Date.now()) {
    try {
      const reply = await postOnce(endpoint, calls, signal);
      if (reply !== 'no lists') return reply;
    } catch (error) {
      if (hopeless(error)) throw error;
    }
  }
  const replies: Reply = [];
  for (const call of calls) {
    try {
      replies.push(...((await postOnce(endpoint, [call], signal)) as Reply));
    } catch (error) {
      if (hopeless(error) || replies.length === 0) throw error;
      replies.push({ id: call.id, error: { code: -32000, message: (error as Error).message } });
    }
  }
  return replies;
}

async function postOnce(
  { url, headers }: Endpoint,
  calls: readonly JsonRpcPayload[],
  signal: AbortSignal,
): Promise<Reply | 'no lists'> {
  const body = JSON.stringify(calls.length === 1 ? calls[0] : calls);
  const response = await fetch(url, { method: 'POST', headers, body, signal }).catch((error: Error) => {
    const { code } = (error.cause ?? {}) as NodeJS.ErrnoException;
    throw UNREACHED.has(code ?? '') ? new Refused(code) : error;
  });
  if (REFUSALS.has(response.status)) throw new Refused(`HTTP ${response.status}`);
  if (response.status === 408 || response.status >= 500) throw new Error(`HTTP ${response.status}`);
  if (calls.length > 1 && LISTS_REFUSED.has(response.status)) return 'no lists';
  const reply: unknown = await response.json();
  if (calls.length > 1 && isError(reply)) return 'no lists';
  const answers: unknown[] = Array.isArray(reply) ? reply : [reply];
  if (!calls.every(({ id }) => answers.some((answer) => answersTo(id, answer)))) {
    throw new Error(`HTTP ${response.status} without a JSON-RPC answer`);
  }
  const given = answers.filter((answer) => typeof answer === 'object' && answer !== null) as Reply;
  const away = given.find((answer) => isTurnedAway(answer, calls));
  if (away !== undefined) throw new Refused((away as JsonRpcError).error.message);
  for (const answer of given) {
    const call = calls.find(({ id }) => id === answer.id);
    if (call !== undefined && 'result' in answer && !isPlausible(call, answer.result)) {
      throw new Nonsense(`an answer to ${call.method} that is none`);
    }
  }
  return given;
}

function isTurnedAway(answer: Reply[number], calls: readonly JsonRpcPayload[]): boolean {
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

/** fetch refuses a URL with a user and a password in it: they go into the header that they stand for. */
export function endpointOf(text: string): Endpoint {
  const url = new URL(text);
  const headers: Record<string, string> = { 'content-type': 'application/json' };
  if (url.username !== '' || url.password !== '') {
    const credentials = `${decodeURIComponent(url.username)}:${decodeURIComponent(url.password)}`;
    headers.authorization = `Basic ${Buffer.from(credentials).toString('base64')}`;
    url.username = '';
    url.password = '';
  }
  // No server is ever sent it, and a WebSocket refuses it.
  url.hash = '';
  return { url: url.href, headers, restsUntil: 0, singlesUntil: 0 };
}
