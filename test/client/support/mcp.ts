import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { root } from '../../support/service/process.js';

// biome-ignore lint/suspicious/noExplicitAny: results are read as JSON
type Json = Record<string, any>;

/** `curvet mcp` as a child process, and the official client that is connected to it. */
export type Connected = {
  readonly client: Client;
  /** Everything that the process has printed. */
  readonly printed: () => string;
  /** Calls a tool. Returns its structured content, or throws the JSON text of the error. */
  call(name: string, args?: Record<string, unknown>): Promise<Json>;
  /** Calls a tool that must fail. Returns its error. */
  refusal(name: string, args?: Record<string, unknown>): Promise<Json>;
  kill(): void;
  close(): Promise<void>;
};

export type Revision = 'auto' | 'legacy';

export type ConnectOptions = {
  readonly args?: readonly string[];
  readonly revision?: Revision;
  /** Gets the names of the tools each time the server says that they have changed. */
  readonly onTools?: (names: readonly string[]) => void;
};

export async function connect(
  env: Record<string, string>,
  { args = [], revision = 'auto', onTools }: ConnectOptions = {},
): Promise<Connected> {
  const transport = new StdioClientTransport({
    command: join(root, 'bin/node'),
    args: [join(root, 'client/bin/curvet.js'), 'mcp', ...args],
    env: { PATH: String(process.env.PATH), ...env },
    stderr: 'pipe',
  });
  const printed: string[] = [];
  transport.stderr?.on('data', (chunk: Buffer) => printed.push(String(chunk)));
  const onChanged = (_: unknown, items: { name: string }[] | null) => onTools?.((items ?? []).map(({ name }) => name));
  const client = new Client(
    { name: 'curvet-test', version: '1.0.0' },
    { versionNegotiation: { mode: revision }, ...(onTools && { listChanged: { tools: { onChanged } } }) },
  );
  await client.connect(transport);
  const receive = transport.onmessage;
  transport.onmessage = (message, ...rest) => {
    printed.push(JSON.stringify(message));
    receive?.(message, ...(rest as []));
  };
  const ask = (name: string, given: Record<string, unknown> = {}) => client.callTool({ name, arguments: given });
  const textOf = (content: unknown) => (content as { text: string }[])[0]?.text ?? '';
  return {
    client,
    printed: () => printed.join('\n'),
    async call(name, given) {
      const { content, structuredContent, isError } = await ask(name, given);
      if (isError) throw new Error(textOf(content));
      return structuredContent as Json;
    },
    async refusal(name, given) {
      const { content, isError } = await ask(name, given);
      if (!isError) throw new Error(`did not fail: ${textOf(content)}`);
      return JSON.parse(textOf(content));
    },
    kill: () => void process.kill(transport.pid as number, 'SIGKILL'),
    close: () => client.close(),
  };
}

export type Relay = { readonly url: string; close(): Promise<void> };

/** A JSON-RPC server that forwards to another one. `hook` runs before and after each call. */
export async function rpcProxy(
  target: string,
  hook: (method: string, when: 'before' | 'after') => void,
): Promise<Relay> {
  const server = createServer(async (request, response) => {
    const body = await text(request);
    const { method } = JSON.parse(body) as { method: string };
    hook(method, 'before');
    const answer = await fetch(target, { method: 'POST', headers: { 'content-type': 'application/json' }, body });
    const reply = await answer.text();
    hook(method, 'after');
    response.setHeader('content-type', 'application/json').end(reply);
  });
  return listening(server);
}

/** Serves a function that answers like `fetch` over HTTP. */
export function httpServer(answer: typeof globalThis.fetch, port = 0): Promise<Relay> {
  const server = createServer(async (request, response) => {
    const body = await text(request);
    const init = { method: request.method ?? 'GET', headers: request.headers as Record<string, string> };
    const given = await answer(`http://${request.headers.host}${request.url}`, { ...init, ...(body ? { body } : {}) });
    const wait = given.headers.get('retry-after');
    const headers = { 'content-type': 'application/json', ...(wait === null ? {} : { 'retry-after': wait }) };
    response.writeHead(given.status, headers).end(await given.text());
  });
  return listening(server, port);
}

async function listening(server: ReturnType<typeof createServer>, port = 0): Promise<Relay> {
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
