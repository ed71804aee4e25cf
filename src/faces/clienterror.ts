import type { Duplex } from 'node:stream';
import { AppError } from '../errors.js';
import { SECURITY_HEADERS } from './headers.js';
import { problemBody } from './problem.js';

/** What is not even HTTP, or too long a header, gets an answer of the same form and with the same headers. */
export function answerClientError(error: NodeJS.ErrnoException, socket: Duplex): void {
  if (!socket.writable || error.code === 'ECONNRESET') {
    socket.destroy();
    return;
  }
  const body = JSON.stringify(problemBody(new AppError('BAD_REQUEST')));
  const headers = Object.entries({
    ...SECURITY_HEADERS,
    'Content-Type': 'application/json',
    'Content-Length': String(Buffer.byteLength(body)),
    Connection: 'close',
  }).map(([name, value]) => `${name}: ${value}`);
  socket.end(['HTTP/1.1 400 Bad Request', ...headers, '', body].join('\r\n'));
}
