import { STATUS_CODES } from 'node:http';
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
  socket.end(rawAnswer(new AppError('BAD_REQUEST')));
}

/** Refuses to make a connection one of another protocol. */
export function refuseUpgrade(socket: Duplex, error: AppError): void {
  if (socket.writable) socket.end(rawAnswer(error));
  else socket.destroy();
}

function rawAnswer(error: AppError): string {
  const body = JSON.stringify(problemBody(error));
  const headers = Object.entries({
    ...SECURITY_HEADERS,
    ...(error.retryAfter === undefined ? {} : { 'Retry-After': String(error.retryAfter) }),
    'Content-Type': 'application/json',
    'Content-Length': String(Buffer.byteLength(body)),
    Connection: 'close',
  }).map(([name, value]) => `${name}: ${value}`);
  return [`HTTP/1.1 ${error.status} ${STATUS_CODES[error.status]}`, ...headers, '', body].join('\r\n');
}
