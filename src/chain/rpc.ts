import { SpanKind } from '@opentelemetry/api';
import {
  JsonRpcApiProvider,
  type JsonRpcError,
  type JsonRpcPayload,
  type JsonRpcResult,
  Network,
  type Subscriber,
  type Subscription,
} from 'ethers';
import type { Times } from '../config/timeouts.js';
import { AppError } from '../errors/errors.js';
import { outsideRequest } from '../observe/request-scope.js';
import { type Description, traced } from '../observe/spans.js';
import { pause } from '../tasks.js';
import {
  CANCELLED,
  type CallMetric,
  endpointsOf,
  LOGS,
  postJson,
  type Reply,
  RequestRefused,
  type RpcEndpoint,
  type RpcRequest,
} from './endpoint.js';

/** No URL answered within the timeout. An error that a node returns is an answer and does not throw this error. */
export class RpcUnavailable extends AppError {
  /** `why` becomes the cause, for the log. Callers of the service do not see it. */
  constructor(why?: string) {
    super('CHAIN_UNAVAILABLE', {}, { cause: new Error(why) });
  }
}

/**
 * Number of cooldowns (`rpcCooldown`) for which `demoteUrl` puts a URL last, because it contradicts the index or lags behind it.
 */
const DISTRUST_COOLDOWNS = 3;

/** A broadcast goes to one URL only: a second URL would answer "already known" for the transaction that the first accepted. */
const BROADCAST = 'eth_sendRawTransaction';

export type RpcCall = { readonly method: string; readonly params: unknown[] };
export type RpcReply = JsonRpcResult | JsonRpcError;
type Send = JsonRpcApiProvider['send'];

/**
 * JSON-RPC over several URLs in order of preference. If a URL fails, the next one is asked immediately. If it gives no answer, the
 * next one is asked as well after `rpcHedge`. A URL that failed or was late is then asked last for `rpcCooldown`. A URL that has
 * given no answer by the end of the call is left out until it answers a request in the background, so only the first calls wait for
 * it. ethers' FallbackProvider is not used, because it waits for ever for an endpoint that hangs.
 */
export class RpcProvider extends JsonRpcApiProvider {
  readonly #endpoints: RpcEndpoint[];
  readonly #stopping = new AbortController();
  #isOpen: boolean;

  /** If `isOpen` is false, calls fail until `open` is called, because the URLs may lead to another chain. */
  constructor(
    urls: readonly string[],
    chainId: number,
    readonly times: Times,
    { isOpen = true, metric }: { isOpen?: boolean; metric?: CallMetric } = {},
  ) {
    const network = Network.from(chainId);
    // -1 turns off the cache of ethers, so that each call reads the newest state. ethers joins up to 50 concurrent calls in a
    // batch. Its default wait of 10 ms for more calls would delay every answer that reads the chain, so it does not wait. With
    // `polling`, it needs no filters, which a node would have to store.
    super(network, { staticNetwork: network, cacheTimeout: -1, batchMaxCount: 50, batchStallTime: 0, polling: true });
    this.#endpoints = endpointsOf(urls, metric);
    this.#isOpen = isOpen;
  }

  /** Sends logs and broadcasts outside of ethers' batches, because they have other timeouts and retries than interactive calls. */
  override async send(method: string, params: unknown[] | Record<string, unknown>): ReturnType<Send> {
    if (this.destroyed || (method !== LOGS && method !== BROADCAST)) return super.send(method, params);
    const payload: JsonRpcPayload = { method, params, id: 1, jsonrpc: '2.0' };
    const [reply] = await this._send(payload);
    if (reply === undefined || 'error' in reply) throw this.getRpcError(payload, reply as JsonRpcError);
    return reply.result;
  }

  override _getSubscriber(subscription: Subscription): Subscriber {
    if (subscription.type !== 'transaction') return super._getSubscriber(subscription);
    return receiptSubscriber(this, subscription.hash);
  }

