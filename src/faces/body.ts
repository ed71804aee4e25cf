import type { IncomingMessage } from 'node:http';
import { AppError } from '../errors.js';

/** The raw body; refused as soon as it is too long. */
export async function readBytes(req: IncomingMessage, maxBytes: number): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let size = 0;
  try {
    for await (const chunk of req as AsyncIterable<Buffer>) {
      size += chunk.length;
      if (size > maxBytes) throw new AppError('BODY_TOO_LARGE', { max: maxBytes });
      chunks.push(chunk);
    }
  } catch (error) {
    // Who hangs up in the middle sends no body; that is no fault of the service.
    if (req.errored !== null && !(error instanceof AppError)) throw new AppError('INVALID_JSON', {}, { cause: error });
    throw error;
  }
  return Buffer.concat(chunks);
}

/** How deep objects and arrays are nested; brackets in strings do not count. */
export function depthOf(json: string): number {
  let depth = 0;
  let deepest = 0;
  let inString = false;
  for (let i = 0; i < json.length; i++) {
    const c = json[i];
    if (inString) {
      if (c === '\\') i++;
      else if (c === '"') inString = false;
    } else if (c === '"') inString = true;
    else if (c === '{' || c === '[') deepest = Math.max(deepest, ++depth);
    else if (c === '}' || c === ']') depth--;
  }
  return deepest;
}
