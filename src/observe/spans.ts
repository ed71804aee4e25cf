import { AsyncLocalStorage } from 'node:async_hooks';
import { type TracingChannel, tracingChannel } from 'node:diagnostics_channel';
import type { IncomingHttpHeaders } from 'node:http';

/** A piece of work that a trace shows. The work may change `name`, `attributes` and `failed` until it ends. */
export type Span = {
  name: string;
  readonly kind?: 'server' | 'client';
  /**
   * Whether the span starts a new trace: `always`, or only `if none` is running. Without this property, the span is
   * recorded only within a running trace, so that background polling creates no traces.
   */
  readonly begins?: 'always' | 'if none';
  /** Headers of the request. A `traceparent` among them continues the trace of the caller. */
  readonly caller?: IncomingHttpHeaders;
  readonly attributes: Record<string, string | number | boolean>;
  failed?: boolean;
  /** Error that the work threw. The tracing channel sets it. */
  readonly error?: unknown;
};

/** The span in which the current code runs. */
export type ActiveSpan = { readonly traceId: string; readonly spanId: string };

/** Spans are published here. `src/tracing/` subscribes if OTEL_* is set. */
export const spanChannel = tracingChannel('curvet:span') as unknown as TracingChannel<ActiveSpan | undefined, Span>;

/** `src/tracing/` binds this storage to the start of spans. It is empty while tracing is off. */
export const activeSpan = new AsyncLocalStorage<ActiveSpan | undefined>();

/** Runs work as a span. Without a subscriber it only runs the work, with `undefined`. */
export function traced<T>(describe: () => Span, work: (span?: Span) => Promise<T>): Promise<T> {
  if (!spanChannel.hasSubscribers) return work();
  const span = describe();
  return spanChannel.tracePromise(() => work(span), span);
}

/** The first word of a SQL statement, such as SELECT. */
export const commandOf = (text: string): string => /^\s*(\w+)/.exec(text)?.[1]?.toUpperCase() ?? 'SQL';

/** The span of a SQL statement, without its values. */
export const sqlSpan = (text: string): Span => ({
  name: commandOf(text),
  kind: 'client',
  attributes: { 'db.system.name': 'postgresql', 'db.query.text': withoutValues(text).slice(0, MAX_TEXT) },
});

const MAX_TEXT = 2000;

/**
 * Matches SQL string literals (quotes are doubled, or escaped in E'…' literals), and numbers that are no part of a name
 * or a parameter.
 */
const LITERALS = /\be'(?:[^'\\]|\\.|'')*(?:'|$)|'(?:[^']|'')*(?:'|$)|(?<![\w$".])\d+(?:\.\d+)?\b/gis;

/** MikroORM writes the values of entities into the text of a statement. */
export const withoutValues = (text: string): string => text.replace(LITERALS, '?');

/** Runs a job as a trace of its own. */
export const tracedJob = <T>(name: string, work: () => Promise<T>): Promise<T> =>
  traced(() => ({ name, begins: 'always', attributes: {} }), work);