  /**
   * Sends several calls as one batch, or one by one if the URL refuses batches. Answers are in the order of the calls. With
   * `sameNode`, one node answers all calls. If their batch fails there, the node gets them one by one, and a call that fails after
   * others succeeded has an error as its answer.
   */
  async batch(calls: readonly RpcCall[], { sameNode = false } = {}): Promise<Reply> {
    const payloads = calls.map((call, id): JsonRpcPayload => ({ ...call, id, jsonrpc: '2.0' }));
    const answers = new Map((await this.#ask(payloads, sameNode)).map((answer) => [answer.id, answer]));
    return payloads.map(({ id }) => answers.get(id) as JsonRpcResult | JsonRpcError);
  }

  override async _send(payload: JsonRpcPayload | JsonRpcPayload[]): Promise<Reply> {
    return this.#ask(Array.isArray(payload) ? payload : [payload], false);
  }

  override destroy(): void {
    this.#stopping.abort();
    super.destroy();
  }

  /** Lets calls through. `checked` says for each URL whether it was checked. Calls skip an unchecked URL until `use`. */
  open(checked: readonly boolean[] = []): void {
    this.#endpoints.forEach((endpoint, i) => {
      endpoint.isOut = checked[i] === false;
    });
    this.#isOpen = true;
  }

  /** Lets calls use a URL that was checked after `open`. */
  use(url: number): void {
    const endpoint = this.#endpoints[url];
    if (endpoint) endpoint.isOut = false;
  }

  get urls(): number {
    return this.#endpoints.length;
  }

  /** Puts the URL that is asked first on a long cooldown, because its last answer was wrong, or because it lags behind. */
  demoteUrl(): void {
    const [first] = this.#order();
    if (first !== undefined) this.#rest(first, DISTRUST_COOLDOWNS);
  }

  /** The URLs in use: first those without a cooldown, in order of preference, then the others by the end of their cooldown. */
  #order(): RpcEndpoint[] {
    const now = this.times.now();
    const restOf = ({ restsUntil }: RpcEndpoint) => (restsUntil > now ? restsUntil : 0);
    return this.#endpoints.filter(({ isOut }) => !isOut).sort((a, b) => restOf(a) - restOf(b));
  }

  #rest(endpoint: RpcEndpoint, cooldowns = 1): void {
    endpoint.restsUntil = Math.max(endpoint.restsUntil, this.times.now() + cooldowns * this.times.rpcCooldown);
  }

  async #ask(payloads: readonly JsonRpcPayload[], sameNode: boolean): Promise<Reply> {
    if (!this.#isOpen) throw new RpcUnavailable('the chain was not checked yet');
    return traced(
      () => rpcSpan(payloads),
      () => this.#firstAnswer({ calls: payloads, sameNode }),
    );
  }

  async #firstAnswer(request: RpcRequest): Promise<Reply> {
    const { times } = this;
    const isBroadcast = request.calls.some(({ method }) => method === BROADCAST);
    const { total, hedge } = timeoutsOf(request, times);
    const order = this.#order();
    const answersBefore = order.map(({ answers }) => answers);
    const late: number[] = [];
    const asked: Promise<Reply>[] = [];
    const ended = new AbortController();
    const cancel = times.after(total, () => ended.abort());
    try {
      for (const [i, endpoint] of order.entries()) {
        asked.push(this.#post(endpoint, request, ended.signal));
        // Waits until any URL has answered (`outcome` is its reply), this URL has failed (its error), or its time is over
        // (undefined).
        const waits = [Promise.any(asked), asked[i], pause(times, isBroadcast ? total : hedge, ended.signal)];
        const outcome = await Promise.race(waits).catch((error: unknown) => error);
        if (Array.isArray(outcome)) return outcome;
        if (outcome === undefined || ended.signal.aborted) {
          late.push(i);
          this.#rest(endpoint);
        }
        if (ended.signal.aborted || (isBroadcast && !(outcome instanceof RequestRefused))) break;
      }
      return await Promise.any(asked);
    } catch (error) {
      const reasons = (error as AggregateError).errors.map(({ message }: Error) => message);
      throw new RpcUnavailable(reasons.join('; ') || 'all URLs hang');
    } finally {
      cancel();
      ended.abort(CANCELLED);
      // A slow URL stays in use if it has answered this call or another one since this call began.
      for (const i of late) if (order[i]?.answers === answersBefore[i]) this.#leaveOut(order[i] as RpcEndpoint);
    }
  }

  /** Asks one URL. If it fails, it is asked last for a cooldown. */
  async #post(endpoint: RpcEndpoint, request: RpcRequest, signal: AbortSignal): Promise<Reply> {
    try {
      const reply = await postJson(endpoint, request, signal, this.times);
      endpoint.answers++;
      return reply;
    } catch (error) {
      if (signal.aborted) throw new Error('no answer in time');
      endpoint.answers++;
      this.#rest(endpoint);
      throw error;
    }
  }

  /** Leaves a URL out, and asks it in the background until it answers, even with an error. Then it is asked last for a cooldown. */
  #leaveOut(endpoint: RpcEndpoint): void {
    if (endpoint.isOut) return;
    endpoint.isOut = true;
    outsideRequest(async () => {
      const { signal } = this.#stopping;
      while (!signal.aborted && !(await answersInTime(endpoint, signal, this.times)))
        await pause(this.times, this.times.rpcRetry, signal);
      endpoint.isOut = false;
      this.#rest(endpoint);
    });
  }
}

