import { isUnderApi } from '../access/outside-api.js';
import { KEY_FORMAT } from '../idempotency/rules.js';
import type { Endpoint } from './endpoint.js';

export const IDEMPOTENCY_HEADER = 'Idempotency-Key';

/** Whether the endpoint takes an idempotency key: every write under /api does. */
export const takesIdempotencyKey = ({ method, path }: Endpoint): boolean => method !== 'GET' && isUnderApi(path);

/** The header as a parameter of an OpenAPI operation. Without an example, because tools would send it with every write. */
export const idempotencyParameter = {
  name: IDEMPOTENCY_HEADER,
  in: 'header',
  required: false,
  description:
    'Makes a retry safe: a request with the same key, path and body executes once, and retries get its answer for 24 hours. ' +
    `Use a new random value for each write, such as a UUID. ${KEY_FORMAT}, bare or in double quotes.`,
  schema: { type: 'string', minLength: 1, pattern: '^[!-~]+$' },
} as const;
