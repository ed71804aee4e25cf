import { ConnectionError, CurvetError, serviceError } from '../../errors.js';
import { backoff, type Clock, timeoutOf } from '../../http/clock.js';
import type { Arguments, ToolResult } from './tool.js';

/** A tool of the service, as the service describes it. */
export type ServiceTool = {
  readonly name: string;
  readonly inputSchema: { readonly type: 'object'; readonly properties?: Readonly<Record<string, unknown>> };
  readonly annotations?: { readonly readOnlyHint?: boolean };
};

/** Revision of MCP in which the requests are written. */
const REVISION = '2026-07-28';
const TIMEOUT_MS = 30_000;
const RETRIES = 2;
/** Maximum number of pages of the list of tools that are read. A faulty service could page for ever. */
const MAX_PAGES = 10;

type Message = {
  readonly id?: unknown;
  readonly result?: Readonly<Record<string, unknown>>;
  readonly error?: { readonly message?: unknown };
};

/** The tools of the service at `/mcp`, called with the agent's key. Their names, schemas and results are those of the service. */
export class ServiceTools {
  #listed: readonly ServiceTool[] = [];

  constructor(
    private readonly options: {
      readonly url: () => Promise<string>;
      readonly key: () => Promise<string | undefined>;
      readonly version: string;
      readonly clock: Clock;
    },
  ) {}

  /** Reads the list of tools, page by page. Entries that are not tools are left out. */
  async list(): Promise<readonly ServiceTool[]> {
    const tools: ServiceTool[] = [];
    let cursor: unknown;
    for (let page = 0; page < MAX_PAGES; page++) {
      const params = cursor === undefined ? {} : { cursor };
      const result = await this.#repeat(() => this.#ask('tools/list', params));
      tools.push(...(Array.isArray(result.tools) ? result.tools.filter(isTool) : []));
      cursor = result.nextCursor;
      if (typeof cursor !== 'string') break;
    }
    this.#listed = tools;
    return tools;
  }

  /** Whether the service says that the tool only reads. */
  isReadOnly = (name: string): boolean => this.#find(name)?.annotations?.readOnlyHint === true;

  /**
   * Calls a tool. If the tool takes an idempotency key, the call gets one, so that it can be repeated without acting twice. A tool
   * that writes and takes no key is called only once.
   */
  async call(name: string, args: Arguments): Promise<ToolResult> {
    const takesKey = Object.hasOwn(this.#find(name)?.inputSchema.properties ?? {}, 'idempotencyKey');
    const sent = takesKey ? { idempotencyKey: crypto.randomUUID(), ...args } : args;
    const ask = () => this.#ask('tools/call', { name, arguments: sent });
    const result = await (takesKey || this.isReadOnly(name) ? this.#repeat(ask) : ask());
    return result as unknown as ToolResult;
  }

  #find = (name: string): ServiceTool | undefined => this.#listed.find((tool) => tool.name === name);

  /** Repeats a request that got no answer, at most `RETRIES` times. */
  async #repeat<T>(ask: () => Promise<T>): Promise<T> {
    for (let retry = 0; ; retry++) {
      try {
        return await ask();
      } catch (error) {
        if (!(error instanceof ConnectionError) || retry === RETRIES) throw error;
        const { clock } = this.options;
        await clock.sleep(backoff(retry, clock));
      }
    }
  }

  async #ask(method: string, params: object): Promise<Readonly<Record<string, unknown>>> {
    const { url, key, version } = this.options;
    const apiKey = await key();
    const meta = {
      'io.modelcontextprotocol/protocolVersion': REVISION,
      'io.modelcontextprotocol/clientInfo': { name: 'curvet', version },
      'io.modelcontextprotocol/clientCapabilities': {},
    };
    const base = await url();
    let response: Response;
    let text: string;
    try {
      response = await fetch(`${base}/mcp`, {
        method: 'POST',
        headers: {
          'content-type': 'application/json',
          accept: 'application/json, text/event-stream',
          'mcp-protocol-version': REVISION,
          'mcp-method': method,
          ...('name' in params ? { 'mcp-name': String(params.name) } : {}),
          ...(apiKey === undefined ? {} : { 'x-api-key': apiKey }),
        },
        body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params: { ...params, _meta: meta } }),
        // Refuses redirects, because a redirect could take the API key to another host.
        redirect: 'error',
        signal: AbortSignal.timeout(timeoutOf(this.options.clock, TIMEOUT_MS)),
      });
      text = await response.text();
    } catch (cause) {
      const hint = 'Check the URL and the network.';
      throw new ConnectionError('CONNECTION', `no answer from ${new URL(base).host}`, { hint, cause });
    }
    const message = messageOf(text, response.headers.get('content-type') ?? '');
    if (message?.result) return message.result;
    if (message?.error) throw new CurvetError('INVALID_ANSWER', `the service refuses ${method}: ${message.error.message}`);
    throw serviceError(response.status, (message ?? {}) as Record<string, unknown>, response.headers);
  }
}

/** Parses the JSON-RPC message in a JSON body, or in the last event of a stream. undefined if there is none. */
function messageOf(text: string, type: string): Message | undefined {
  const data = type.startsWith('text/event-stream')
    ? text.split('\n').findLast((line) => line.startsWith('data:') && line.includes('"id"'))
    : text;
  try {
    const value: unknown = JSON.parse(data?.replace(/^data:/, '') ?? '');
    return typeof value === 'object' && value !== null ? (value as Message) : undefined;
  } catch {
    return undefined;
  }
}

function isTool(given: unknown): given is ServiceTool {
  const { name, inputSchema } = (given ?? {}) as { name?: unknown; inputSchema?: { type?: unknown } | null };
  return typeof name === 'string' && /^[\w.-]{1,128}$/.test(name) && inputSchema?.type === 'object';
}
