import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { RpcProvider } from '../../../src/chain/rpc.js';
import { openMetrics } from '../../../src/observe/metrics.js';
import { eventually } from '../service/process.js';
import { type ManualTimes, manualTimes } from '../times.js';

export type Call = { readonly id: number; readonly method: string; readonly params: readonly unknown[] };
/** How a fake node answers an HTTP request, which has one call or a batch of calls. */
export type Behaviour = (response: ServerResponse, calls: Call[], request: IncomingMessage) => unknown;

/** Answers each call of a request with the result or error that `replyTo` returns. */
export const replies =
  (replyTo: (call: Call) => { readonly result: unknown } | { readonly error: object }): Behaviour =>
  (response, calls) => {
    const all = calls.map((call) => ({ jsonrpc: '2.0', id: call.id, ...replyTo(call) }));
    json(response, all);
  };

/** Answers like a healthy node. The result of each call is `name`, so that a test sees which node answered. */
export const answers = (name: string): Behaviour => replies(() => ({ result: name }));

export const hangs: Behaviour = () => {};
/** Holds back the answer to a request until the test calls `answer`. Requests that arrive in the meantime hang. */
export function held(does: Behaviour): { readonly does: Behaviour; answer(): void } {
  let answer: (() => void) | undefined;
  return {
    does(...asked) {
      answer ??= () => {
        answer = undefined;
        does(...asked);
      };
    },
    answer: () => answer?.(),
  };
}
export const status =
  (code: number, body = 'no'): Behaviour =>
  (response) =>
    response.writeHead(code).end(body);
/** Answers 200 with this body, also if it is not JSON. */
export const says =
  (body: string): Behaviour =>
  (response) =>
    response.writeHead(200, { 'content-type': 'application/json' }).end(body);
export const drops: Behaviour = (response) => response.destroy();

/** Sends one reply as an object and several as an array, like a real node. */
export function json(response: ServerResponse, replies: unknown[]): void {
  response.writeHead(200, { 'content-type': 'application/json' });
  response.end(JSON.stringify(replies.length === 1 ? replies[0] : replies));
}

/** Behaviours after which the caller has no usable answer. */
export const useless: Record<string, Behaviour> = {
  'HTTP 429': status(429),
  'HTTP 401': status(401),
  'HTTP 408': status(408),
  'HTTP 500': status(500),
  'HTTP 503': status(503, '{"jsonrpc":"2.0","id":1,"result":"wrong"}'),
  'HTTP 520': status(520),
  'a page of HTML': says('<html>maintenance</html>'),
  'HTTP 404 with unrelated JSON': status(404, '{"message":"no such project"}'),
  'half an answer': says('{"jsonrpc":"2.0","id":1,"resu'),
  null: says('null'),
  'an empty list': says('[]'),
  'an empty object': says('{}'),
  'the answer to another call': says('{"jsonrpc":"2.0","id":4711,"result":"wrong"}'),
  'an error without an id': says('{"jsonrpc":"2.0","id":null,"error":{"code":-32005,"message":"limit"}}'),
  'an empty body': says(''),
  'a dropped connection': drops,
};

export type Upgrade = (request: IncomingMessage, socket: Socket, head: Buffer) => void;

/** A fake RPC node on the loopback interface. `does` decides how it answers. */
export class FakeNode {
  /** The latest calls, oldest first. */
  readonly latest: Call[] = [];
  /** The number of calls since the start. */
  calls = 0;
  /** The number of HTTP requests. A batch counts as one. */
  requests = 0;
  /** Handles requests for a WebSocket. If it is not set, they get 405. */
  upgrade: Upgrade | undefined;
  protected readonly sockets = new Set<Socket>();
  protected server: Server | undefined;
  #port = 0;

  constructor(public does: Behaviour) {}

  get url(): string {
    return `http://127.0.0.1:${this.#port}`;
  }

  /** The methods of the latest calls. */
  get asked(): string[] {
    return this.latest.map(({ method }) => method);
  }

  /** Starts to listen. After a stop, the node listens on the same port again. */
  async open(): Promise<this> {
    const server = createServer((request, response) => {
      // A request for a WebSocket is a GET. It comes here only without an `upgrade` handler.
      if (request.method !== 'POST') return void response.writeHead(405).end();
      this.#serve(request, response).catch(() => response.destroy());
    });
    server.on('connection', (socket) => this.keep(socket));
    if (this.upgrade) server.on('upgrade', this.upgrade);
    await once(server.listen(this.#port, '127.0.0.1'), 'listening');
    this.#port = (server.address() as AddressInfo).port;
    this.server = server;
    return this;
  }

  async stop(): Promise<void> {
    const { server } = this;
    this.server = undefined;
    for (const socket of this.sockets) socket.destroy();
    if (server) await new Promise((resolve) => server.close(resolve));
  }

  protected keep(socket: Socket): void {
    this.sockets.add(socket);
    socket.on('error', () => {});
    socket.on('close', () => this.sockets.delete(socket));
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const sent: Call | Call[] = JSON.parse((await request.toArray()).join(''));
    const calls = Array.isArray(sent) ? sent : [sent];
    this.requests++;
    this.calls += calls.length;
    this.latest.push(...calls);
    // Forgets old calls, so that a long test does not use up the memory.
    if (this.latest.length > 5000) this.latest.splice(0, 2500);
    await this.does(response, calls, request);
  }
}

/** Returns a URL that refuses connections, because its port was just released. */
export async function refusing(): Promise<string> {
  const node = await new FakeNode(hangs).open();
  await node.stop();
  return node.url;
}

/** Makes a call. The nodes of `answers` answer it with their name. */
export const ask = (provider: RpcProvider, method = 'web3_clientVersion') => provider.send(method, []);

/** Starts nodes and providers for the tests of the calling suite, and stops them after each test. */
export function useNodes() {
  const opened: { stop(): unknown }[] = [];
  let metric = openMetrics().rpcCalls;
  beforeEach(() => {
    metric = openMetrics().rpcCalls;
  });
  afterEach(async () => {
    for (const one of opened.splice(0)) await one.stop();
  });

  const node = async (does: Behaviour): Promise<FakeNode> => {
    const made = await new FakeNode(does).open();
    opened.push(made);
    return made;
  };
  /** A provider whose clock stands still until the test turns it. So an answer that comes without a turn did not need a timeout. */
  const over = (nodes: readonly (FakeNode | string)[], times: ManualTimes = manualTimes()): RpcProvider => {
    const urls = nodes.map((one) => (typeof one === 'string' ? one : one.url));
    const provider = new RpcProvider(urls, 84532, times, { metric });
    opened.push({ stop: () => provider.destroy() });
    return provider;
  };
  /**
   * The calls of a node that the metric has counted. Each line has the method, the result and the number. If several URLs have the
   * same host, the line begins with the number of the URL.
   */
  const counted = async ({ url }: FakeNode): Promise<string[]> =>
    (await metric.get()).values
      .filter(({ metricName, labels }) => metricName?.endsWith('_count') && `http://${labels.url}`.startsWith(url))
      .map(({ labels, value }) => [`http://${labels.url}`.slice(url.length), labels.method, labels.result, value])
      .map((parts) => parts.join(' ').trim())
      .sort();
  /** Waits until the node has received this number of requests. */
  const asked = (of: FakeNode, requests = 1) => eventually(() => of.requests === requests);
  /** Waits until an answer that a node has already sent has arrived: asks another node, whose answer arrives later. */
  const arrived = async () => void (await ask(over([await node(answers('later'))])));
  return { node, over, counted, asked, arrived };
}