async function answersInTime(endpoint: RpcEndpoint, stopping: AbortSignal, times: Times): Promise<boolean> {
  const late = new AbortController();
  const cancel = times.after(times.rpcCall, () => late.abort());
  const signal = AbortSignal.any([late.signal, stopping]);
  // Asks for a block, because a gateway in front of a node that hangs may answer simpler questions by itself.
  const calls = [{ id: 1, jsonrpc: '2.0' as const, method: 'eth_getBlockByNumber', params: ['latest', false] }];
  await postJson(endpoint, { calls, sameNode: false }, signal, times).catch(() => {});
  cancel();
  return !signal.aborted;
}

/**
 * Asks for the receipt of a transaction several times a second. ethers asks once and then after each new block. If the
 * transaction is mined between its first two requests, it waits for a further block, which a development chain does not
 * mine without a transaction.
 */
function receiptSubscriber(provider: RpcProvider, txHash: string): Subscriber {
  let timer: NodeJS.Timeout | undefined;
  const poll = () =>
    provider.getTransactionReceipt(txHash).then(
      (receipt) => {
        if (receipt !== null && timer !== undefined) provider.emit(txHash, receipt);
      },
      // A failed request is ignored, because the next poll asks again.
      () => {},
    );
  const start = () => {
    timer ??= setInterval(poll, RECEIPT_POLL_MS);
    void poll();
  };
  const stop = () => {
    clearInterval(timer);
    timer = undefined;
  };
  return { start, stop, pause: stop, resume: start };
}

const RECEIPT_POLL_MS = 200;

function rpcSpan(payloads: readonly JsonRpcPayload[]): Description {
  const methods = [...new Set(payloads.map(({ method }) => method))].join(' ');
  return {
    name: methods,
    kind: SpanKind.CLIENT,
    attributes: { 'rpc.system': 'jsonrpc', 'rpc.method': methods, 'rpc.batch.size': payloads.length },
  };
}

/** The timeouts of a request. `total` limits the whole call. `hedge` is the wait before the next URL is asked in parallel. */
const timeoutsOf = ({ calls }: RpcRequest, times: Times) =>
  calls.some(({ method }) => method === LOGS)
    ? { total: times.rpcLogs, hedge: times.rpcLogsHedge }
    : { total: times.rpcCall, hedge: times.rpcHedge };
