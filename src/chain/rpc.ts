import {
  JsonRpcApiProvider,
  type JsonRpcError,
  type JsonRpcPayload,
  type JsonRpcResult,
  Network,
  type Subscriber,
  type Subscription,
} from 'ethers';
import { type Span, traced } from '../spans.js';
import { type Endpoint, endpointOf, LOGS, post, type Reply, type Request, RequestRefused } from './endpoint.js';

/**
 * Error if no URL answered within the timeout. An error that a node returns is an answer and does not throw this error.
 */
export class RpcUnavailable extends Error {}

/** `totalMs`: timeout of the whole call. `hedgeMs`: wait before the next URL is asked in parallel. */
export type RpcTimeouts = { readonly totalMs: number; readonly hedgeMs: number };

export type RpcTimes = {
  readonly interactive: RpcTimeouts;
  /** Timeouts of `eth_getLogs`. Ranges of logs are large, and only the indexer asks for them. */
  readonly bulk: RpcTimeouts;
  /** Cooldown of a failed URL. During the cooldown, the URL is asked after all others. */
  readonly cooldownMs: number;
};

const TIMES: RpcTimes = {
  interactive: { totalMs: 3000, hedgeMs: 1000 },
  // The indexer splits a range that times out. A longer timeout would delay the switch to a recovered RPC.
  bulk: { totalMs: 5000, hedgeMs: 1900 },
  cooldownMs: 10_000,
};
/** Cooldowns of a URL that contradicted the chain or lags behind the index. */
const DISTRUST_COOLDOWNS = 3;
/**
 * Number of cooldowns after which batches are tried again at a URL that refused a batch: the refusal may have been
 * temporary.
 */
const UNBATCHED_COOLDOWNS = 6;

/**
 * Method that is sent to one URL only. A second URL would answer "already known" for the transaction that the first
 * accepted.
 */
const BROADCAST = 'eth_sendRawTransaction';

export type Call = { readonly method: string; readonly params: unknown[] };
export type RpcReply = JsonRpcResult | JsonRpcError;
type Send = JsonRpcApiProvider['send'];

/**
 * JSON-RPC over several URLs in order of preference. If a URL fails, the next one is asked immediately; if it hangs, the
 * next one is asked after `hedgeMs`. A failed URL moves to the end of the order for `cooldownMs`. ethers' FallbackProvider
 * is not used because it hangs for ever on an endpoint that hangs.
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
    return new ReceiptSubscriber(this, subscription.hash);
  }

  /** The node's answer to one call. An error that the node returns is an answer. */
  async reply(call: Call): Promise<RpcReply> {
    const [reply] = await this.batch([call]);
    return reply as RpcReply;
  }

  /** Sends several calls as one batch, or one by one if the URL refuses batches. Answers are in the order of the calls. */
  batch(calls: readonly Call[]): Promise<Reply> {
    return this.#inOrder(calls, false);
  }

  /** Sends several calls to one node, in sequence. After the first call that fails, all further answers are errors. */
  batchFromOneNode(calls: readonly Call[]): Promise<Reply> {
    return this.#inOrder(calls, true);
  }

  async #inOrder(calls: readonly Call[], sameNode: boolean): Promise<Reply> {
    const payloads = calls.map((call, id): JsonRpcPayload => ({ ...call, id, jsonrpc: '2.0' }));
    const answers = new Map((await this.#ask(payloads, sameNode)).map((answer) => [answer.id, answer]));
    return payloads.map(({ id }) => answers.get(id) as JsonRpcResult | JsonRpcError);
  }

  override async _send(payload: JsonRpcPayload | JsonRpcPayload[]): Promise<Reply> {
    return this.#ask(Array.isArray(payload) ? payload : [payload], false);
  }

  /** Number of configured URLs. */
  get urls(): number {
    return this.#endpoints.length;
  }

  /** Puts the URL that is first in the order on a long cooldown, because its last answer was wrong. */
  demoteUrl(): void {
    const [first] = this.#order();
    if (first !== undefined) first.cooldownUntil = Date.now() + DISTRUST_COOLDOWNS * this.times.cooldownMs;
  }

  #order(): Endpoint[] {
    const now = Date.now();
    const cooldownOf = ({ cooldownUntil: restsUntil }: Endpoint) => (restsUntil > now ? restsUntil : 0);
    return [...this.#endpoints].sort((a, b) => cooldownOf(a) - cooldownOf(b));
  }

  #ask(payloads: readonly JsonRpcPayload[], sameNode: boolean): Promise<Reply> {
    const timeouts = payloads.some(({ method }) => method === LOGS) ? this.times.bulk : this.times.interactive;
    const request = {
      calls: payloads,
      sameNode,
      broadcast: payloads.some(({ method }) => method === BROADCAST),
    };
    return traced(
      () => rpcSpan(payloads),
      () => firstAnswer(this.#order(), request, timeouts, this.times.cooldownMs),
    );
  }
}

/**
 * Asks for the receipt of a transaction several times a second. ethers asks once and then after each new block. If the
 * transaction is mined between its first two requests, it waits for a further block, which a development chain does not
 * mine without a transaction.
 */
class ReceiptSubscriber implements Subscriber {
  #timer: NodeJS.Timeout | null = null;

  constructor(
    readonly provider: RpcProvider,
    readonly txHash: string,
  ) {}

  start(): void {
    this.#timer ??= setInterval(() => this.#poll(), RECEIPT_POLL_MS);
    this.#poll();
  }

  stop(): void {
    if (this.#timer !== null) clearInterval(this.#timer);
    this.#timer = null;
  }

  pause(): void {
    this.stop();
  }

  resume(): void {
    this.start();
  }

  #poll(): void {
    this.provider.getTransactionReceipt(this.txHash).then(
      (receipt) => {
        if (receipt !== null && this.#timer !== null) this.provider.emit(this.txHash, receipt);
      },
      // A failed request is ignored, because the next poll asks again.
      () => {},
    );
  }
}

const RECEIPT_POLL_MS = 200;

function rpcSpan(payloads: readonly JsonRpcPayload[]): Span {
  const methods = [...new Set(payloads.map(({ method }) => method))].join(' ');
  return {
    ...{ name: methods, kind: 'client' },
    attributes: { 'rpc.system': 'jsonrpc', 'rpc.method': methods, 'rpc.batch.size': payloads.length },
  };
}

function firstAnswer(
  order: readonly Endpoint[],
  request: Request,
  timeouts: RpcTimeouts,
  cooldownMs: number,
): Promise<Reply> {
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
    const total = setTimeout(fail, timeouts.totalMs);
    const askNext = () => {
      const endpoint = order[asked];
      if (endpoint === undefined) return;
      const turn = ++asked;
      const passOver = () => {
        endpoint.cooldownUntil = Date.now() + cooldownMs;
        // If a later URL has been asked already, the hedge timer of that URL asks the next one.
        if (turn === asked) askNext();
      };
      const hedge = setTimeout(() => {
        if (request.broadcast) endpoint.cooldownUntil = Date.now() + cooldownMs;
        else passOver();
      }, timeouts.hedgeMs);
      hedges.add(hedge);
      post(endpoint, request, abort.signal, cooldownMs * UNBATCHED_COOLDOWNS).then(
        (reply) => finish(() => resolve(reply)),
        (error: Error) => {
          if (abort.signal.aborted) return;
          clearTimeout(hedge);
          failures.push(error.message);
          if (request.broadcast && !(error instanceof RequestRefused)) {
            endpoint.cooldownUntil = Date.now() + cooldownMs;
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
