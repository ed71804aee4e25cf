import { STATUS_CODES } from 'node:http';
import type { Duplex } from 'node:stream';
import type { Times } from '../../config/timeouts.js';
import { AppError } from '../../errors/errors.js';
import { SECURITY_HEADERS } from './origins.js';
import { problemBody, problemHeaders } from './problem.js';

/** Answers what Node.js refuses (malformed HTTP, oversized headers, timeouts) with the body and headers of other failures. */
export const answerClientError =
  (times: Times) =>
  (error: NodeJS.ErrnoException, socket: Duplex): void => {
    const code = error.code === 'ERR_HTTP_REQUEST_TIMEOUT' ? 'REQUEST_TIMEOUT' : 'BAD_REQUEST';
    if (error.code === 'ECONNRESET') socket.destroy();
    else endWith(socket, new AppError(code), times);
  };

/** Answers with an error and closes the connection. If the client does not close its side in time, the socket is destroyed. */
export function endWith(socket: Duplex, error: AppError, times: Times): void {
  if (!socket.writable) return void socket.destroy();
  socket.end(rawAnswer(error));
  socket.once(
    'close',
    times.after(times.clientClose, () => socket.destroy()),
  );
}

function rawAnswer(error: AppError): string {
  const body = JSON.stringify(problemBody(error));
  const headers = Object.entries({
    ...SECURITY_HEADERS,
    ...problemHeaders(error),
    'Content-Type': 'application/json',
    'Content-Length': String(Buffer.byteLength(body)),
    Connection: 'close',
  }).map(([name, value]) => `${name}: ${value}`);
  return [`HTTP/1.1 ${error.status} ${STATUS_CODES[error.status]}`, ...headers, '', body].join('\r\n');
}
