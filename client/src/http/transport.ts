import { ConnectionError, CurvetError, serviceError } from '../errors.js';
import type { Operations } from '../generated/api.js';
import { backoff, type Clock, systemClock, timeoutOf } from './clock.js';
import { type RateLimit, rateLimitOf } from './rate-limit.js';
import { isBaseUrl } from './service-url.js';

export type Operation = keyof Operations;
/** The input of an operation: `path`, `query` and `body`, as far as the operation has them. */
export type Input<O extends Operation> = Omit<Operations[O], 'answer'>;
export type Answer<O extends Operation> = Operations[O]['answer'];

export type TransportOptions = {
  /** URL of the service, such as `http://127.0.0.1:4000`. */
  readonly baseUrl: string;
  /** API key of the agent. Without it, only public data can be read. */
  readonly apiKey?: string | undefined;
  /** Function that sends the requests. @default globalThis.fetch */
  readonly fetch?: typeof globalThis.fetch | undefined;
  /** Maximum number of retries of a request. @default 4 */
  readonly retries?: number | undefined;
  /**
   * Maximum total wait between the attempts of a request, in milliseconds. If the service asks for a longer wait, the request fails
   * immediately, with the `retryAfter` of the service. @default 60000
   */
  readonly maxWaitMs?: number | undefined;
  /** Maximum duration of one attempt, in milliseconds. @default 30000 times `clock.timeoutFactor` */
  readonly timeoutMs?: number | undefined;
  /** Time and randomness, which tests replace. @default the system's clock */
  readonly clock?: Clock | undefined;
};

export type RequestOptions = {
  /** By this key, the service recognises retries. @default a random key per call: all retries of the call have the same key */
  readonly idempotencyKey?: string | undefined;
  readonly signal?: AbortSignal | undefined;
};

type Parts = {
  readonly path?: Readonly<Record<string, unknown>>;
  readonly query?: Readonly<Record<string, unknown>>;
  readonly body?: unknown;
};

/** Sends requests to the service, and repeats a failed request if a retry can help (`retryDelay`). */
export class Transport {
  readonly baseUrl: string;
  /** API key of the agent. `register` sets it after a registration. */
  apiKey: string | undefined;
  readonly clock: Clock;
  readonly fetch: typeof globalThis.fetch;
  /** State of the rate limits by the last answer that reports one. */
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

  /** Headers of a request: the API key, if there is one, and `more`. */
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

  /** Reads the field of this name from GraphQL's Query. Throws if it is null. */
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

  /** Runs attempts until one succeeds or fails for good, or the maximum number or the maximum total wait is reached. */
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
   * Whether the wait that an error asks for, added to the earlier waits, is within `maxWaitMs`. The random part of a wait does not
   * count: otherwise no client would ever wait for a window of a minute.
   */
  accepts = ({ retryAfter = 0 }: CurvetError, waited = 0): boolean => waited + retryAfter * 1000 <= this.#limits.maxWaitMs;

  async #send(url: string, init: RequestInit, signal: AbortSignal | undefined): Promise<unknown> {
    let response: Response;
    let text: string;
    try {
      const timeout = AbortSignal.timeout(this.#limits.timeoutMs);
      // Refuses redirects, because a redirect could take the API key to another host.
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
  // A 409 with Retry-After means that a request with the same idempotency key is still running. A retry gets its answer.
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
