import { KEY_FORMAT } from '../idempotency/keys.js';
import { IDEMPOTENCY_HEADER } from '../rest/rest.js';

export const headers = {
  RateLimit: {
    description:
      'State of the rate limit windows. Each item has a name, r (remaining requests) and t (seconds until one more is free).',
    schema: { type: 'string', examples: ['"global";r=19;t=60'] },
  },
  'RateLimit-Policy': {
    description: 'Rate limit windows of this request. Each item has a name, q (maximum requests) and w (window in seconds).',
    schema: { type: 'string', examples: ['"global";q=20;w=60'] },
  },
  'Retry-After': { description: 'Seconds to wait before the next attempt.', schema: { type: 'integer', minimum: 1 } },
  ETag: {
    description:
      'Identifies this version of the answer. Send it in If-None-Match: the status is 304 while the answer has not changed.',
    schema: { type: 'string', examples: ['"xLrAwzPZVXV9dHXNd8sVIAWeGnY"'] },
  },
  'Idempotent-Replayed': {
    description: '`true` if this is the stored answer to an earlier request with the same Idempotency-Key.',
    schema: { type: 'string', const: 'true' },
  },
  'X-Request-Id': {
    description: 'Identifies the request in the log of the service. Include its value when you report a problem.',
    schema: { type: 'string', pattern: '^[\\w.-]{8,128}$' },
  },
};

/**
 * Headers of an answer. `mayRetry`: it may have Retry-After. `mayReplay`: retries may get it again. `isLimited`: the request counts
 * in a rate limit.
 */
export function headersOf({ hasEtag = false, mayRetry = false, mayReplay = false, isLimited = true } = {}) {
  const names = [
    ...(hasEtag ? ['ETag'] : []),
    ...(mayReplay ? ['Idempotent-Replayed'] : []),
    ...(isLimited ? ['RateLimit', 'RateLimit-Policy'] : []),
    ...(mayRetry ? ['Retry-After'] : []),
    'X-Request-Id',
  ];
  return Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]));
}

/** The header as a parameter of an OpenAPI operation. It has no example, because tools would send the example with every write. */
export const idempotencyParameter = {
  name: IDEMPOTENCY_HEADER,
  in: 'header',
  required: false,
  description:
    'Makes a retry safe: a request with the same key, path and body executes once, and retries get its answer for 24 hours. ' +
    `Use a new random value for each write, such as a UUID. ${KEY_FORMAT}, bare or in double quotes.`,
  schema: { type: 'string', minLength: 1, pattern: '^[!-~]+$' },
} as const;
