export type SignedWebhook = {
  /** The raw body as received, before any parsing. */
  readonly body: string | Uint8Array;
  /** The hexadecimal signature from the header, such as `X-Alchemy-Signature`. */
  readonly signature: string | null | undefined;
  /** The signing key that sender and receiver share. */
  readonly key: string;
};

/** Whether the signature is the HMAC-SHA256 of the body. The comparison takes constant time. */
export async function verifyWebhook({ body, signature, key }: SignedWebhook): Promise<boolean> {
  if (!/^[0-9a-f]{64}$/i.test(signature ?? '')) return false;
  const encode = (text: string) => new TextEncoder().encode(text);
  const bytes = Uint8Array.from({ length: 32 }, (_, i) => Number.parseInt((signature as string).slice(2 * i, 2 * i + 2), 16));
  const imported = await crypto.subtle.importKey('raw', encode(key), { name: 'HMAC', hash: 'SHA-256' }, false, ['verify']);
  const data = typeof body === 'string' ? encode(body) : Uint8Array.from(body);
  return crypto.subtle.verify('HMAC', imported, bytes, data);
}
