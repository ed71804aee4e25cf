import { connect, type Socket } from 'node:net';

/** An HTTP request. With `body` it is a POST, otherwise a GET. */
export type Request = {
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
};

export type Load = {
  readonly requests: number;
  readonly seconds: number;
  /** Latencies in milliseconds, unordered. */
  readonly latencies: readonly number[];
};

export function bytesOf({ path, headers = {}, body }: Request, host: string): Buffer {
  const all: Record<string, string> = { host, ...headers };
  if (body !== undefined) {
    all['content-type'] ??= 'application/json';
    all['content-length'] = String(Buffer.byteLength(body));
  }
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`);
  return Buffer.from(`${body === undefined ? 'GET' : 'POST'} ${path} HTTP/1.1\r\n${lines.join('')}\r\n${body ?? ''}`);
}

type Bounds = {
  readonly connections: number;
  readonly seconds: number;
  /** Maximum number of requests per second. */
  readonly perSecond?: number;
  /** Maximum number of requests in total. */
  readonly requests?: number;
};

/**
 * Repeats a request on several connections. Each connection sends the next request after a complete answer. It does not parse
 * answers but only looks for their end, because the load generator must not be the bottleneck. Any status but 2xx throws.
 */
export async function load(
  base: string,
  request: Request | (() => Request),
  { connections, seconds, perSecond, requests = Number.POSITIVE_INFINITY }: Bounds,
): Promise<Load> {
  const { hostname, port, host } = new URL(base);
  const next = typeof request === 'function' ? () => bytesOf(request(), host) : always(bytesOf(request, host));
  const latencies: number[] = [];
  const started = performance.now();
  const end = started + seconds * 1000;
  const due = pace(started, perSecond);
  let remaining = requests;
  const worker = async () => {
    const socket = connect({ host: hostname, port: Number(port), noDelay: true });
    const answered = reader(socket);
    try {
      while (performance.now() < end && remaining-- > 0) {
        await due();
        const sent = performance.now();
        if (sent >= end) break;
        socket.write(next());
        await answered();
        latencies.push(performance.now() - sent);
      }
    } finally {
      socket.destroy();
    }
  };
  await Promise.all(Array.from({ length: connections }, worker));
  return { requests: latencies.length, seconds: (performance.now() - started) / 1000, latencies };
}

const always =
  <T>(value: T) =>
  () =>
    value;

/** Returns a function that waits until the next request is due. Without `perSecond`, every request is due immediately. */
function pace(started: number, perSecond: number | undefined): () => Promise<void> {
  let begun = 0;
  return async () => {
    if (perSecond === undefined) return;
    const at = started + (begun++ / perSecond) * 1000;
    const wait = at - performance.now();
    if (wait > 0) await new Promise((resolve) => setTimeout(resolve, wait));
  };
}

/** Returns a function that waits for the end of the next answer on the connection. */
function reader(socket: Socket): () => Promise<void> {
  let buffered: Buffer[] = [];
  let size = 0;
  /** Length of the answer in bytes, once the head is read. -1 for chunked encoding. */
  let whole: number | undefined;
  let waiting: { resolve(): void; reject(error: Error): void } | undefined;
  const fail = (error: Error) => waiting?.reject(error);
  socket.on('error', fail);
  socket.on('close', () => fail(new Error('the connection was closed')));
  socket.on('data', (data) => {
    buffered.push(data);
    size += data.length;
    if (whole === undefined) {
      const bytes = Buffer.concat(buffered);
      buffered = [bytes];
      const head = bytes.indexOf('\r\n\r\n');
      if (head < 0) return;
      const text = bytes.toString('latin1', 0, head);
      if (!/^HTTP\/1\.1 2/.test(text)) return fail(new Error(`answered ${text.split('\r\n')[0]}`));
      const length = /\r\ncontent-length: (\d+)/i.exec(text)?.[1];
      whole = length === undefined ? -1 : head + 4 + Number(length);
    }
    const ended = whole < 0 ? data.subarray(-5).toString('latin1') === '0\r\n\r\n' : size >= whole;
    if (!ended) return;
    [buffered, size, whole] = [[], 0, undefined];
    waiting?.resolve();
  });
  return () =>
    new Promise<void>((resolve, reject) => {
      waiting = { resolve, reject };
    });
}
