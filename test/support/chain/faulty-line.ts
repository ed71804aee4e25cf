import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';

/** What happens to a statement that a test waits for: `lose` runs it and cuts its answer off, `drop` cuts it off before. */
export type Fault = 'lose' | 'drop' | 'freeze' | { readonly delayMs: number };

type Pair = { readonly client: Socket; readonly server: Socket; frozen: boolean };

/** A TCP line to a PostgreSQL server that a test freezes, cuts and slows down, also in the middle of a statement. */
export class FaultyLine {
  readonly #pairs = new Set<Pair>();
  #server: Server | undefined;
  #port = 0;
  #frozen = false;
  #delayMs = 0;
  #trigger: { readonly pattern: RegExp; readonly fault: Fault; readonly fired: () => void } | undefined;

  constructor(private readonly target: string) {}

  static async to(target: string): Promise<FaultyLine> {
    const line = new FaultyLine(target);
    await line.open();
    return line;
  }

  /** The address of the database through this line. */
  get url(): string {
    const url = new URL(this.target);
    url.hostname = '127.0.0.1';
    url.port = String(this.#port);
    return url.href;
  }

  async open(): Promise<void> {
    this.#server = createServer({ allowHalfOpen: true }, (client) => this.#join(client));
    this.#server.listen(this.#port, '127.0.0.1');
    await once(this.#server, 'listening');
    this.#port = (this.#server.address() as AddressInfo).port;
  }

  /** Resets every connection; new ones work. */
  reset(): void {
    for (const { client, server } of this.#pairs) {
      client.resetAndDestroy();
      server.resetAndDestroy();
    }
  }

  /** Accepts connections and keeps those that there are, but lets nothing through. Nobody hears of an end either. */
  freeze(): void {
    this.#frozen = true;
    for (const pair of this.#pairs) pair.frozen = true;
  }

  /** New connections work again; those that were frozen stay so, as behind a firewall that has forgotten them. */
  thaw(): void {
    this.#frozen = false;
  }

  /** Everything takes so long from now on, each way. */
  slow(delayMs: number): void {
    this.#delayMs = delayMs;
  }

  /** The fault hits the next connection that sends a matching statement. Fulfilled when it has. */
  at(pattern: RegExp, fault: Fault): Promise<void> {
    return new Promise((fired) => {
      this.#trigger = { pattern, fault, fired };
    });
  }

  /** Closes the port and every connection. */
  async close(): Promise<void> {
    this.#trigger = undefined;
    const closed = this.#server?.listening ? once(this.#server, 'close') : undefined;
    this.#server?.close();
    this.reset();
    await closed;
  }

  #join(client: Socket): void {
    const { hostname, port } = new URL(this.target);
    const server = connect(Number(port || 5432), hostname);
    const pair: Pair = { client, server, frozen: this.#frozen };
    this.#pairs.add(pair);
    client.on('data', (chunk) => {
      if (!this.#struck(pair, chunk)) this.#pass(pair, server, chunk);
    });
    server.on('data', (chunk) => this.#pass(pair, client, chunk));
    // A frozen line does not pass on that the client has ended, and confirms nothing.
    client.on('end', () => {
      if (!pair.frozen) client.end();
      else setTimeout(() => client.destroy(), 60_000).unref();
    });
    for (const [socket, other] of [
      [client, server],
      [server, client],
    ] as const) {
      socket.on('error', () => {});
      socket.on('close', () => {
        if (pair.frozen && socket === server) return;
        this.#pairs.delete(pair);
        // A frozen line tells the server nothing of a client that has gone.
        if (!pair.frozen) other.destroy();
        else if (socket === client) setTimeout(() => other.destroy(), 60_000).unref();
      });
    }
  }

  #pass(pair: Pair, to: Socket, chunk: Buffer): void {
    if (pair.frozen) return;
    if (this.#delayMs === 0) to.write(chunk);
    else setTimeout(() => !pair.frozen && to.writable && to.write(chunk), this.#delayMs);
  }

  #struck(pair: Pair, chunk: Buffer): boolean {
    if (this.#trigger === undefined || !this.#trigger.pattern.test(chunk.toString('latin1'))) return false;
    const { fault, fired } = this.#trigger;
    this.#trigger = undefined;
    if (typeof fault === 'object') {
      setTimeout(() => this.#pass(pair, pair.server, chunk), fault.delayMs);
    } else if (fault === 'lose') {
      pair.server.removeAllListeners('data');
      pair.server.once('data', () => {
        pair.client.resetAndDestroy();
        pair.server.destroy();
      });
      pair.server.write(chunk);
    } else if (fault === 'freeze') {
      pair.frozen = true;
    } else {
      pair.client.resetAndDestroy();
      pair.server.resetAndDestroy();
    }
    fired();
    return true;
  }
}
