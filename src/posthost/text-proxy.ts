import { z } from 'zod';
import type { Times } from '../config/timeouts.js';
import { type PostHost, PostHostUnavailable, type SocialPost } from './post-host.js';

export type TextProxyOptions = {
  /** URL of the proxy. `{url}` is replaced by the URL of the post. */
  readonly template: string;
  /** Accepts answers that do not name the author. */
  readonly plain: boolean;
  readonly fetch?: typeof fetch;
  readonly times: Times;
};

const MAX_BODY_BYTES = 256 * 1024;
const MAX_REDIRECTS = 3;
const NO_SUCH_POST = new Set([404, 410]);

/** Reads posts through an HTTP service that turns a post's URL into its text. */
export function textProxy({ template, plain, fetch = globalThis.fetch, times }: TextProxyOptions): PostHost {
  const request = async (url: string, signal: AbortSignal): Promise<SocialPost | null> => {
    const address = new URL(template.replaceAll('{url}', () => encodeURIComponent(url)));
    const response = await fetchWithRedirects(fetch, address, signal);
    if (!response.ok) {
      await response.body?.cancel();
      if (NO_SUCH_POST.has(response.status)) return null;
      throw new PostHostUnavailable(`the text proxy answered ${response.status}`);
    }
    const body = await readBody(response);
    const type = response.headers.get('content-type');
    const post = isPlainText(type, body) ? { author: null, text: body } : parseOembed(body);
    if (post.author === null && !plain) throw new PostHostUnavailable('the text proxy does not name the author');
    return post;
  };
  return {
    async read(url) {
      const abort = new AbortController();
      const cancel = times.after(times.textProxy, () => abort.abort(new Error('no answer in time')));
      try {
        return await request(url, abort.signal);
      } catch (error) {
        if (error instanceof PostHostUnavailable) throw error;
        throw new PostHostUnavailable('the text proxy cannot be read', { cause: error });
      } finally {
        cancel();
      }
    },
  };
}

/** Follows redirects only to the same host and port, and not from https to http. */
async function fetchWithRedirects(get: typeof fetch, start: URL, signal: AbortSignal): Promise<Response> {
  let address = start;
  for (let redirects = 0; redirects <= MAX_REDIRECTS; redirects++) {
    const headers = { accept: 'application/json, text/plain' };
    const response = await get(address, { headers, redirect: 'manual', signal });
    const location = response.status >= 300 && response.status < 400 ? response.headers.get('location') : null;
    if (location === null) return response;
    await response.body?.cancel();
    const next = new URL(location, address);
    const safe = next.host === address.host && (next.protocol === 'https:' || next.protocol === address.protocol);
    if (!safe) throw new PostHostUnavailable('the text proxy redirects to another host');
    address = next;
  }
  throw new PostHostUnavailable('the text proxy redirects too often');
}

async function readBody(response: Response): Promise<string> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of response.body ?? []) {
    size += chunk.byteLength;
    if (size > MAX_BODY_BYTES) throw new PostHostUnavailable('the answer of the text proxy is too large');
    chunks.push(chunk);
  }
  return new TextDecoder().decode(Buffer.concat(chunks));
}

/**
 * Whether the answer is the text of the post, and not JSON. A text/plain answer is never parsed: a post whose text is JSON could
 * otherwise name any author. Without a content type, only a body that begins with `{` is JSON.
 */
function isPlainText(type: string | null, body: string): boolean {
  return type === null ? !body.trimStart().startsWith('{') : /^text\/plain\b/i.test(type);
}

const optional = z.string().optional().catch(undefined);
const oembed = z.object({ author_url: optional, author: optional, html: optional, text: optional });

/** Reads an oEmbed answer, or JSON with `text` and `author`. The handle is the last part of `author_url`, or else `author`. */
function parseOembed(body: string): SocialPost {
  const { author_url, author, html, text } = oembed.parse(JSON.parse(body));
  const content = text ?? (html === undefined ? undefined : htmlToText(html));
  if (content === undefined) throw new PostHostUnavailable('the answer of the text proxy has no text');
  const handle = author_url?.split(/[?#]/)[0]?.split('/').filter(Boolean).at(-1) ?? author;
  return { author: handle?.replace(/^@/, '') || null, text: content };
}

const BREAKS = /^\/?(?:br|p|div|blockquote)\b/i;
const ENTITY = /&(?:#(\d{1,7})|#[xX]([\dA-Fa-f]{1,6})|(amp|lt|gt|quot|apos));/g;
const ENTITIES: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" };

/** Converts HTML to text. Block tags become line breaks, so that the words on both sides stay apart. */
export function htmlToText(html: string): string {
  const [first = '', ...tagged] = html.split('<');
  const rest = tagged.map((part) => (BREAKS.test(part) ? '\n' : '') + part.slice(part.indexOf('>') + 1));
  return (first + rest.join('')).replace(ENTITY, (whole, decimal?: string, hex?: string, name?: string) => {
    if (name !== undefined) return ENTITIES[name] ?? whole;
    const point = decimal === undefined ? Number.parseInt(hex ?? '', 16) : Number(decimal);
    return point <= 0x10ffff ? String.fromCodePoint(point) : whole;
  });
}
