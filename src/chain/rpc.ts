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
import { AppError } from '../errors.js';
import { outsideRequest } from '../observe/outage.js';
import { type Description, traced } from '../observe/spans.js';
import type { Times } from '../times.js';
import {
  type CallMetric,
  type Endpoint,
  endpointsOf,
  isWatched,
  LOGS,
  OVERTAKEN,
  post,
  type Reply,
  type Request,
  RequestRefused,
  watchUntilAnswer,
} from './endpoint.js';

/** No URL answered within the timeout. An error that a node returns is an answer and does not throw this error. */
export class RpcUnavailable extends AppError {
  /** Callers of the service do not see `why`. */
  constructor(why?: string) {
    super('CHAIN_UNAVAILABLE', {}, { cause: new Error(why) });
  }
}

/** Cooldowns of a URL that contradicted the chain or lags behind the index. */
const DISTRUST_COOLDOWNS = 3;

/** Sent to one URL only: a second URL would answer "already known" for the transaction that the first accepted. */
const BROADCAST = 'eth_sendRawTransaction';

export type Call = { readonly method: string; readonly params: unknown[] };
export type RpcReply = JsonRpcResult | JsonRpcError;
type Send = JsonRpcApiProvider['send'];

/**
 * JSON-RPC over several URLs in order of preference. If a URL fails, the next one is asked immediately; if it hangs, the
 * next one is asked after `rpcHedge`. A failed URL moves to the end of the order for `rpcCooldown`, and one that hangs until it
 * answers again. Calls that would have nothing but to wait for such a URL fail at once, so that only the first of them waits. ethers'
 * FallbackProvider is not used because it hangs for ever on an endpoint that hangs.
 */
export class RpcProvider extends JsonRpcApiProvider {
  readonly #endpoints: Endpoint[];
  readonly #stopping = new AbortController();
  #isOpen: boolean;

  /** `isOpen`: false if calls fail until `open`, since the URLs may lead to another chain. */
  constructor(
    urls: readonly string[],
    chainId: number,
    readonly times: Times,
    { isOpen = true, metric }: { isOpen?: boolean; metric?: CallMetric } = {},
  ) {
    const network = Network.from(chainId);
    super(network, { staticNetwork: network, cacheTimeout: -1, batchMaxCount: 50, polling: true });
    this.#endpoints = endpointsOf(urls, metric);
    this.#isOpen = isOpen;
  }

  /** Logs and broadcasts are kept out of ethers' batches: they have other timeouts and retries than interactive calls. */
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
   * `sameNode`, one node gets them in sequence, and after the first call that fails, all further answers are errors.
   */
  async batch(calls: readonly Call[], { sameNode = false } = {}): Promise<Reply> {
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

  /** Lets calls through. `checked`: whether each URL was checked. The others are left out until `use`. */
  open(checked: readonly boolean[] = []): void {
    this.#endpoints.forEach((endpoint, i) => {
      endpoint.isSilent = checked[i] === false;
    });
    this.#isOpen = true;
  }

  use(url: number): void {
    const endpoint = this.#endpoints[url];
    if (endpoint) endpoint.isSilent = false;
  }

  get urls(): number {
    return this.#endpoints.length;
  }

  /** Puts the URL that is first in the order on a long cooldown, because its last answer was wrong. */
  demoteUrl(): void {
    const [first] = this.#order();
    if (first !== undefined) first.cooldownUntil = this.times.now() + DISTRUST_COOLDOWNS * this.times.rpcCooldown;
  }

  #order(): Endpoint[] {
    const now = this.times.now();
    const cooldownOf = ({ cooldownUntil: restsUntil }: Endpoint) => (restsUntil > now ? restsUntil : 0);
    const asked = this.#endpoints.filter(({ isSilent }) => !isSilent);
    return asked.sort((a, b) => cooldownOf(a) - cooldownOf(b));
  }

  async #ask(payloads: readonly JsonRpcPayload[], sameNode: boolean): Promise<Reply> {
    if (!this.#isOpen) throw new RpcUnavailable('the chain was not checked yet');
    const watch = (endpoint: Endpoint) =>
      outsideRequest(() => void watchUntilAnswer(endpoint, this.#stopping.signal, this.times));
    return traced(
      () => rpcSpan(payloads),
      () => firstAnswer(this.#order(), { calls: payloads, sameNode }, this.times, watch),
    );
  }
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
    ...{ name: methods, kind: SpanKind.CLIENT },
    attributes: { 'rpc.system': 'jsonrpc', 'rpc.method': methods, 'rpc.batch.size': payloads.length },
  };
}

/** The timeouts of a request. `total`: the whole call. `hedge`: the wait before the next URL is asked in parallel. */
const timeoutsOf = ({ calls }: Request, times: Times) =>
  calls.some(({ method }) => method === LOGS)
    ? { total: times.rpcLogs, hedge: times.rpcLogsHedge }
    : { total: times.rpcCall, hedge: times.rpcHedge };

function firstAnswer(
  order: readonly Endpoint[],
  request: Request,
  times: Times,
  watch: (endpoint: Endpoint) => void,
): Promise<Reply> {
  const timeouts = timeoutsOf(request, times);
  const isBroadcast = request.calls.some(({ method }) => method === BROADCAST);
  return new Promise((resolve, reject) => {
    const abort = new AbortController();
    const cancelHedges = new Set<() => void>();
    const failures: string[] = [];
    let asked = 0;
    const finish = (settle: () => void, reason?: Error) => {
      cancelTotal();
      for (const cancelHedge of cancelHedges) cancelHedge();
      abort.abort(reason);
      settle();
    };
    const fail = () => finish(() => reject(new RpcUnavailable(failures.join('; ') || 'no answer in time')));
    const cancelTotal = times.after(timeouts.total, () => {
      for (const endpoint of order) endpoint.isSilent = isWatched(endpoint);
      fail();
    });
    if (order.length === 0) fail();
    const askNext = () => {
      const endpoint = order[asked];
      if (endpoint === undefined) return;
      const turn = ++asked;
      // If a later URL has been asked already, the hedge timer of that URL asks the next one.
      const passOver = () => turn === asked && askNext();
      const cancelHedge = times.after(timeouts.hedge, () => {
        watch(endpoint);
        if (!isBroadcast) passOver();
      });
      cancelHedges.add(cancelHedge);
      post(endpoint, request, abort.signal, times).then(
        (reply) => finish(() => resolve(reply), OVERTAKEN),
        (error: Error) => {
          if (abort.signal.aborted) return;
          cancelHedge();
          failures.push(error.message);
          endpoint.cooldownUntil = Math.max(endpoint.cooldownUntil, times.now() + times.rpcCooldown);
          if (isBroadcast && !(error instanceof RequestRefused)) return fail();
          passOver();
          if (failures.length === order.length) fail();
        },
      );
    };
    askNext();
  });
}
