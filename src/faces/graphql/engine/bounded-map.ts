/** A map that forgets what was used longest ago. */
export class BoundedMap<V> {
  readonly #values = new Map<string, V>();
  #characters = 0;

  constructor(
    readonly most: number,
    /** Of all keys together. */
    readonly mostCharacters = Number.POSITIVE_INFINITY,
  ) {}

  get(key: string): V | undefined {
    const value = this.#values.get(key);
    if (value !== undefined) {
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
      if (this.#values.size <= this.most && this.#characters <= this.mostCharacters) return;
      this.delete(oldest);
    }
  }

  delete(key: string): boolean {
    const known = this.#values.delete(key);
    if (known) this.#characters -= key.length;
    return known;
  }
}
