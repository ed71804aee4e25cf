import type { IncomingHttpHeaders } from 'node:http';
import {
  type Context,
  context,
  propagation,
  ROOT_CONTEXT,
  type Span,
  SpanKind,
  type SpanOptions,
  SpanStatusCode,
  trace,
} from '@opentelemetry/api';

// The API of OpenTelemetry does nothing until src/tracing/ registers its SDK, which is loaded if OTEL_* is set.

export type Description = SpanOptions & { readonly name: string };

/**
 * Runs work as a span of the running trace. Without a trace, it only runs the work, so that background polling creates no traces.
 */
export const traced = <T>(describe: () => Description, work: () => Promise<T>): Promise<T> =>
  trace.getActiveSpan() === undefined ? work() : spanned(context.active(), describe(), work);

/** Runs work as a span of the running trace, or as a new trace. */
export const tracedOperation = <T>(name: string, work: (span: Span) => Promise<T>): Promise<T> =>
  spanned(context.active(), { name }, work);

/** Runs a job as a new trace. */
export const tracedJob = <T>(name: string, work: () => Promise<T>): Promise<T> => spanned(ROOT_CONTEXT, { name }, work);

/**
 * Runs a request as a new trace. If the request names the caller's trace in the header `traceparent`, it becomes a part of that
 * trace.
 */
export const tracedRequest = <T>(
  headers: IncomingHttpHeaders,
  description: Description,
  work: (span: Span) => Promise<T>,
): Promise<T> => spanned(propagation.extract(ROOT_CONTEXT, headers), description, work);

function spanned<T>(parent: Context, { name, ...options }: Description, work: (span: Span) => Promise<T>): Promise<T> {
  return trace.getTracer('curvet').startActiveSpan(name, options, parent, async (span) => {
    try {
      return await work(span);
    } catch (error) {
      setError(span, error);
      throw error;
    } finally {
      span.end();
    }
  });
}

/** Marks a span as failed. The span does not get the error message, because drivers repeat values of callers in messages. */
export function setError(span: Span, error: unknown): void {
  const { name, code } = error instanceof Error ? (error as Error & { code?: unknown }) : {};
  span.setAttribute('error.type', typeof code === 'string' ? code : (name ?? typeof error));
  span.setStatus({ code: SpanStatusCode.ERROR });
}

/** The first word of a SQL statement, such as SELECT. */
export const commandOf = (text: string): string => /^\s*(\w+)/.exec(text)?.[1]?.toUpperCase() ?? 'SQL';

/** Runs a SQL statement as a span of the running trace. The span contains the text of the statement without values. */
export const tracedSql = <T>(text: string, run: () => Promise<T>): Promise<T> =>
  traced(
    () => ({
      name: commandOf(text),
      kind: SpanKind.CLIENT,
      attributes: { 'db.system.name': 'postgresql', 'db.query.text': withoutValues(text).slice(0, MAX_TEXT) },
    }),
    run,
  );

const MAX_TEXT = 2000;

/** Matches string literals of SQL, also E'…' literals, and numbers that are no part of a name or a parameter. */
const LITERALS = /\be'(?:[^'\\]|\\.|'')*(?:'|$)|'(?:[^']|'')*(?:'|$)|(?<![\w$".])\d+(?:\.\d+)?\b/gis;

/**
 * Replaces the literals in a statement by `?`: MikroORM writes the values of entities into the text, and traces must not contain
 * them.
 */
export const withoutValues = (text: string): string => text.replace(LITERALS, '?');
