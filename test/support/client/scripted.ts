import { type Clock, systemClock } from '../../../client/src/http/clock.js';
import { TIMEOUT_FACTOR } from '../times.js';

/** Factor of the client's timeouts in tests. The timeouts of the service have the same factor, see test/support/times.ts. */
export const timeoutFactor = Number(TIMEOUT_FACTOR);

/** The system's clock with longer timeouts, for clients that run in real time. */
export const patientClock: Clock = { ...systemClock, timeoutFactor };

/**
 * A clock that moves only when `sleep` is called. `sleep` does not wait. Its random number is always 0.5, so a backoff is half of
 * its bound: 150 ms, 300 ms and so on.
 */
export class SleepClock implements Clock {
  readonly timeoutFactor = timeoutFactor;
  time = Date.parse('2026-01-15T12:00:00Z');
  readonly slept: number[] = [];
  now(): number {
    return this.time;
  }
  random(): number {
    return 0.5;
  }
  async sleep(milliseconds: number, signal?: AbortSignal): Promise<void> {
    signal?.throwIfAborted();
    this.slept.push(milliseconds);
    this.time += milliseconds;
  }
}

export type Sent = { readonly url: string; readonly headers: Headers; readonly method: string; readonly body: string };
export type Reply = Error | { readonly status?: number; readonly headers?: Record<string, string>; readonly body: unknown };

/** A `fetch` that gives prepared answers in order, and repeats the last one. With it, a test plays a service that fails. */
export function scriptedFetch(...replies: readonly Reply[]) {
  const sent: Sent[] = [];
  const fetch = (async (url: string, init: RequestInit = {}) => {
    const { method = 'GET', body = '' } = init;
    sent.push({ url, headers: new Headers(init.headers), method, body: String(body) });
    const reply = replies[Math.min(sent.length, replies.length) - 1] as Reply;
    if (reply instanceof Error) throw reply;
    const text = typeof reply.body === 'string' ? reply.body : JSON.stringify(reply.body);
    return new Response(text, { status: reply.status ?? 200, headers: reply.headers ?? {} });
  }) as typeof globalThis.fetch;
  return { fetch, sent };
}
