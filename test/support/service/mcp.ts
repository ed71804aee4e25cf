import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { freshIp } from '../market/agents.js';
import type { World } from '../world.js';
import type { Json } from './graphql.js';

/** The current revision of MCP, and the revision before it, in which a connection begins with a handshake. */
export const revisions = ['2026-07-28', '2025-11-25'] as const;

type McpOptions = {
  readonly key?: string;
  readonly revision?: (typeof revisions)[number];
  readonly headers?: Record<string, string>;
};

/**
 * Connects the official client to the service. Each client gets an unused IP address, which counts in a world with TRUST_PROXY=1.
 */
export async function mcpClient(
  { url }: Pick<World, 'url'>,
  { key, revision = '2026-07-28', headers = freshIp() }: McpOptions = {},
): Promise<Client> {
  // The client uses the earlier revision, unless the current revision is pinned.
  const pinned = revision === '2026-07-28' ? { versionNegotiation: { mode: { pin: revision } } } : {};
  const client = new Client({ name: 'curvet-test', version: '1.0.0' }, pinned);
  const requestInit = { headers: { ...headers, ...(key !== undefined && { 'x-api-key': key }) } };
  await client.connect(new StreamableHTTPClientTransport(new URL('/mcp', url), { requestInit }));
  return client;
}

/** Result of a tool call. `body` is the structured content of a success, or the parsed text of a failure. */
export type Called = { readonly failed: boolean; readonly body: Json; readonly meta: Json };

export async function callTool(client: Client, name: string, args: Record<string, unknown> = {}): Promise<Called> {
  const { isError, structuredContent, content, _meta } = (await client.callTool({ name, arguments: args })) as Json;
  const [only, ...others] = content;
  if (others.length > 0 || only.type !== 'text') throw new Error('a result has one text');
  const text = JSON.parse(only.text);
  if (isError !== true && JSON.stringify(text) !== JSON.stringify(structuredContent)) {
    throw new Error(`the text is not the structured content: ${only.text}`);
  }
  return { failed: isError === true, body: text, meta: _meta ?? {} };
}

/** Calls a tool, and returns the body of the result. Throws if the call fails. */
export async function useTool(client: Client, name: string, args: Record<string, unknown> = {}): Promise<Json> {
  const { failed, body } = await callTool(client, name, args);
  if (failed) throw new Error(`${name} failed: ${JSON.stringify(body)}`);
  return body;
}

/** Describes the failure of a call as status and error on one line. */
export async function failureOf(client: Client, name: string, args: Record<string, unknown> = {}): Promise<string> {
  const { failed, body } = await callTool(client, name, args);
  return failed ? `${body.status} ${body.error}` : `no failure: ${JSON.stringify(body)}`;
}
