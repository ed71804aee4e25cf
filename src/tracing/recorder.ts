import {
  type Context,
  defaultTextMapGetter,
  type Span as OpenTelemetrySpan,
  ROOT_CONTEXT,
  SpanKind,
  SpanStatusCode,
  type Tracer,
  trace,
} from '@opentelemetry/api';
import { W3CTraceContextPropagator } from '@opentelemetry/core';
import { type ActiveSpan, activeSpan, type Span, spanChannel } from '../observe/spans.js';

/** The active span, with the objects of OpenTelemetry that its child spans need. */
type Recording = ActiveSpan & { readonly span: OpenTelemetrySpan; readonly context: Context };

const kinds = { server: SpanKind.SERVER, client: SpanKind.CLIENT };

/** The context of the active span. undefined outside of a trace. */
export const activeContext = (): Context | undefined => (activeSpan.getStore() as Recording | undefined)?.context;

/** Records the spans that the service publishes. Returns a function that ends the recording. */
export function recordSpans(tracer: Tracer): () => void {
  const propagator = new W3CTraceContextPropagator();
  const spans = new WeakMap<Span, OpenTelemetrySpan>();

  const parentOf = ({ begins, caller }: Span): Context | undefined => {
    const current = begins === 'always' ? undefined : activeContext();
    if (current !== undefined || begins === undefined) return current;
    return caller ? propagator.extract(ROOT_CONTEXT, caller, defaultTextMapGetter) : ROOT_CONTEXT;
  };
  const start = (span: Span): Recording | undefined => {
    const parent = parentOf(span);
    if (parent === undefined) return undefined;
    const { name, kind, attributes } = span;
    const started = tracer.startSpan(name, { kind: kind && kinds[kind], attributes }, parent);
    spans.set(span, started);
    return { ...started.spanContext(), span: started, context: trace.setSpan(parent, started) };
  };
  const end = (span: Span): void => {
    const started = spans.get(span);
    if (started === undefined) return;
    spans.delete(span);
    started.updateName(span.name).setAttributes(span.attributes);
    if (span.error !== undefined) setError(started, span.error);
    else if (span.failed) started.setStatus({ code: SpanStatusCode.ERROR });
    started.end();
  };
  // `end` is published when the work has returned its promise, or when it threw without one.
  const handlers = { end: (span: Span) => 'error' in span && end(span), asyncEnd: end };
  spanChannel.start.bindStore(activeSpan, start);
  spanChannel.end.subscribe(handlers.end as never);
  spanChannel.asyncEnd.subscribe(handlers.asyncEnd as never);
  return () => {
    spanChannel.start.unbindStore(activeSpan);
    spanChannel.end.unsubscribe(handlers.end as never);
    spanChannel.asyncEnd.unsubscribe(handlers.asyncEnd as never);
  };
}

/** Marks a span as failed. It gets no message, because drivers repeat values of callers in messages. */
export function setError(span: OpenTelemetrySpan, error: unknown): void {
  const { name, code } = error instanceof Error ? (error as Error & { code?: unknown }) : {};
  span.setAttribute('error.type', typeof code === 'string' ? code : (name ?? typeof error));
  span.setStatus({ code: SpanStatusCode.ERROR });
}
