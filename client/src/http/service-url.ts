import { CurvetError } from '../errors.js';

/** Whether two URLs are of one service: the names of loopback are the same. */
export const isSameService = (one: string, other: string): boolean =>
  withoutLoopbackName(one) === withoutLoopbackName(other);

const withoutLoopbackName = (url: string): string =>
  url.replace(/^(https?:\/\/)(?:localhost|127\.0\.0\.1|\[::1\])(?=[:/]|$)/, '$1loopback');

/**
 * Refuses a URL that the service does not know as its own: it would refuse the signature of a registration, after the wallet has
 * paid for it.
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

/** Whether requests can be sent to it: an http(s) URL, or the origin of the page or a path there. */
export const isBaseUrl = (url: string): boolean => /^(?:https?:\/\/|\/|$)/i.test(url);
