import { hashKey } from '../../../../src/keys.js';
import type { Member } from './population.js';

/** Matches texts that only the internals of a program contain: stack frames, SQL, serialised buffers, paths of modules. */
const INTERNALS =
  /\n\s+at .+:\d+:\d+|node_modules|\/dist\/src\/|"type":"Buffer"|\bselect\b.{1,200}\bfrom\b|\binsert into\b|\bECONN[A-Z]+\b|SQLSTATE/;
/** Matches words that can be secrets: keys, codes, and hashes in hexadecimal or base64url. */
const WORDS = /[A-Za-z0-9_-]{8,}/g;

/** Collects secrets of agents and of the service, and finds them in answers. */
export class Secrets {
  /** Maps each secret to its owner (a wallet or the service) and to what it is. */
  readonly #known = new Map<string, { readonly owner: string; readonly what: string }>();

  addService(what: string, secret: string): void {
    this.#known.set(secret, { owner: 'the service', what });
  }

  add({ wallet, key, code, registrationIp }: Member): void {
    this.#known.set(key, { owner: wallet, what: 'key' });
    this.#known.set(code, { owner: wallet, what: 'verification code' });
    for (const [what, bytes] of [
      ['hash of the key', hashKey(key)],
      ['registration address', registrationIp],
    ] as const) {
      for (const form of ['hex', 'base64url'] as const) this.#known.set(bytes.toString(form), { owner: wallet, what });
    }
  }

  /**
   * Describes the first secret in an answer that its caller must not see. undefined if there is none. `sent` is the text of the
   * request: an answer may repeat what the caller sent. Of all secrets, the caller may only see its own verification code.
   */
  foundIn(text: string, caller: string | undefined, sent = ''): string | undefined {
    const internal = INTERNALS.exec(text)?.[0];
    if (internal !== undefined && !sent.includes(internal)) return `internals: ${internal}`;
    for (const [word] of text.matchAll(WORDS)) {
      // Looks a hash up without the prefix 0x.
      const found = this.#known.get(word.replace(/^0?x(?=[0-9a-f]{64}$)/, ''));
      if (found === undefined || sent.includes(word)) continue;
      if (found.owner === caller && found.what === 'verification code') continue;
      return `${found.what} of ${found.owner}`;
    }
    return undefined;
  }
}
