import { AppError } from '../../../errors.js';
import { limitKey } from '../../clientip.js';

/** There is no saying when one is given back. */
export const RETRY_SECONDS = 10;

/** How many of something each address may have at once. */
export class Places {
  readonly #taken = new Map<string, number>();

  constructor(
    private readonly what: string,
    private readonly most: number,
  ) {}

  /** Takes a place; the answer gives it back. */
  take(ip: string): () => void {
    const key = limitKey(ip);
    const taken = this.#taken.get(key) ?? 0;
    if (taken >= this.most)
      throw new AppError('TOO_MANY_OPEN', { what: this.what, max: this.most, seconds: RETRY_SECONDS });
    this.#taken.set(key, taken + 1);
    let given = false;
    return () => {
      if (given) return;
      given = true;
      const left = (this.#taken.get(key) ?? 1) - 1;
      if (left > 0) this.#taken.set(key, left);
      else this.#taken.delete(key);
    };
  }
}
