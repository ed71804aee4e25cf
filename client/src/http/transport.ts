import { ConnectionError, CurvetError, serviceError } from '../errors.js';
import type { Operations } from '../generated/api.js';
import { backoff, type Clock, systemClock, timeoutOf } from './clock.js';
import { type RateLimit, rateLimitOf } from './rate-limit.js';
import { isBaseUrl } from './service-url.js';

export type Operation = keyof Operations;
/** What an operation takes: `path`, `query` and `body`, as far as it has them. */
export type Input<O extends Operation> = Omit<Operations[O], 'answer'>;
export type Answer<O extends Operation> = Operations[O]['answer'];

export type TransportOptions = {
  /** URL of the service, such as `http://127.0.0.1:4000`. */
  readonly baseUrl: string;
  /** API key of the agent. Without it, only public data can be read. */
  readonly apiKey?: string | undefined;
  /** @default globalThis.fetch */
  readonly fetch?: typeof globalThis.fetch | undefined;
  /** Maximum number of retries of a request. @default 4 */
  readonly retries?: number | undefined;
  /**
   * Maximum total wait between the attempts of a request, in milliseconds. If the service asks for a longer one, the error with
   * its `retryAfter` comes at once. @default 60000
   */
  readonly maxWaitMs?: number | undefined;
  /** Maximum duration of one attempt, in milliseconds. @default 30000 times `clock.timeoutFactor` */
  readonly timeoutMs?: number | undefined;
  /** Time and randomness, which tests replace. @default the system's clock */
  readonly clock?: Clock | undefined;
};

export type RequestOptions = {
  /** @default a random key per call: all retries of the call have the same key */
  readonly idempotencyKey?: string | undefined;
  readonly signal?: AbortSignal | undefined;
};

type Parts = {
  readonly path?: Readonly<Record<string, unknown>>;
  readonly query?: Readonly<Record<string, unknown>>;
  readonly body?: unknown;
};

/** Sends requests to the service, and retries what a retry can help. */
export class Transport {
  readonly baseUrl: string;
  /** A registration sets the key. */
  apiKey: string | undefined;
  readonly clock: Clock;
  readonly fetch: typeof globalThis.fetch;
  /** Of the last answer that has one. */
  rateLimit: RateLimit | undefined;
  readonly #limits: { readonly retries: number; readonly maxWaitMs: number; readonly timeoutMs: number };

  constructor(options: TransportOptions) {
    if (!isBaseUrl(options.baseUrl)) {
      throw new CurvetError('NOT_CONFIGURED', 'baseUrl is not a URL', {
        hint: 'Pass one such as http://127.0.0.1:4000.',
      });
    }
    this.baseUrl = options.baseUrl.replace(/\/+$/, '');
    this.apiKey = options.apiKey;
    this.clock = options.clock ?? systemClock;
    this.fetch = options.fetch ?? ((input, init) => globalThis.fetch(input, init));
    const { retries = 4, maxWaitMs = 60_000, timeoutMs = timeoutOf(this.clock, 30_000) } = options;
    this.#limits = { retries, maxWaitMs, timeoutMs };
  }

  /** Headers of every request. */
  headers(more: Readonly<Record<string, string>> = {}): Record<string, string> {
    return { ...(this.apiKey === undefined ? {} : { 'x-api-key': this.apiKey }), ...more };
  }

  async request<O extends Operation>(
    operation: O,
    input: Input<O>,
    { idempotencyKey = crypto.randomUUID(), signal }: RequestOptions = {},
  ): Promise<Answer<O>> {
    const [method = '', template = ''] = operation.split(' ');
    const { path = {}, query = {}, body } = input as Parts;
    const filled = template.replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(String(path[name])));
    const search = new URLSearchParams();
    for (const [name, value] of Object.entries(query)) if (value !== undefined) search.set(name, String(value));
    const url = this.baseUrl + filled + (search.size > 0 ? `?${search}` : '');
    const isWrite = method !== 'GET';
    const init = {
      method,
      headers: this.headers(isWrite ? { 'content-type': 'application/json', 'idempotency-key': idempotencyKey } : {}),
      ...(isWrite ? { body: JSON.stringify(body ?? {}) } : {}),
    };
    return this.#repeat(() => this.#send(url, init, signal), signal) as Promise<Answer<O>>;
  }

  /** The field of this name of GraphQL's Query. Throws if it is null. */
  async field(name: string): Promise<unknown> {
    const headers = this.headers({ 'content-type': 'application/json' });
    const init = { method: 'POST', headers, body: JSON.stringify({ query: `{ ${name} }` }) };
    return this.#repeat(async () => {
      const { data } = (await this.#send(`${this.baseUrl}/graphql`, init, undefined)) as {
        data?: Record<string, unknown>;
      };
      if (data?.[name] == null) throw new ConnectionError('INVALID_ANSWER', `the service did not answer ${name}`);
      return data[name];
    }, undefined);
  }

  /** Runs attempts until one succeeds, fails for good, or would exceed the number or the total wait. */
  async #repeat<T>(attempt: () => Promise<T>, signal: AbortSignal | undefined): Promise<T> {
    let waited = 0;
    for (let retry = 0; ; retry++) {
      try {
        return await attempt();
      } catch (error) {
        signal?.throwIfAborted();
        const wait = retryDelay(error as CurvetError, retry, this.clock);
        if (wait === undefined || retry >= this.#limits.retries || !this.accepts(error as CurvetError, waited)) throw error;
        waited += wait;
        await this.clock.sleep(wait, signal);
      }
    }
  }

  /**
   * Whether the wait that an error asks for is within the bound, after other waits. The random part does not count: otherwise no
   * client would wait for a window of a minute.
   */
  accepts = ({ retryAfter = 0 }: CurvetError, waited = 0): boolean => waited + retryAfter * 1000 <= this.#limits.maxWaitMs;

  async #send(url: string, init: RequestInit, signal: AbortSignal | undefined): Promise<unknown> {
    let response: Response;
    let text: string;
    try {
      const timeout = AbortSignal.timeout(this.#limits.timeoutMs);
      // A redirect could take the key to another host.
      response = await this.fetch(url, {
        ...init,
        redirect: 'error',
        signal: signal ? AbortSignal.any([signal, timeout]) : timeout,
      });
      text = await response.text();
      this.rateLimit = rateLimitOf(response.headers) ?? this.rateLimit;
    } catch (cause) {
      const message = `no answer from ${URL.canParse(url) ? new URL(url).host : 'the service'}`;
      throw new ConnectionError('CONNECTION', message, { hint: 'Check the URL and the network.', cause });
    }
    const body = parse(text);
    if (response.ok && body !== undefined) return body;
    if (!response.ok) throw serviceError(response.status, body ?? {}, response.headers);
    throw new ConnectionError('INVALID_ANSWER', 'the answer is not a JSON object', { status: response.status });
  }
}

/** Milliseconds until the next attempt. undefined if a retry does not help. */
export function retryDelay(error: CurvetError, retry: number, clock: Clock): number | undefined {
  const { status, retryAfter } = error;
  // A 409 with Retry-After: a request with the same idempotency key is in flight.
  const helps = error instanceof ConnectionError || status === 429 || status >= 500 || (status === 409 && retryAfter);
  if (!helps) return undefined;
  return backoff(retry, clock) + (retryAfter ?? 0) * 1000;
}

function parse(text: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : undefined;
  } catch {
    return undefined;
  }
}
