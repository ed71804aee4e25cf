import { request } from 'node:http';

export type RawReply = { readonly status: number; readonly headers: Record<string, unknown>; readonly body: Buffer };

/** Sends a request without decompressing the answer, which fetch would do. */
export const rawGet = (
  url: string,
  path: string,
  headers: Record<string, string> = {},
  method = 'GET',
): Promise<RawReply> =>
  new Promise((resolve, reject) => {
    const { hostname, port } = new URL(url);
    const sent = request({ method, hostname, port, path, headers, agent: false }, (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk) => chunks.push(chunk));
      response.on('end', () =>
        resolve({ status: response.statusCode ?? 0, headers: response.headers, body: Buffer.concat(chunks) }),
      );
    });
    sent.on('error', reject).end();
  });
