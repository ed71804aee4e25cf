import type { IncomingMessage } from 'node:http';
import { createMcpHandler, ProtocolError, ProtocolErrorCode, Server } from '@modelcontextprotocol/server';
import type { Context } from 'koa';
import { z } from 'zod';
import type { Deps } from '../../deps.js';
import type { ErrorCode } from '../../errors/errors.js';
import { mcpLimits } from '../document-limits.js';
import { parseObject, readBytes } from '../http/body.js';
import { hostCheck } from '../http/origins.js';
import type { Tool } from '../operation.js';
import { runTool } from './call-tool.js';
import { type GuideTexts, guideResources, type Prompt, skillsCapability } from './guide-resources.js';
import { describeTool } from './schemas.js';

/** The MCP server at `/mcp`. It stores no state between requests. */
export async function mcpApi(deps: Deps, guides: GuideTexts, version: string, tools: readonly Tool[]) {
  const serverOf = await serverFactory(deps, guides, version, tools);
  const checkHost = hostCheck(deps.config);
  const url = `${deps.publicUrl}/mcp`;
  // Streams of notifications are refused: nothing that they would announce changes while the service runs.
  const handler = createMcpHandler(({ authInfo }) => serverOf(authInfo?.extra?.ctx as Context), {
    maxSubscriptions: 0,
  });
  return {
    async serve(ctx: Context): Promise<void> {
      checkHost(ctx.get('Host'));
      ctx.state.agent = ctx.state.actor?.agentId;
      const parsedBody = await readMessage(ctx.req);
      // `extra` is how the Koa context gets to the function that creates the server. The library passes it on and does not use it.
      const authInfo = { token: '', clientId: '', scopes: [], extra: { ctx } };
      const response = await handler.fetch(webRequest(ctx.req, url), { parsedBody, authInfo });
      const code = protocolError(await send(ctx, response));
      if (code !== undefined) deps.metrics.countError('mcp', CODES[code] ?? 'BAD_REQUEST');
    },
    close: (): Promise<void> => handler.close(),
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

/** Error codes by which the metrics count failures of JSON-RPC. Other failures count as BAD_REQUEST. */
const CODES: Readonly<Record<number, ErrorCode>> = {
  [ProtocolErrorCode.MethodNotFound]: 'NOT_FOUND',
  [ProtocolErrorCode.InvalidParams]: 'INVALID_FIELD',
  [ProtocolErrorCode.InternalError]: 'INTERNAL',
};

/**
 * The JSON-RPC error code in an answer, such as that for an unknown tool. undefined without an error. The HTTP status does not
 * tell, because it is mostly 200.
 */
function protocolError(body: Buffer): number | undefined {
  if (!body.includes('"error":{"code":')) return undefined;
  const text = String(body);
  return JSON.parse(text.slice(text.indexOf('{'), text.lastIndexOf('}') + 1)).error?.code;
}

/**
 * Reads the JSON-RPC message of a request. Refuses arrays: MCP has no batches since 2025-06-18, and a batch could multiply answers.
 */
const readMessage = async (req: IncomingMessage): Promise<object> =>
  parseObject((await readBytes(req, mcpLimits.bytes)).toString('utf8'), mcpLimits.depth);

/** The headers that the MCP library gets. API keys and cookies are not among them. */
const FORWARDED = ['accept', 'content-type', 'mcp-protocol-version', 'mcp-method', 'mcp-name', 'mcp-session-id'];

/** Converts a request for the MCP library. The copy has no body, because the library gets the parsed message (`parsedBody`). */
function webRequest(req: IncomingMessage, url: string): Request {
  const given = FORWARDED.filter((name) => req.headers[name] !== undefined);
  const headers = Object.fromEntries(given.map((name) => [name, String(req.headers[name])]));
  return new Request(url, { method: 'POST', headers });
}

/** Cache hint of answers that are the same for every caller and do not change while the service runs. */
const CONSTANT = { ttlMs: 300_000, cacheScope: 'public' } as const;
const CACHE_HINTS = {
  'tools/list': CONSTANT,
  'prompts/list': CONSTANT,
  'resources/list': CONSTANT,
  'resources/read': CONSTANT,
  'server/discover': CONSTANT,
};

const ANY = z.looseObject({});
const SKILL = z.looseObject({ uri: z.string() });

/** Returns a function that makes the server of one HTTP request. Lists and options are made once, and all requests share them. */
async function serverFactory(
  deps: Deps,
  guides: GuideTexts,
  version: string,
  declared: readonly Tool[],
): Promise<(ctx: Context) => Server> {
  const resources = await guideResources(deps.publicUrl, guides);
  const tools = new Map(declared.map((one) => [one.tool.name, describeTool(one)]));
  const listed = [...tools.values()].map((known) => known.listed);
  const prompts = guides.prompts.map(({ text: _, ...prompt }) => prompt);
  const options = {
    capabilities: { tools: {}, resources: {}, prompts: {}, extensions: skillsCapability },
    instructions: guides.instructions,
    cacheHints: CACHE_HINTS,
  };
  return (ctx) => {
    const server = new Server({ name: 'curvet', title: 'Curvet', version }, options);
    server.setRequestHandler('tools/list', () => ({ tools: listed }));
    server.setRequestHandler('tools/call', ({ params }) => runTool(deps, tools, ctx, params));
    server.setRequestHandler('prompts/list', () => ({ prompts }));
    server.setRequestHandler(
      'prompts/get',
      ({ params: { name } }) => promptOf(guides.prompts, name) ?? notFound('Prompt', 'name', name),
    );
    server.setRequestHandler('resources/list', () => ({ resources: resources.list }));
    server.setRequestHandler('resources/templates/list', () => ({ resourceTemplates: [] }));
    server.setRequestHandler('resources/read', ({ params: { uri } }) => ({
      contents: [resources.read(uri) ?? notFound('Resource', 'uri', uri)],
    }));
    server.setRequestHandler('skills/list', { params: ANY }, () => ({ skills: resources.skills, ...CONSTANT }));
    server.setRequestHandler('skills/get', { params: SKILL }, ({ uri }) => ({
      skill: resources.skills.find((skill) => skill.uri === uri) ?? notFound('Skill', 'uri', uri),
      ...CONSTANT,
    }));
    return server;
  };
}

function notFound(what: string, field: 'name' | 'uri', value: string): never {
  throw new ProtocolError(ProtocolErrorCode.InvalidParams, `${what} not found`, { [field]: value.slice(0, 200) });
}

/** The messages of a prompt. undefined if no prompt has this name. */
function promptOf(prompts: readonly Prompt[], name: string) {
  const prompt = prompts.find((one) => one.name === name);
  if (!prompt) return undefined;
  const { description, text } = prompt;
  return { description, messages: [{ role: 'user' as const, content: { type: 'text' as const, text } }] };
}
