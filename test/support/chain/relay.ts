import { connect } from 'node:net';
import { seeded } from '../seed.js';
import { rpc } from '../service/process.js';
import { type Behaviour, type Call, FakeNode, hangs, status, type Upgrade } from './node.js';

// A JSON-RPC URL in front of the real chain. It forwards the calls, or misbehaves in one of the ways in FAULTS.

export const FAULTS = [
  'hang',
  'hang in the answer',
  'refuse',
  'reset',
  'garbage',
  'wrong status',
  'lag 30 blocks',
  'limited ranges',
  'slow',
] as const;
export type Fault = (typeof FAULTS)[number];

type Reply = { id: number; result?: unknown; error?: unknown };
export type Log = Record<string, string | string[] | boolean>;

/** Number of blocks by which the fault `lag 30 blocks` lags. */
const LAG = 30;
/** Maximum number of blocks that `eth_getLogs` accepts during the fault `limited ranges`. */
const LIMIT = 3;
/** Longer than `rpcHedge`, so that the next URL is asked, and shorter than `rpcCall`, so that the answer still counts. */
const SLOW_MS = 2500;
const STATUSES = [400, 401, 404, 413, 429, 500, 502, 503];

export class Relay extends FakeNode {
  fault: Fault | undefined;
  /** Selects the logs to omit from answers to `eth_getLogs`. */
  omits: ((log: Log) => boolean) | undefined;
  /** Selects the logs to omit from receipts. */
  omitsInReceipts: ((log: Log) => boolean) | undefined;
  /** The methods that the node claims not to support. */
  lacks = new Set<string>();
  /** Replaces the result of a call. */
  distort: ((call: Call, result: unknown) => unknown) | undefined;
  /** Returns another behaviour for a request with these calls. If it returns undefined, the relay answers as usual. */
  overrides: ((calls: Call[]) => Behaviour | undefined) | undefined;
  /** Number of omitted logs. */
  omitted = 0;
  readonly #random: () => number;

  private constructor(
    readonly target: string,
    seed: number,
  ) {
    // `does` below replaces this behaviour.
    super(hangs);
    this.#random = seeded(seed);
  }

  static start(target: string, seed = 1): Promise<Relay> {
    return new Relay(target, seed).open();
  }

  /** Starts a fault, or ends it if `fault` is undefined. Requests that already hang keep hanging. */
  async turn(fault: Fault | undefined): Promise<void> {
    this.fault = fault;
    if (fault === 'refuse') await this.stop();
    else if (!this.server) await this.open();
    if (fault === 'reset') for (const socket of this.sockets) socket.resetAndDestroy();
  }

  override does: Behaviour = async (response, calls, request) => {
    if (this.fault === 'hang') return;
    if (this.fault === 'reset') return request.socket.resetAndDestroy();
    const override = this.fault === 'wrong status' ? status(this.#one(STATUSES)) : this.overrides?.(calls);
    if (override) return override(response, calls, request);
    if (this.fault === 'slow') await new Promise((resolve) => setTimeout(resolve, SLOW_MS));
    const replies = await this.#ask(calls);
    const text = this.fault === 'garbage' ? this.#garbage(calls, replies) : JSON.stringify(replies);
    response.writeHead(200, { 'content-type': 'application/json' });
    const answer = calls.length > 1 ? text : text.replace(/^\[|\]$/g, '');
    if (this.fault === 'hang in the answer') response.write(answer.slice(0, answer.length / 2));
    else response.end(answer);
  };

  async #ask(calls: readonly Call[]): Promise<Reply[]> {
    const lags = this.fault === 'lag 30 blocks';
    const head = lags ? Math.max(0, Number(await this.#pass('eth_blockNumber', [])) - LAG) : Number.POSITIVE_INFINITY;
    return Promise.all(
      calls.map(async (call): Promise<Reply & { jsonrpc: string }> => {
        const { id, method, params } = call;
        const answer = { jsonrpc: '2.0', id };
        if (this.lacks.has(method)) {
          return { ...answer, error: { code: -32601, message: `the method ${method} does not exist` } };
        }
        if (method === 'eth_getLogs' && this.fault === 'limited ranges' && width(params[0]) > LIMIT) {
          return { ...answer, error: { code: -32005, message: `at most ${LIMIT} blocks` } };
        }
        try {
          const result = this.#changed(call, lags ? await this.#lagging(call, head) : await this.#pass(method, params));
          return { ...answer, result: this.distort ? this.distort(call, result) : result };
        } catch (error) {
          return { ...answer, error: { code: -32000, message: (error as Error).message } };
        }
      }),
    );
  }

  /** The answer of a node that has reached only block `head`. */
  async #lagging({ method, params }: Call, head: number): Promise<unknown> {
    if (method === 'eth_blockNumber') return hex(head);
    if (method === 'eth_getBlockByNumber' && params[0] === 'latest') return this.#pass(method, [hex(head), params[1]]);
    if (method === 'eth_getBlockByNumber' && Number(params[0]) > head) return null;
    if (method === 'eth_call' && (params[1] === 'latest' || Number(params[1]) > head)) {
      return this.#pass(method, [params[0], hex(head)]);
    }
    const result = await this.#pass(method, params);
    if (method === 'eth_getLogs') return (result as Log[]).filter(({ blockNumber }) => Number(blockNumber) <= head);
    const late = Number((result as { blockNumber?: string } | null)?.blockNumber) > head;
    return method === 'eth_getTransactionReceipt' && late ? null : result;
  }

  /** The result without the logs that the test omits. */
  #changed({ method }: Call, result: unknown): unknown {
    const keep = (omits: ((log: Log) => boolean) | undefined, logs: Log[]) =>
      logs.filter((log) => {
        const gone = omits?.(log) === true;
        if (gone) this.omitted++;
        return !gone;
      });
    if (method === 'eth_getLogs') return keep(this.omits, result as Log[]);
    if (method === 'eth_getBlockReceipts' && result !== null) {
      return (result as { logs: Log[] }[]).map((receipt) => ({
        ...receipt,
        logs: keep(this.omitsInReceipts, receipt.logs),
      }));
    }
    return result;
  }

