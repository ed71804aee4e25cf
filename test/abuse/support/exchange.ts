import { Agent, request } from 'node:http';
import type { Request } from './rest-requests.js';

export type Reply = { readonly status: number; readonly type: string; readonly text: string };

/** Connections that requests share. `fetch` would refuse or change some of the generated headers and paths. */
export const openConnections = (size: number): Agent => new Agent({ keepAlive: true, maxSockets: size });

/** Sends a request unchanged. */
export async function exchange(agent: Agent, url: string, sent: Request): Promise<Reply> {
  try {
    return await send(agent, url, sent);
  } catch (error) {
    // The service closes the connection after some refusals. A request on a closed connection was not read.
    if ((error as NodeJS.ErrnoException).code === 'ECONNRESET') return send(new Agent(), url, sent);
    throw error;
  }
}

function send(agent: Agent, url: string, { method, path, headers, body }: Request): Promise<Reply> {
  const { hostname, port } = new URL(url);
  const length = body === undefined ? {} : { 'content-length': String(Buffer.byteLength(body)) };
  const type = body === undefined ? {} : { 'content-type': 'application/json' };
  return new Promise((resolve, reject) => {
    const options = { agent, hostname, port, method, path, headers: { ...type, ...length, ...headers } };
    const made = request(options, (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.on('error', reject);
      response.on('end', () => {
        const text = Buffer.concat(chunks).toString('utf8');
        resolve({ status: response.statusCode ?? 0, type: response.headers['content-type'] ?? '', text });
      });
    });
    made.on('error', reject).setTimeout(20_000, () => made.destroy(new Error(`no answer to ${method} ${path}`)));
    made.end(body);
  });
}
