import type { IncomingMessage } from 'node:http';
import { createMcpHandler, ProtocolErrorCode } from '@modelcontextprotocol/server';
import type { Context } from 'koa';
import type { Deps } from '../../deps.js';
import { AppError, type ErrorCode } from '../../errors.js';
import { mcpLimits } from '../document-limits.js';
import { depthOf, readBytes } from '../http/body.js';
import { hostCheck } from '../http/origins.js';
import type { Tool } from '../operation.js';
import type { GuideTexts } from './guide-resources.js';
import { serverFactory } from './protocol.js';

export type McpFace = {
  serve(ctx: Context): Promise<void>;
  close(): Promise<void>;
};

/** The MCP server at `/mcp`. It stores no state between requests. */
export async function mcpFace(
  deps: Deps,
  guides: GuideTexts,
  version: string,
  tools: readonly Tool[],
): Promise<McpFace> {
  const serverOf = await serverFactory(deps, guides, version, tools);
  const checkHost = hostCheck(deps.config);
  const url = `${deps.publicUrl}/mcp`;
  // Streams of notifications are refused: nothing that they would announce changes while the service runs.
  const handler = createMcpHandler(({ authInfo }) => serverOf(authInfo?.extra?.ctx as Context), {
    maxSubscriptions: 0,
  });
  return {
    async serve(ctx) {
      checkHost(ctx.get('Host'));
      ctx.state.agent = ctx.state.actor?.agentId;
      const parsedBody = await readMessage(ctx.req);
      // The library passes `extra` only to the function that creates the server.
      const authInfo = { token: '', clientId: '', scopes: [], extra: { ctx } };
      const response = await handler.fetch(webRequest(ctx.req, url), { parsedBody, authInfo });
      const code = protocolError(await send(ctx, response));
      if (code !== undefined) deps.metrics.countError('mcp', CODES[code] ?? 'BAD_REQUEST');
    },
    close: () => handler.close(),
  };
}

async function send(ctx: Context, response: Response): Promise<Buffer> {
  ctx.status = response.status;
  ctx.set('Cache-Control', 'no-store');
  const type = response.headers.get('content-type');
  const body = Buffer.from(await response.arrayBuffer());
  if (response.body === null || type === null) return body;
  ctx.type = type;
  ctx.body = body;
  return body;
}

/** What the metrics call the failures of JSON-RPC. */
const CODES: Readonly<Record<number, ErrorCode>> = {
  [ProtocolErrorCode.MethodNotFound]: 'NOT_FOUND',
  [ProtocolErrorCode.InvalidParams]: 'INVALID_FIELD',
  [ProtocolErrorCode.InternalError]: 'INTERNAL',
};

/** The code of a failure of the protocol itself, such as an unknown tool. Its status is mostly 200. */
function protocolError(body: Buffer): number | undefined {
  if (!body.includes('"error":{"code":')) return undefined;
  const text = String(body);
  return JSON.parse(text.slice(text.indexOf('{'), text.lastIndexOf('}') + 1)).error?.code;
}

/** Reads the JSON-RPC message of a request. Its size is checked while it arrives, its depth on the text, before parsing. */
async function readMessage(req: IncomingMessage): Promise<object> {
  const { bytes, depth } = mcpLimits;
  const text = (await readBytes(req, bytes)).toString('utf8');
  if (depthOf(text) > depth) throw new AppError('BODY_TOO_DEEP', { max: depth });
  let message: unknown;
  try {
    message = JSON.parse(text);
  } catch (cause) {
    throw new AppError('INVALID_JSON', {}, { cause });
  }
  // The protocol has no batches since 2025-06-18. A batch would multiply answers within one request.
  if (typeof message !== 'object' || message === null || Array.isArray(message)) throw new AppError('INVALID_JSON');
  return message;
}

/** Converts a request for the MCP library. The copy has no body. */
const webRequest = ({ headers }: IncomingMessage, url: string): Request =>
  new Request(url, { method: 'POST', headers: headersOf(headers) });

/** The headers that MCP reads. Keys and cookies stay out of the library. */
const FORWARDED = ['accept', 'content-type', 'mcp-protocol-version', 'mcp-method', 'mcp-name', 'mcp-session-id'];

const headersOf = (headers: IncomingMessage['headers']): [string, string][] =>
  FORWARDED.flatMap((name) => (headers[name] === undefined ? [] : [[name, String(headers[name])] as [string, string]]));