  #garbage(calls: readonly Call[], replies: readonly Reply[]): string {
    const all = (result: () => unknown) => JSON.stringify(calls.map(({ id }) => ({ jsonrpc: '2.0', id, result: result() })));
    const kinds: (() => string)[] = [
      () => '<html><body>maintenance</body></html>',
      () => JSON.stringify(replies).slice(0, 40),
      () => all(() => null),
      () => all(() => this.#one([42, {}, [], 'garbage', true, '0x', [null], [{}]])),
      // Twice, so that this kind is chosen twice as often as each other kind.
      () => JSON.stringify(replies.map((reply) => ({ ...reply, result: this.#spoilt(reply.result) }))),
      () => JSON.stringify(replies.map((reply) => ({ ...reply, result: this.#spoilt(reply.result) }))),
    ];
    return this.#one(kinds)();
  }

  /** Returns the correct result with one field spoilt. */
  #spoilt(result: unknown): unknown {
    const hash = `0x${'ab'.repeat(32)}`;
    if (Array.isArray(result)) {
      const spoil = this.#one<(log: Log) => unknown>([
        (log) => ({ ...log, address: `0x${'12'.repeat(20)}` }),
        (log) => ({ ...log, blockNumber: hex(Number(log.blockNumber) + 1_000_000) }),
        (log) => ({ ...log, blockHash: hash }),
        (log) => ({ ...log, topics: null }),
        (log) => ({ ...log, data: '0x12' }),
        () => null,
      ]);
      return result.map(spoil);
    }
    if (typeof result === 'string') return this.#one(['0xzz', '', '0xffffffffff', result.slice(0, -1)]);
    if (typeof result === 'object' && result !== null) {
      return this.#one<unknown>([
        { ...result, number: '0x1', blockNumber: '0x1' },
        { ...result, hash: 'nonsense', blockHash: 7 },
        { ...result, hash, blockHash: hash },
      ]);
    }
    return result;
  }

  #pass(method: string, params: readonly unknown[]): Promise<unknown> {
    return rpc(this.target, method, ...params);
  }

  #one<T>(list: readonly T[]): T {
    return list[Math.floor(this.#random() * list.length)] as T;
  }

  /** Forwards a WebSocket to the chain, for subscriptions to new blocks, unless the relay has a fault. */
  override upgrade: Upgrade = (request, socket, head) => {
    if (this.fault === 'hang') return;
    if (this.fault !== undefined) return void socket.destroy();
    const { hostname, port } = new URL(this.target);
    const chain = connect(Number(port), hostname, () => {
      const lines = request.rawHeaders.flatMap((name, i, all) => (i % 2 === 0 ? [`${name}: ${all[i + 1]}`] : []));
      chain.write(`GET / HTTP/1.1\r\n${lines.join('\r\n')}\r\n\r\n`);
      chain.write(head);
      socket.pipe(chain).pipe(socket);
    });
    this.keep(chain);
    chain.on('close', () => socket.destroy());
    socket.on('close', () => chain.destroy());
  };
}

const hex = (value: number): string => `0x${value.toString(16)}`;

/** Number of blocks that a filter of `eth_getLogs` covers. Without a range, it names one block by its hash. */
function width(filter: unknown): number {
  const { fromBlock, toBlock } = filter as { fromBlock?: string; toBlock?: string };
  return fromBlock === undefined ? 1 : Number(toBlock) - Number(fromBlock) + 1;
}
