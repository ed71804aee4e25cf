import { ConnectionError, CurvetError, type ErrorCode, serviceError } from '../errors.js';
import { messages } from '../generated/messages.js';
import { backoff, timeoutOf } from './clock.js';
import { retryDelay, type Transport } from './transport.js';

export type StreamOptions = {
  /**
   * Sequence after which the subscription begins: that of the last event that was processed, or `live.position()`. The service
   * stores events for 24 hours. @default only new events
   */
  readonly after?: string | undefined;
  /** Signal that ends the iteration. */
  readonly signal?: AbortSignal | undefined;
  readonly variables?: object | undefined;
};
export type Data = Readonly<Record<string, unknown>>;
type GraphqlError = { readonly message: string; readonly extensions?: Data };
/** A result of a subscription. `errors` has the errors of fields that are null in `data`. */
export type Result = { readonly data: Data; readonly errors?: readonly GraphqlError[] };
type Message = { readonly id?: string; readonly event?: string; readonly data?: string };

/** The service sends a comment every 15 seconds, so a connection that is silent for three times as long is dead. */
const SILENCE_MS = 45_000;

/** Yields each result of a subscription. After a break it reconnects and continues after the last event. */
export async function* subscribe(
  t: Transport,
  query: string,
  { after, signal, variables }: StreamOptions = {},
): AsyncGenerator<Result, void, undefined> {
  let position = after;
  for (let failures = 0; ; failures++) {
    let delay = backoff(failures, t.clock);
    try {
      for await (const { id, event, data } of connect(t, { query, variables }, position, signal)) {
        // A message with an event shows that the connection works, so the backoff starts again. A heartbeat has no event.
        if (event) failures = 0;
        position = id ?? position;
        if (event === 'complete') return;
        if (event === 'next' && data) yield resultOf(data);
      }
    } catch (error) {
      if (signal?.aborted) return;
      const retry = retryDelay(error as CurvetError, failures, t.clock);
      if (retry === undefined || !t.accepts(error as CurvetError)) throw error;
      delay = retry;
    }
    await t.clock.sleep(delay, signal).catch(() => undefined);
    if (signal?.aborted) return;
  }
}

/** Opens one connection, and yields its messages until it ends or breaks. */
async function* connect(
  t: Transport,
  body: object,
  position: string | undefined,
  signal: AbortSignal | undefined,
): AsyncGenerator<Message, void, undefined> {
  const silence = new AbortController();
  const silenceMs = timeoutOf(t.clock, SILENCE_MS);
  const watch = () => setTimeout(() => silence.abort(new Error('the stream is silent')), silenceMs);
  let timer = watch();
  try {
    const response = await t.fetch(`${t.baseUrl}/graphql`, {
      method: 'POST',
      headers: t.headers({
        accept: 'text/event-stream',
        'content-type': 'application/json',
        ...(position === undefined ? {} : { 'last-event-id': position }),
      }),
      body: JSON.stringify(body),
      redirect: 'error',
      signal: signal ? AbortSignal.any([signal, silence.signal]) : silence.signal,
    });
    if (!response.ok || !response.body) throw await refusal(response);
    const decoder = new TextDecoder();
    let text = '';
    for await (const chunk of chunksOf(response.body)) {
      clearTimeout(timer);
      timer = watch();
      text += decoder.decode(chunk, { stream: true });
      const blocks = text.split('\n\n');
      text = blocks.pop() ?? '';
      for (const block of blocks) yield messageOf(block);
    }
  } catch (error) {
    if (error instanceof CurvetError) throw error;
    throw new ConnectionError('CONNECTION', 'the stream broke', { cause: error });
  } finally {
    clearTimeout(timer);
    // Aborting the signal also closes the connection if the caller leaves its loop early.
    silence.abort();
  }
}

/** Browsers cannot iterate over a response body with `for await`, so this reads it through a reader. */
async function* chunksOf(body: ReadableStream<Uint8Array>): AsyncGenerator<Uint8Array, void, undefined> {
  const reader = body.getReader();
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return;
    yield value;
  }
}

/** The fields of a message. The service sends comments as a heartbeat: lines that begin with a colon, and give no field. */
function messageOf(block: string): Message {
  const fields = block.split('\n').flatMap((line) => {
    const [, name, value] = /^(\w+): ?(.*)$/.exec(line) ?? [];
    return name ? [[name, value]] : [];
  });
  return Object.fromEntries(fields) as Message;
}

function resultOf(text: string): Result {
  const result = JSON.parse(text) as Result | { data?: null; errors?: readonly GraphqlError[] };
  if (result.data) return result;
  throw graphqlError(result.errors?.[0] ?? {}, 0);
}

async function refusal(response: Response): Promise<CurvetError> {
  const body = (await response.json().catch(() => ({}))) as Record<string, unknown>;
  const [first] = (body.errors as GraphqlError[] | undefined) ?? [];
  return first ? graphqlError(first, response.status) : serviceError(response.status, body, response.headers);
}

/** Codes of errors that a retry can help. An error inside a stream has no HTTP status, so its code decides whether to reconnect. */
const PASSING = /^(RATE_LIMITED|TOO_MANY_OPEN|INTERNAL|NOT_READY|TIMED_OUT|DATABASE_\w+|CHAIN_UNAVAILABLE)$/;

function graphqlError({ message = 'no result', extensions = {} }: Partial<GraphqlError>, status: number): CurvetError {
  const code = String(extensions.code);
  const error = serviceError(status || (PASSING.test(code) ? 503 : 400), { ...extensions, error: message });
  const { hint, retryAfter, details } = error;
  const known = (code in messages ? code : error.code) as ErrorCode;
  return new (error.constructor as typeof CurvetError)(known, message, {
    status: error.status,
    hint,
    retryAfter,
    details,
  });
}
