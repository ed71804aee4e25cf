import { Agent } from 'node:http';
import { rawAsk } from '../../../support/service/raw-requests.js';
import type { Request } from './rest-requests.js';

export type Reply = { readonly status: number; readonly type: string; readonly text: string };

/**
 * A pool of at most `size` reused connections. It serves `node:http`, because `fetch`
 * refuses or changes some generated headers and paths.
 */
export const openConnections = (size: number): Agent => new Agent({ keepAlive: true, maxSockets: size });

/** Sends a request without changing its headers or its path. */
export async function exchange(agent: Agent, url: string, sent: Request): Promise<Reply> {
  try {
    return await send(agent, url, sent);
  } catch (error) {
    // The service closes the connection after some refusals. A request on a closed
    // connection was not read, so it can be sent again.
    if ((error as NodeJS.ErrnoException).code === 'ECONNRESET') return send(new Agent(), url, sent);
    throw error;
  }
}

async function send(agent: Agent, url: string, { method, path, headers, body }: Request): Promise<Reply> {
  const length = body === undefined ? {} : { 'content-length': String(Buffer.byteLength(body)) };
  const type = body === undefined ? {} : { 'content-type': 'application/json' };
  const options = { agent, method, headers: { ...type, ...length, ...headers }, signal: AbortSignal.timeout(20_000) };
  const got = await rawAsk(url, path, options, body);
  return { status: got.status, type: got.headers['content-type'] ?? '', text: got.text };
}
