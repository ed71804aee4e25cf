import { request as httpRequest, type IncomingHttpHeaders } from 'node:http';
import { request as httpsRequest, type RequestOptions } from 'node:https';
import { connect } from 'node:net';

export type RawReply = {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
  readonly text: string;
};

/** Sends a request exactly as given. fetch would change the path or some headers, and decompress the answer. */
export const rawAsk = (url: string, path: string, options: RequestOptions = {}, body?: string | Buffer): Promise<RawReply> =>
  new Promise((resolve, reject) => {
    const { protocol, hostname, port } = new URL(url);
    const request = protocol === 'https:' ? httpsRequest : httpRequest;
    const sent = request({ hostname, port, path, agent: false, ...options }, (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk) => chunks.push(chunk));
      response.on('error', reject);
      response.on('end', () => {
        const { statusCode = 0, headers } = response;
        const whole = Buffer.concat(chunks);
        resolve({ status: statusCode, headers, body: whole, text: whole.toString() });
      });
    });
    sent.on('error', reject).end(body);
  });

export const rawGet = (url: string, path: string, headers: Record<string, string> = {}, method = 'GET') =>
  rawAsk(url, path, { method, headers });

/**
 * Sends bytes over TCP, and returns what arrives until the connection is closed. `ends`: the client closes its side after the
 * bytes.
 */
export const talk = (url: string, bytes: string, { ends = false } = {}): Promise<string> =>
  new Promise((resolve) => {
    const { hostname, port } = new URL(url);
    const socket = connect(Number(port), hostname, () => (ends ? socket.end(bytes) : socket.write(bytes)));
    let text = '';
    socket.on('data', (chunk) => {
      text += chunk;
    });
    socket.on('error', () => {});
    socket.on('close', () => resolve(text));
  });
