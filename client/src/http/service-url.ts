import { CurvetError } from '../errors.js';

/** Whether two URLs name the same service. `localhost`, `127.0.0.1` and `[::1]` count as the same host. */
export const isSameService = (one: string, other: string): boolean => withoutLoopbackName(one) === withoutLoopbackName(other);

const withoutLoopbackName = (url: string): string =>
  url.replace(/^(https?:\/\/)(?:localhost|127\.0\.0\.1|\[::1\])(?=[:/]|$)/, '$1loopback');

/**
 * Throws unless this URL is the public URL of the service. With another URL, the service would refuse the signature of a
 * registration, after the wallet has already paid for the registration on the chain.
 */
export async function checkUrl(
  service: { request(operation: 'GET /api', input: Record<never, never>): Promise<{ readonly url: string }> },
  baseUrl: string,
): Promise<void> {
  const { url } = await service.request('GET /api', {});
  if (isSameService(baseUrl, url)) return;
  throw new CurvetError('NOT_CONFIGURED', `the service at ${baseUrl} has the public URL ${url}`, {
    hint: `It accepts signatures for that URL only. Set PUBLIC_URL of the service to ${baseUrl}, or call ${url}.`,
  });
}

/** Whether the text is an http(s) URL or, for a web page, a path on the page's own origin. The empty text means that origin. */
export const isBaseUrl = (url: string): boolean => /^(?:https?:\/\/|\/|$)/i.test(url);
