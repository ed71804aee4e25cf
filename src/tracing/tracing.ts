import { context, propagation, trace } from '@opentelemetry/api';
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
import { type Config, VERSION } from '../config.js';
import { type Times, within } from '../times.js';
import { recordLibraries } from './libraries.js';

/** Interval at which failing exports are logged. */
const WARN_EVERY_MS = 60_000;

/**
 * Sends the spans of this process to an OTLP collector. Only this folder imports its SDK, and is loaded only if
 * OTEL_* is set. The exporter reads OTEL_EXPORTER_OTLP_* itself.
 */
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
  const ends = [register(provider), recordLibraries(provider.getTracer('curvet'))];
  return {
    async close() {
      for (const end of ends) end();
      const flushed = provider.shutdown().catch(() => {});
      await within(times, times.tracesFlush, flushed);
    },
  };
}

/** Makes the API record spans. Returns a function that ends it. */
export function register(provider: TracerProvider): () => void {
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

/** The sampler that OTEL_TRACES_SAMPLER names. `parentbased_` keeps the decision of the caller, if there is one. */
export function samplerOf({ OTEL_TRACES_SAMPLER, OTEL_TRACES_SAMPLER_ARG: ratio = 1 }: Config): Sampler {
  const name = OTEL_TRACES_SAMPLER ?? 'parentbased_always_on';
  const root = rootSampler(name.replace('parentbased_', ''), ratio);
  return name.startsWith('parentbased_') ? new ParentBasedSampler({ root }) : root;
}

function rootSampler(name: string, ratio: number): Sampler {
  if (name === 'always_off') return new AlwaysOffSampler();
  return name === 'traceidratio' ? new TraceIdRatioBasedSampler(ratio) : new AlwaysOnSampler();
}
