import { once } from 'node:events';
import { createServer, type Server } from 'node:net';

// Ports from 10,000 to 19,999. Outgoing connections use higher ports, and embedded chains others (test/support/service/process.ts).
const [FIRST, COUNT] = [10_000, 10_000];
/** A process that listens on a port of this address has reserved the port with the same number on 127.0.0.1. */
const RESERVATIONS = '127.0.0.2';
let tried = process.pid * 16;

/** Returns a free port of 127.0.0.1. No other test process gets it while this process runs. */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = FIRST + (tried++ % COUNT);
    const reservation = await listen(port, RESERVATIONS);
    if (reservation === 'in use') continue;
    const own = await listen(port, '127.0.0.1');
    if (own === 'in use') continue;
    if (own !== undefined) await once(own.close(), 'close');
    return port;
  }
}

/** Listens on the port, if it is free. undefined if the system does not have the address: only Linux has more than 127.0.0.1. */
async function listen(port: number, host: string): Promise<Server | 'in use' | undefined> {
  const server = createServer().unref().listen(port, host);
  return once(server, 'listening').then(
    () => server,
    (error: NodeJS.ErrnoException) => (error.code === 'EADDRNOTAVAIL' ? undefined : 'in use'),
  );
}
