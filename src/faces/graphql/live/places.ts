import { AppError } from '../../../errors.js';
import { placeKeys } from '../../http/client-address.js';

/** There is no saying when one is given back. */
export const RETRY_SECONDS = 10;

/** How many of something each address may have at once. An IPv6 /48 may have ten times as many. */
export class Places {
  readonly #taken = new Map<string, number>();

  constructor(
    private readonly what: string,
    private readonly most: number,
  ) {}

  /** Takes a place; the answer gives it back. */
  take(ip: string): () => void {
    const keys = placeKeys(ip);
    for (const { key, times } of keys) {
      const max = this.most * times;
      if (this.#countOf(key) >= max)
        throw new AppError('TOO_MANY_OPEN', { what: this.what, max, seconds: RETRY_SECONDS });
    }
    for (const { key } of keys) this.#taken.set(key, this.#countOf(key) + 1);
    let given = false;
    return () => {
      if (given) return;
      given = true;
      for (const { key } of keys) {
        const left = this.#countOf(key) - 1;
        if (left > 0) this.#taken.set(key, left);
        else this.#taken.delete(key);
      }
    };
  }

  #countOf(key: string): number {
    return this.#taken.get(key) ?? 0;
  }
}
