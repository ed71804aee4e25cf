/** The headers of answers, as the document describes them. */
export const headers = {
  RateLimit: {
    description:
      'How the windows of the limits stand: for each its name, r remaining, t seconds until a place is free.',
    schema: { type: 'string', examples: ['"global";r=19;t=60'] },
  },
  'RateLimit-Policy': {
    description: 'The windows of the limits: for each its name, q requests in w seconds.',
    schema: { type: 'string', examples: ['"global";q=20;w=60'] },
  },
  'Retry-After': { description: 'Seconds to wait before the next try.', schema: { type: 'integer', minimum: 1 } },
  ETag: {
    description: 'Names this state of the answer: sent back in If-None-Match, it is answered with 304 while it stands.',
    schema: { type: 'string', examples: ['"xLrAwzPZVXV9dHXNd8sVIAWeGnY"'] },
  },
  'X-Request-Id': { description: 'Names the request in the log.', schema: { type: 'string', format: 'uuid' } },
};

/** The headers of an answer: `isPublic` if others may keep it, `mayRetry` if it says when to try again. */
export function headersOf({ isPublic = false, mayRetry = false } = {}) {
  const names = [
    ...(isPublic ? ['ETag'] : []),
    'RateLimit',
    'RateLimit-Policy',
    ...(mayRetry ? ['Retry-After'] : []),
    'X-Request-Id',
  ];
  return Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]));
}
