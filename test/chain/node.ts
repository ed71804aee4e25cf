import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { RpcProvider } from '../../src/chain/rpc.js';
import { openMetrics } from '../../src/observe/metrics.js';
import { listen } from '../support/service/listen.js';
import { eventually } from '../support/service/process.js';
import { type ManualTimes, manualTimes } from '../support/times.js';

export type Call = { readonly id: number; readonly method: string; readonly params: readonly unknown[] };
export type Behaviour = (response: ServerResponse, calls: Call[], request: IncomingMessage) => void;

/** Answers each call with this result or error. */
export const replies =
  (replyTo: (call: Call) => { readonly result: unknown } | { readonly error: object }): Behaviour =>
  (response, calls) => {
    const all = calls.map((call) => ({ jsonrpc: '2.0', id: call.id, ...replyTo(call) }));
    json(response, all);
  };

/** Answers like a healthy node. The result of each call is `name`, so that a test sees which node answered. */
export const answers = (name: string): Behaviour => replies(() => ({ result: name }));

export const hangs: Behaviour = () => {};
/** Answers the oldest request when the test says so. Later ones hang. */
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

/** Behaviours that return no usable answer. */
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

/** A node on the loopback interface with scripted behaviour. It records the methods it is asked for. */
export class FakeNode {
  readonly asked: string[] = [];
  /** The number of HTTP requests. A batch counts as one. */
  requests = 0;
  does: Behaviour;
  url = '';
  #server: Server;
  #sockets = new Set<Socket>();

  private constructor(does: Behaviour) {
    this.does = does;
    this.#server = createServer((request, response) => {
      // A subscription to new blocks asks for a WebSocket.
      if (request.method !== 'POST') return void response.writeHead(405).end();
      this.requests++;
      let body = '';
      request.on('data', (chunk) => {
        body += chunk;
      });
      request.on('end', () => {
        const sent: Call | Call[] = JSON.parse(body);
        const calls = Array.isArray(sent) ? sent : [sent];
        this.asked.push(...calls.map(({ method }) => method));
        this.does(response, calls, request);
      });
    });
    this.#server.on('connection', (socket) => this.#sockets.add(socket));
  }

  static async start(does: Behaviour): Promise<FakeNode> {
    const node = new FakeNode(does);
    node.url = await listen(node.#server);
    return node;
  }

  async stop(): Promise<void> {
    for (const socket of this.#sockets) socket.destroy();
    await new Promise((resolve) => this.#server.close(resolve));
  }
}

/** A URL that refuses connections: its port was free a moment ago. */
export async function refusing(): Promise<string> {
  const node = await FakeNode.start(hangs);
  const { url } = node;
  await node.stop();
  return url;
}

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
    const made = await FakeNode.start(does);
    opened.push(made);
    return made;
  };
  /** A provider whose clock stands still until the test turns it, so an answer without a turn needed no timeout. */
  const over = (nodes: readonly (FakeNode | string)[], times: ManualTimes = manualTimes()): RpcProvider => {
    const urls = nodes.map((one) => (typeof one === 'string' ? one : one.url));
    const provider = new RpcProvider(urls, 84532, times, { metric });
    opened.push({ stop: () => provider.destroy() });
    return provider;
  };
  /** The calls of a node in the metric: what its label adds to the host, the method, the result and the number. */
  const counted = async ({ url }: FakeNode): Promise<string[]> =>
    (await metric.get()).values
      .filter(({ metricName, labels }) => metricName?.endsWith('_count') && `http://${labels.url}`.startsWith(url))
      .map(({ labels, value }) => [`http://${labels.url}`.slice(url.length), labels.method, labels.result, value])
      .map((parts) => parts.join(' ').trim())
      .sort();
  /** Waits until the node has received this number of requests. */
  const asked = (of: FakeNode, requests = 1) => eventually(() => of.requests === requests);
  /** Lets an answer that was sent before arrive: a later request of this process is answered after it. */
  const arrived = async () => void (await ask(over([await node(answers('later'))])));
  return { node, over, counted, asked, arrived };
}
