import { Counter, Histogram, Registry } from 'prom-client';
import { type ErrorCode, errorTable } from './errors.js';
import { scopeOfRequest } from './outage.js';

/** Where a failure was answered. `other`: pages, pictures and the endpoints of operators. */
export type Face = 'rest' | 'graphql' | 'mcp' | 'other';

export type Metrics = ReturnType<typeof openMetrics>;

/** What the parts of this process count. A scrape also reads their state (faces/http/metrics.ts). */
export function openMetrics() {
  const registry = new Registry();
  const registers = [registry];
  const errors = new Counter({
    name: 'curvet_errors_total',
    help: 'Failures that were answered, by face and code. The class is server for what the caller did not cause, else client.',
    labelNames: ['face', 'code', 'class'],
    registers,
  });
  return {
    registry,
    requests: new Histogram({
      name: 'http_request_duration_seconds',
      help: 'Requests answered, by route and status, without probes and scrapes.',
      labelNames: ['method', 'route', 'status'],
      buckets: [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5],
      registers,
    }),
    reorgDepths: new Histogram({
      name: 'curvet_reorg_depth_blocks',
      help: 'Blocks that a reorg took back.',
      buckets: [1, 2, 3, 5, 10, 20, 50, 100, 200, 500],
      registers,
    }),
    /**
     * Counts a failure that was answered, also in an answer with status 200, once per request: an answer of GraphQL may have many.
     * `code`: of the service or of Apollo Server.
     */
    countError(face: Face, code: string): void {
      const failures = scopeOfRequest()?.failures;
      if (failures?.has(code)) return;
      failures?.add(code);
      const [status] = errorTable[code as ErrorCode] ?? [400];
      errors.inc({ face, code, class: status >= 500 ? 'server' : 'client' });
    },
  };
}
