import { once } from 'node:events';
import { createServer } from 'node:net';
import { nextPort } from '../../support/service/process.js';

/** Returns a free port of the loopback interface. Outgoing connections do not take it before it is used. */
export async function freePort(): Promise<number> {
  for (;;) {
    const [port, server] = [nextPort(), createServer()];
    const isFree = await once(server.listen(port, '127.0.0.1'), 'listening').then(
      () => true,
      () => false,
    );
    if (!isFree) continue;
    server.close();
    await once(server, 'close');
    return port;
  }
}
