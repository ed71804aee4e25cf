import { JsonRpcApiProvider, type JsonRpcError, type JsonRpcPayload, type JsonRpcResult, Network } from 'ethers';

/** No RPC answered in time. Anything that a node itself answers, errors included, is not this. */
export class RpcUnavailable extends Error {}

/** What a caller waits for altogether, and when the next URL is asked besides one that has not answered. */
export type RpcLimits = { readonly totalMs: number; readonly hedgeMs: number };

const INTERACTIVE: RpcLimits = { totalMs: 3000, hedgeMs: 1000 };
/** Ranges of logs are large, and only the indexer asks for them. */
const BULK: RpcLimits = { totalMs: 20_000, hedgeMs: 1900 };
/** How long a URL that failed is asked last. */
const REST_MS = 10_000;
/** HTTP statuses that mean "not me, not now" rather than an answer. */
const BUSY = new Set([401, 403, 408, 429, 500, 502, 503, 504]);

type Reply = Array<JsonRpcResult | JsonRpcError>;
type Endpoint = { readonly url: string; restsUntil: number };

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
    readonly limits: RpcLimits = INTERACTIVE,
  ) {
    const network = Network.from(chainId);
    super(network, { staticNetwork: network, cacheTimeout: -1, batchMaxCount: 50, polling: true });
    this.#endpoints = urls.map((url) => ({ url, restsUntil: 0 }));
  }

  override async _send(payload: JsonRpcPayload | JsonRpcPayload[]): Promise<Reply> {
    const payloads = Array.isArray(payload) ? payload : [payload];
    const limits = payloads.some(({ method }) => method === 'eth_getLogs') ? BULK : this.limits;
    const now = Date.now();
    const rests = ({ restsUntil }: Endpoint) => (restsUntil > now ? restsUntil : 0);
    const order = [...this.#endpoints].sort((a, b) => rests(a) - rests(b));
    return firstAnswer(order, JSON.stringify(payload), limits);
  }
}

function firstAnswer(order: readonly Endpoint[], body: string, limits: RpcLimits): Promise<Reply> {
  return new Promise((resolve, reject) => {
    const abort = new AbortController();
    const failures: string[] = [];
    let asked = 0;
    let hedge: NodeJS.Timeout | undefined;
    const finish = (settle: () => void) => {
      clearTimeout(hedge);
      clearTimeout(total);
      settle();
      abort.abort();
    };
    const fail = () => finish(() => reject(new RpcUnavailable(failures.join('; ') || 'no answer in time')));
    const total = setTimeout(fail, limits.totalMs);
    const next = () => {
      clearTimeout(hedge);
      const endpoint = order[asked++];
      if (endpoint === undefined) return;
      hedge = setTimeout(() => {
        endpoint.restsUntil = Date.now() + REST_MS;
        next();
      }, limits.hedgeMs);
      post(endpoint.url, body, abort.signal).then(
        (reply) => {
          // One that was slow rests; one that is quick again is itself again.
          finish(() => resolve(reply));
        },
        (error: Error) => {
          if (abort.signal.aborted) return;
          endpoint.restsUntil = Date.now() + REST_MS;
          failures.push(error.message);
          if (failures.length === order.length) fail();
          else if (asked < order.length) next();
        },
      );
    };
    next();
  });
}

async function post(url: string, body: string, signal: AbortSignal): Promise<Reply> {
  const response = await fetch(url, { method: 'POST', headers: { 'content-type': 'application/json' }, body, signal });
  if (BUSY.has(response.status)) throw new Error(`HTTP ${response.status}`);
  const reply: unknown = await response.json();
  return (Array.isArray(reply) ? reply : [reply]) as Reply;
}
