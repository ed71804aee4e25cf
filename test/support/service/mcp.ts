import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { expect } from 'chai';
import { formatEth } from '../../../src/values/money.js';
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

/** Expects every amount of ether in an answer both in wei and in ETH, with equal values. Returns the number of amounts. */
export function checkAmounts(value: Json, path = ''): number {
  if (typeof value !== 'object' || value === null) return 0;
  let count = 0;
  for (const [name, found] of Object.entries<Json>(value)) {
    count += checkAmounts(found, `${path}.${name}`);
    const [, base, unit] = /^(.*?)(Wei|Eth)$/.exec(name) ?? [];
    if (base === undefined || found === null || name === 'ethUsd') continue;
    const other = value[`${base}${unit === 'Wei' ? 'Eth' : 'Wei'}`] ?? value[base];
    expect(other, `${path}.${name} has a partner`).not.to.equal(undefined);
    const [wei, eth] = unit === 'Wei' ? [found, other] : [other, found];
    expect(wei, `${path}.${name}`).to.match(/^-?\d+$/);
    const exact = formatEth(BigInt(wei));
    expect(eth, `${path}.${name}`).to.equal(typeof eth === 'number' ? Number(exact) : exact);
    count++;
  }
  return count;
}
