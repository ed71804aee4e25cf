import { Client } from '@modelcontextprotocol/client';
import { StdioServerTransport } from '@modelcontextprotocol/server/stdio';
import type { Environment } from '../../../client/src/cli/io.js';
import type { Clock } from '../../../client/src/http/clock.js';
import { HANG_MS } from '../hang.js';
import { pipes, runOn, textOf } from './command-line.js';

// biome-ignore lint/suspicious/noExplicitAny: results are read as JSON
type Json = Record<string, any>;

/** `curvet mcp`, and the official client that is connected to it. */
export type Connected = Awaited<ReturnType<typeof connect>>;

export type ConnectOptions = {
  readonly args?: readonly string[];
  /**
   * `auto`: the client first asks which revisions the server has. `legacy`: it begins with `initialize`, as revisions before
   * 2026-07-28 do.
   */
  readonly revision?: 'auto' | 'legacy';
  readonly clock?: Clock;
  /** Gets the names of the tools each time the server says that they have changed. */
  readonly onTools?: (names: readonly string[]) => void;
};

/** Starts `curvet mcp` in this process, and connects to it. */
export async function connect(env: Environment, { args = [], clock, revision = 'auto', onTools }: ConnectOptions = {}) {
  const streams = pipes();
  const [out, error] = [textOf(streams.stdout), textOf(streams.stderr)];
  const ended = runOn(streams, ['mcp', ...args], env, clock);
  const onChanged = (_: unknown, items: { name: string }[] | null) => onTools?.((items ?? []).map(({ name }) => name));
  const client = new Client(
    { name: 'curvet-test', version: '1.0.0' },
    { versionNegotiation: { mode: revision }, ...(onTools && { listChanged: { tools: { onChanged } } }) },
  );
  // This is the transport for servers. It also works for a client, because messages have the same form in both directions.
  await client.connect(new StdioServerTransport(streams.stdout, streams.stdin), { timeout: HANG_MS });
  const ask = (name: string, given: Json = {}) => client.callTool({ name, arguments: given }, { timeout: HANG_MS });
  const messageOf = (content: unknown) => (content as { text: string }[])[0]?.text ?? '';
  return {
    client,
    /** Calls a tool. Returns its structured content, or throws the JSON text of the error. */
    async call(name: string, given?: Json): Promise<Json> {
      const { content, structuredContent, isError } = await ask(name, given);
      if (isError) throw new Error(messageOf(content));
      return structuredContent as Json;
    },
    /** Calls a tool that must fail. Returns its error. */
    async refusal(name: string, given?: Json): Promise<Json> {
      const { content, isError } = await ask(name, given);
      if (!isError) throw new Error(`did not fail: ${messageOf(content)}`);
      return JSON.parse(messageOf(content));
    },
    /** Everything that the command has printed. */
    printed: () => `${out()}\n${error()}`,
    /** Ends standard input. Resolves when the command has ended, and throws unless its exit code is 0. */
    async close() {
      await client.close();
      streams.stdin.end();
      // The transport has paused the stream, and a late message would wait for a reader. So this reads on.
      streams.stdout.resume();
      const code = await ended;
      if (code !== 0) throw new Error(`curvet mcp ended with ${code}: ${error()}`);
    },
  };
}
