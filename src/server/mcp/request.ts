import type { IncomingMessage } from 'node:http';
import { AppError } from '../../errors.js';
import { mcpLimits } from '../document-limits.js';
import { depthOf, readBytes } from '../http/body.js';

/** Reads the JSON-RPC message of a request. Its size is checked while it arrives, its depth on the text, before parsing. */
export async function readMessage(req: IncomingMessage): Promise<object> {
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
export const webRequest = ({ headers }: IncomingMessage, url: string): Request =>
  new Request(url, { method: 'POST', headers: headersOf(headers) });

/** The headers that MCP reads. Keys and cookies stay out of the library. */
const FORWARDED = ['accept', 'content-type', 'mcp-protocol-version', 'mcp-method', 'mcp-name', 'mcp-session-id'];

const headersOf = (headers: IncomingMessage['headers']): [string, string][] =>
  FORWARDED.flatMap((name) => (headers[name] === undefined ? [] : [[name, String(headers[name])] as [string, string]]));
