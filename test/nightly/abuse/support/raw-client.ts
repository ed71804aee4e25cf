import { connect, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';

const open = new Set<RawClient>();

/** A TCP connection that sends any bytes. Its side stays open until `destroy`, even after the service has closed the other side. */
export class RawClient {
  #received = Buffer.alloc(0);
  #closedAt: number | undefined;
  sentBytes = 0;
  readonly #socket: Socket;
  readonly #openedAt = performance.now();

  constructor(port: number, from: string, first: string | Buffer = '') {
    open.add(this);
    this.#socket = connect({ port, host: '127.0.0.1', localAddress: from, allowHalfOpen: true });
    this.#socket.on('data', (chunk: Buffer) => {
      this.#received = Buffer.concat([this.#received, chunk]);
    });
    this.#socket.on('error', () => {});
    const closed = () => {
      this.#closedAt ??= performance.now();
    };
    this.#socket.on('end', closed).on('close', closed);
    this.write(first);
  }

  get bytes(): Buffer {
    return this.#received;
  }
  get text(): string {
    return this.#received.toString('latin1');
  }
  /** Status codes of the answers so far. */
  get statuses(): number[] {
    return [...this.text.matchAll(/HTTP\/1\.1 (\d{3}) [A-Z]/g)].map(([, status]) => Number(status));
  }
  get isClosed(): boolean {
    return this.#closedAt !== undefined;
  }
  /** Milliseconds from the start of the connection until the service closed it. Infinity while it is open. */
  get lifetime(): number {
    return (this.#closedAt ?? Number.POSITIVE_INFINITY) - this.#openedAt;
  }

  write(data: string | Buffer): void {
    if (data.length === 0 || !this.#socket.writable) return;
    this.sentBytes += data.length;
    this.#socket.write(data);
  }
  /** Stops reading, so that the answers of the service pile up in the buffers. */
  stopReading(): void {
    this.#socket.pause();
  }
  destroy(): void {
    open.delete(this);
    this.#socket.destroy();
  }

  /** Sends the same bytes repeatedly, with a pause between, until the service closes the connection or `maxMs` have passed. */
  async repeat(data: string | Buffer, pauseMs: number, maxMs: number): Promise<void> {
    const end = performance.now() + maxMs;
    while (!this.isClosed && performance.now() < end) {
      // While the service does not read, at most 1 MB waits in this process.
      if (this.#socket.writableLength < 1_000_000) this.write(data);
      await sleep(pauseMs);
    }
  }

  async untilClosed(maxMs: number): Promise<this> {
    const end = performance.now() + maxMs;
    while (!this.isClosed && performance.now() < end) await sleep(20);
    return this;
  }

  /** Waits until the received text matches, or the service has closed the connection. */
  async until(pattern: RegExp, maxMs = 10_000): Promise<this> {
    const end = performance.now() + maxMs;
    while (!pattern.test(this.text) && !this.isClosed) {
      if (performance.now() > end) throw new Error(`no ${pattern} arrived: ${this.text.slice(0, 300)}`);
      await sleep(10);
    }
    return this;
  }
}

/** Closes the connections that tests left open. */
export function closeClients(): void {
  for (const client of [...open]) client.destroy();
}
