import { hash } from 'node:crypto';
import type { Deps } from '../deps.js';

/** The bytes of an answer, ready to be sent, and their name. */
export type Bytes = { readonly bytes: Buffer; readonly etag: string };

export type ByteCache = {
  /**
   * The answer under a key: one that was begun less than a second ago and before which all that this process wrote was
   * written; else `load` makes it, once for all who ask meanwhile. A failure is not kept.
   */
  get(key: string, load: () => Promise<string>): Promise<Bytes>;
  /** What it holds now. */
  readonly size: { readonly answers: number; readonly bytes: number };
};

/** How old an answer may be. What another replica wrote is seen after so long; what this one wrote, at once. */
export const KEPT_MS = 1000;
const MOST_ANSWERS = 1000;
const MOST_BYTES = 32 * 1024 * 1024;
/** Longer keys are of nobody who asks for the same as others. */
const LONGEST_KEY = 500;

type Entry = { readonly answer: Promise<Bytes>; readonly change: number; readonly until: number; bytes: number };

/**
 * Public answers as bytes, for a second. Whoever uses it answers for it that the key says all that the answer depends
 * on, and that nobody may see it whom the next one is kept from.
 */
export function byteCache({
  changes,
  clock,
}: Pick<Deps, 'clock'> & { readonly changes: Pick<Deps['changes'], 'count'> }): ByteCache {
  // All live equally long, so the oldest stand first and leave first.
  const entries = new Map<string, Entry>();
  let bytes = 0;

  const drop = (key: string, entry: Entry) => {
    if (entries.get(key) !== entry) return;
    entries.delete(key);
    bytes -= entry.bytes;
  };
  const makeRoom = (now: number) => {
    for (const [key, entry] of entries) {
      if (entry.until > now && entries.size <= MOST_ANSWERS && bytes <= MOST_BYTES) return;
      drop(key, entry);
    }
  };

  return {
    get(key, load) {
      const now = clock.now().getTime();
      const known = entries.get(key);
      // A clock that was set back makes nothing young again.
      if (known?.change === changes.count && now < known.until && now >= known.until - KEPT_MS) return known.answer;
      if (key.length > LONGEST_KEY) return load().then(bytesOf);
      if (known) drop(key, known);
      const entry: Entry = { answer: load().then(bytesOf), change: changes.count, until: now + KEPT_MS, bytes: 0 };
      entries.set(key, entry);
      makeRoom(now);
      entry.answer.then(
        (made) => {
          if (entries.get(key) !== entry) return;
          entry.bytes = made.bytes.length;
          bytes += entry.bytes;
          makeRoom(now);
        },
        () => drop(key, entry),
      );
      return entry.answer;
    },
    get size() {
      return { answers: entries.size, bytes };
    },
  };
}

export function bytesOf(text: string): Bytes {
  const bytes = Buffer.from(text);
  return { bytes, etag: `"${hash('sha1', bytes, 'base64url')}"` };
}
