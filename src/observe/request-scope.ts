import { AsyncLocalStorage } from 'node:async_hooks';
import { context, ROOT_CONTEXT, trace } from '@opentelemetry/api';

/**
 * What belongs to one request. `id`: its id, if it has one. `writes`: number of writes that it has committed or sent for commit.
 * `failures`: codes of the failures in its answer.
 */
type Scope = { readonly id?: string; writes: number; readonly failures: Set<string> };

const scopes = new AsyncLocalStorage<Scope>();

/** Runs a request in a new scope. @default the id of the surrounding request */
export const inRequest = <T>(work: () => T, id = scopes.getStore()?.id): T =>
  scopes.run({ id, writes: 0, failures: new Set() }, work);

/** Runs work that outlasts the request that starts it, so it belongs neither to the scope nor to the trace of that request. */
export const outsideRequest = <T>(work: () => T): T => scopes.exit(() => context.with(ROOT_CONTEXT, work));

/** Fields that every log line gets: ids of the request and of the trace to which the line belongs, if any. */
export function logFields(): { id?: string; trace?: string; span?: string } {
  const id = scopes.getStore()?.id;
  const active = trace.getActiveSpan()?.spanContext();
  return {
    ...(id !== undefined && { id }),
    ...(active !== undefined && { trace: active.traceId, span: active.spanId }),
  };
}

export const scopeOfRequest = (): Scope | undefined => scopes.getStore();
