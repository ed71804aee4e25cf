import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';

/** A TCP relay to Redis. A test cuts, silences and restores it. */
export class Relay {
  /** The number of chunks sent to Redis. Without pipelining, it equals the number of round trips. */
  requests = 0;
  /** What was sent to Redis while the relay was silent. */
  readonly dropped: string[] = [];
  private readonly sockets = new Set<Socket>();
  private server: Server | undefined;
  private port = 0;
  private silent = false;
  private isCut = false;

  constructor(private readonly target: string) {}

  get url(): string {
    const url = new URL(this.target);
    url.hostname = '127.0.0.1';
    url.port = String(this.port);
    return url.href;
  }

  /** Listens on a free port, or accepts connections again after `cut`. */
  async open(): Promise<void> {
    this.isCut = false;
    if (this.server !== undefined) return;
    this.server = createServer((client) => this.join(client));
    this.server.listen(0, '127.0.0.1');
    await once(this.server, 'listening');
    this.port = (this.server.address() as AddressInfo).port;
  }

  /** Ends every connection, also a new one. The port stays taken, so that no other program gets it. */
  cut(): void {
    this.isCut = true;
    for (const socket of this.sockets) socket.destroy();
  }

  async close(): Promise<void> {
    this.cut();
    const closed = this.server && once(this.server, 'close');
    this.server?.close();
    await closed;
  }

  /** Keeps the connections open but drops all data. */
  silence(silent: boolean): void {
    this.silent = silent;
  }

  private join(client: Socket): void {
    if (this.isCut) {
      client.destroy();
      return;
    }
    const { hostname, port } = new URL(this.target);
    const redis = connect(Number(port || 6379), hostname);
    const pass = (from: Socket, to: Socket, onData: (chunk: Buffer) => void) => {
      this.sockets.add(from);
      from.on('data', (chunk: Buffer) => {
        onData(chunk);
        if (!this.silent) to.write(chunk);
      });
      from.on('error', () => {});
      from.on('close', () => {
        this.sockets.delete(from);
        to.destroy();
      });
    };
    pass(client, redis, (chunk) => {
      if (this.silent) this.dropped.push(chunk.toString());
      else this.requests += 1;
    });
    pass(redis, client, () => {});
  }
}
