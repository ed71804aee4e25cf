import { subscribe, tracingChannel, unsubscribe } from 'node:diagnostics_channel';
import { type Attributes, context, propagation, type Span, SpanKind, type Tracer, trace } from '@opentelemetry/api';
import { setError } from '../observe/spans.js';

/**
 * Records what libraries publish: commands of ioredis, and requests of fetch. Returns a function that ends the
 * recording.
 */
export function recordLibraries(tracer: Tracer): () => void {
  const begin: Begin = (name, attributes) =>
    trace.getActiveSpan() && tracer.startSpan(name, { kind: SpanKind.CLIENT, attributes });
  const ends = [recordRedis(begin), recordFetch(begin)];
  return () => {
    for (const end of ends) end();
  };
}

/** Starts a span of a call to another system. undefined outside of a trace. */
type Begin = (name: string, attributes: Attributes) => Span | undefined;

type Command = { readonly command: string; readonly error?: unknown };

/** The arguments are not recorded: keys of limits contain the addresses of callers. */
function recordRedis(begin: Begin): () => void {
  const channel = tracingChannel<unknown, Command>('ioredis:command');
  const spans = new WeakMap<Command, Span>();
  const handlers = {
    start(message: Command) {
      const name = message.command.toUpperCase();
      const span = begin(name, { 'db.system.name': 'redis', 'db.operation.name': name });
      if (span) spans.set(message, span);
    },
    asyncEnd(message: Command) {
      const span = spans.get(message);
      if (message.error !== undefined && span) setError(span, message.error);
      span?.end();
    },
  };
  channel.subscribe(handlers as never);
  return () => void channel.unsubscribe(handlers as never);
}

type FetchRequest = {
  readonly method: string;
  readonly origin: string | URL;
  addHeader(name: string, value: string): unknown;
};
type FetchMessage = {
  readonly request: FetchRequest;
  readonly response?: { readonly statusCode: number };
  readonly error?: unknown;
};

/**
 * Each request carries the trace in the header `traceparent`. Only the host is recorded: URLs of RPCs contain keys. The span
 * ends with the headers of the answer, because a caller need not read the body.
 */
function recordFetch(begin: Begin): () => void {
  const spans = new WeakMap<FetchRequest, Span>();
  const handlers: Readonly<Record<string, (message: FetchMessage) => void>> = {
    'undici:request:create': ({ request }) => {
      const { method, origin } = request;
      const span = begin(method, { 'http.request.method': method, 'server.address': new URL(origin).hostname });
      if (!span) return;
      spans.set(request, span);
      const headers: Record<string, string> = {};
      propagation.inject(trace.setSpan(context.active(), span), headers);
      for (const [name, value] of Object.entries(headers)) request.addHeader(name, value);
    },
    'undici:request:headers': ({ request, response }) => {
      const status = response?.statusCode ?? 0;
      const span = spans.get(request)?.setAttribute('http.response.status_code', status);
      if (span && status >= 400) setError(span, Object.assign(new Error(), { code: String(status) }));
      span?.end();
      spans.delete(request);
    },
    'undici:request:error': ({ request, error }) => {
      const span = spans.get(request);
      if (span) setError(span, error);
      span?.end();
      spans.delete(request);
    },
  };
  for (const [name, handler] of Object.entries(handlers)) subscribe(name, handler as never);
  return () => {
    for (const [name, handler] of Object.entries(handlers)) unsubscribe(name, handler as never);
  };
}
