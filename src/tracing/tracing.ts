import {
  type ChannelListener,
  subscribe,
  type TracingChannelSubscribers,
  tracingChannel,
  unsubscribe,
} from 'node:diagnostics_channel';
import { type Attributes, context, propagation, type Span, SpanKind, type Tracer, trace } from '@opentelemetry/api';
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks';
import { setGlobalErrorHandler, W3CTraceContextPropagator } from '@opentelemetry/core';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http';
import { detectResources, envDetector, resourceFromAttributes } from '@opentelemetry/resources';
import {
  AlwaysOffSampler,
  AlwaysOnSampler,
  BatchSpanProcessor,
  ParentBasedSampler,
  type Sampler,
  TraceIdRatioBasedSampler,
  TracerProvider,
} from '@opentelemetry/sdk-trace';
import type { Logger } from 'pino';
import { type Config, VERSION } from '../config/config.js';
import type { Times } from '../config/timeouts.js';
import { setError } from '../observe/spans.js';
import { within } from '../tasks.js';

/** Minimum time between two log lines about failed exports of traces. */
const WARN_EVERY_MS = 60_000;

/** Sends the spans of this process to an OTLP collector. The exporter reads OTEL_EXPORTER_OTLP_* itself. */
export function startTracing(config: Config, log: Logger, times: Times): { close(): Promise<void> } {
  warnOfFailures(log, times);
  const identity = resourceFromAttributes({
    'service.name': config.OTEL_SERVICE_NAME ?? 'curvet',
    'service.version': VERSION,
    'service.instance.id': log.bindings().instance,
  });
  const provider = new TracerProvider({
    // OTEL_RESOURCE_ATTRIBUTES takes precedence over the attributes in `identity`.
    resource: identity.merge(detectResources({ detectors: [envDetector] })),
    sampler: samplerOf(config),
    spanProcessors: [new BatchSpanProcessor({ exporter: new OTLPTraceExporter() })],
  });
  const ends = [registerTracing(provider), ...recordLibraries(provider.getTracer('curvet'))];
  return {
    async close() {
      for (const end of ends) end();
      const flushed = provider.shutdown().catch(() => {});
      await within(times, times.tracesFlush, flushed);
    },
  };
}

/** Makes the API of OpenTelemetry record spans (see src/observe/spans.ts). Returns a function that ends the recording. */
export function registerTracing(provider: TracerProvider): () => void {
  trace.setGlobalTracerProvider(provider);
  context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());
  propagation.setGlobalPropagator(new W3CTraceContextPropagator());
  return () => {
    for (const api of [trace, context, propagation]) api.disable();
  };
}

function warnOfFailures(log: Logger, times: Times): void {
  let warnedAt = Number.NEGATIVE_INFINITY;
  setGlobalErrorHandler((error) => {
    if (times.now() - warnedAt < WARN_EVERY_MS) return;
    warnedAt = times.now();
    log.warn({ err: error }, 'traces could not be sent to the OTLP endpoint');
  });
}

/** The sampler that OTEL_TRACES_SAMPLER names. With `parentbased_`, the caller's trace decides, if the request belongs to one. */
export function samplerOf({ OTEL_TRACES_SAMPLER, OTEL_TRACES_SAMPLER_ARG: ratio = 1 }: Config): Sampler {
  const name = OTEL_TRACES_SAMPLER ?? 'parentbased_always_on';
  const rooted = name.endsWith('traceidratio') ? new TraceIdRatioBasedSampler(ratio) : new AlwaysOnSampler();
  const root = name.endsWith('always_off') ? new AlwaysOffSampler() : rooted;
  return name.startsWith('parentbased_') ? new ParentBasedSampler({ root }) : root;
}

/** Records commands of ioredis and requests of fetch. Returns functions that end the recording. */
function recordLibraries(tracer: Tracer): (() => void)[] {
  const begin: Begin = (name, attributes) => trace.getActiveSpan() && tracer.startSpan(name, { kind: SpanKind.CLIENT, attributes });
  return [recordRedis(begin), recordFetch(begin)];
}

/** Starts a span for a call to another system. Returns undefined outside of a trace. */
type Begin = (name: string, attributes: Attributes) => Span | undefined;

type Command = { readonly command: string; readonly error?: unknown };

/** Records Redis commands as spans, but without their arguments: the keys of limits contain the addresses of callers. */
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
  const subscribers = handlers as TracingChannelSubscribers<Command>;
  channel.subscribe(subscribers);
  return () => void channel.unsubscribe(subscribers);
}

/** The messages of undici, which implements fetch, on its diagnostics channels. */
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
 * Records requests of fetch as spans, and adds the header `traceparent` to them. A span contains only the host, because URLs of
 * RPCs contain keys. It ends with the headers of the answer, because a caller need not read the body.
 */
function recordFetch(begin: Begin): () => void {
  const spans = new WeakMap<FetchRequest, Span>();
  const end = (request: FetchRequest, error: unknown) => {
    const span = spans.get(request);
    if (span && error !== undefined) setError(span, error);
    span?.end();
    spans.delete(request);
  };
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
      spans.get(request)?.setAttribute('http.response.status_code', status);
      end(request, status >= 400 ? Object.assign(new Error(), { code: String(status) }) : undefined);
    },
    'undici:request:error': ({ request, error }) => end(request, error),
  };
  for (const [name, handler] of Object.entries(handlers)) subscribe(name, handler as ChannelListener);
  return () => {
    for (const [name, handler] of Object.entries(handlers)) unsubscribe(name, handler as ChannelListener);
  };
}
