/** A map that evicts the least recently used entries. */
export class BoundedMap<V> {
  readonly #values = new Map<string, V>();
  #characters = 0;

  constructor(
    readonly maxEntries: number,
    /** Limit for the length of all keys together. */
    readonly maxCharacters = Number.POSITIVE_INFINITY,
  ) {}

  get(key: string): V | undefined {
    const value = this.#values.get(key);
    if (value !== undefined) {
      // A Map iterates in the order of insertion: the entry becomes the most recently used.
      this.#values.delete(key);
      this.#values.set(key, value);
    }
    return value;
  }

  set(key: string, value: V): void {
    this.delete(key);
    this.#values.set(key, value);
    this.#characters += key.length;
    for (const oldest of this.#values.keys()) {
      if (this.#values.size <= this.maxEntries && this.#characters <= this.maxCharacters) return;
      this.delete(oldest);
    }
  }

  delete(key: string): boolean {
    const existed = this.#values.delete(key);
    if (existed) this.#characters -= key.length;
    return existed;
  }
}
