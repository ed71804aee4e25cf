import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';

export type Relay = { readonly url: string; close(): Promise<void> };

/** Serves a function that answers like `fetch` over HTTP. */
export async function httpServer(answer: typeof globalThis.fetch): Promise<Relay> {
  const server = createServer(async (request, response) => {
    const body = await text(request);
    const init = { method: request.method ?? 'GET', headers: request.headers as Record<string, string> };
    const given = await answer(`http://${request.headers.host}${request.url}`, { ...init, ...(body ? { body } : {}) });
    const wait = given.headers.get('retry-after');
    const headers = { 'content-type': 'application/json', ...(wait === null ? {} : { 'retry-after': wait }) };
    response.writeHead(given.status, headers).end(await given.text());
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
