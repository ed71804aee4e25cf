import type { AppError } from '../../errors.js';
import { problemBody } from '../http/problem.js';
import type { Called } from './call-tool.js';
import { UNTRUSTED_NOTICE } from './schemas.js';

/** Result of `tools/call`. */
export type ToolResult = {
  readonly content: { readonly type: 'text'; readonly text: string }[];
  readonly structuredContent?: Record<string, unknown>;
  readonly isError?: true;
  readonly _meta?: Record<string, unknown>;
};

/**
 * The result of a successful call: structured content, and the same as JSON text for clients that show a model only text. If it
 * may contain texts of strangers, it begins with a notice that names their fields.
 */
export function resultOf({ output, replayed }: Called, untrusted: readonly string[]): ToolResult {
  const structuredContent =
    untrusted.length === 0
      ? { ...output }
      : { untrustedContent: { notice: UNTRUSTED_NOTICE, fields: untrusted }, ...output };
  return {
    content: [{ type: 'text', text: JSON.stringify(structuredContent) }],
    structuredContent,
    ...(replayed && { _meta: { 'curvet/idempotent-replayed': true } }),
  };
}

/**
 * The result of a failed call: the body that REST answers, with its status and the seconds of Retry-After. A model reads the hint
 * and corrects the call.
 */
export function failureOf(error: AppError): ToolResult {
  const { status, retryAfter } = error;
  const body = { ...problemBody(error), status, ...(retryAfter !== undefined && { retryAfter }) };
  return { content: [{ type: 'text', text: JSON.stringify(body) }], isError: true };
}
