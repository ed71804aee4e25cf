/** A map that evicts the least recently used entries. */
export class BoundedMap<V> {
  readonly #values = new Map<string, V>();
  #characters = 0;

  constructor(
    readonly maxEntries: number,
    /** Limit for the length of all entries together. */
    readonly maxCharacters = Number.POSITIVE_INFINITY,
    /** Length of an entry. @default the length of its key */
    readonly lengthOf: (key: string, value: V) => number = (key) => key.length,
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
    this.#characters += this.lengthOf(key, value);
    for (const oldest of this.#values.keys()) {
      if (this.#values.size <= this.maxEntries && this.#characters <= this.maxCharacters) return;
      this.delete(oldest);
    }
  }

  delete(key: string): boolean {
    const value = this.#values.get(key);
    if (value === undefined) return false;
    this.#characters -= this.lengthOf(key, value);
    return this.#values.delete(key);
  }
}
