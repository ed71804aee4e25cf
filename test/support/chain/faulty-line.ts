import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';
import type { Times } from '../../../src/config/timeouts.js';
import type { Deps } from '../../../src/deps.js';
import { openDatabase } from '../../../src/service/orm.js';
import { testDatabase } from '../database.js';
import { storeOf } from '../store.js';

/**
 * What happens at a matching statement. `lose` runs the statement and cuts before its answer. `drop` cuts before it runs. `freeze`
 * freezes the connection, which loses the statement. `delayMs` delays the statement.
 */
export type Fault = 'lose' | 'drop' | 'freeze' | { readonly delayMs: number };

type Pair = { readonly client: Socket; readonly server: Socket; frozen: boolean };

/** A TCP proxy to PostgreSQL, Redis or the service. A test freezes, cuts and slows it down, even in the middle of a statement. */
export class FaultyLine {
  /** Called with each chunk that a client sends, and whether its connection is frozen. */
  onSent: (text: string, isFrozen: boolean) => void = () => {};
  readonly #pairs = new Set<Pair>();
  #server: Server | undefined;
  #port = 0;
  #frozen = false;
  #delayMs = 0;
  #trigger: { readonly pattern: RegExp; readonly fault: Fault; readonly fired: () => void } | undefined;

  private constructor(private target: string) {}

  static async to(target: string): Promise<FaultyLine> {
    const line = new FaultyLine(target);
    await line.open();
    return line;
  }

  /** The URL of the server through this proxy. */
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

  /** Resets every connection. New connections go to another server, as after a failover. */
  redirect(target: string): void {
    this.target = target;
    this.reset();
  }

  /** Resets every connection. New connections work. */
  reset(): void {
    for (const { client, server } of this.#pairs) {
      client.resetAndDestroy();
      server.resetAndDestroy();
    }
  }

  /** Keeps all connections open but forwards nothing, not even their ends. It also accepts new connections. */
  freeze(): void {
    this.#frozen = true;
    for (const pair of this.#pairs) pair.frozen = true;
  }

  /** New connections work again. Frozen connections stay frozen, as behind a firewall that has dropped their state. */
  thaw(): void {
    this.#frozen = false;
  }

  /** Delays all data in each direction from now on. */
  slow(delayMs: number): void {
    this.#delayMs = delayMs;
  }

  /** Injects the fault at the next matching statement of any connection. Resolves when that has happened. */
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
    const { hostname, port, protocol } = new URL(this.target);
    const server = connect(Number(port || (protocol === 'redis:' ? 6379 : 5432)), hostname);
    const pair: Pair = { client, server, frozen: this.#frozen };
    this.#pairs.add(pair);
    client.on('data', (chunk) => {
      this.onSent(chunk.toString('latin1'), pair.frozen);
      if (!this.#struck(pair, chunk)) this.#pass(pair, server, chunk);
    });
    server.on('data', (chunk) => this.#pass(pair, client, chunk));
    // A frozen connection neither forwards nor confirms that the client has ended its side. It is destroyed a minute later, so that
    // frozen connections do not pile up.
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
        // On a frozen connection, the server does not notice for a minute that the client is gone.
        if (!pair.frozen) other.destroy();
        else if (socket === client) setTimeout(() => other.destroy(), 60_000).unref();
      });
    }
  }

  /** Forwards a chunk to one side of the pair, unless the connection is frozen. */
  #pass(pair: Pair, to: Socket, chunk: Buffer): void {
    if (pair.frozen) return;
    if (this.#delayMs === 0) to.write(chunk);
    else setTimeout(() => !pair.frozen && to.writable && to.write(chunk), this.#delayMs);
  }

  /**
   * Injects the fault that a test has set with the method `at`, if the chunk matches its pattern. Returns true if it did: the caller
   * must then not forward the chunk.
   */
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

/** A faulty line to the database of the running test file, and the parts of a process that connects over it. */
type OverLine = { readonly line: FaultyLine; readonly parts: Pick<Deps, 'sql' | 'write' | 'writes'> };

/** Opens a line for the calling suite. Each test gets new connections over it, with the given timeouts. */
export function useFaultyLine(times: Times): OverLine {
  const over = {} as { -readonly [K in keyof OverLine]: OverLine[K] };
  let close: () => Promise<void>;
  before(async () => {
    over.line = await FaultyLine.to(String((await testDatabase()).url));
  });
  beforeEach(async () => {
    const orm = await openDatabase({ url: over.line.url }, { times });
    over.parts = await storeOf(orm);
    close = () => orm.close(true);
  });
  afterEach(async () => {
    over.line.thaw();
    over.line.reset();
    await close();
  });
  after(() => over.line.close());
  return over;
}
