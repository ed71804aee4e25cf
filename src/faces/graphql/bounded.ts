/** A map that forgets what was used longest ago. */
export class Bounded<V> {
  readonly #values = new Map<string, V>();

  constructor(readonly most: number) {}

  get(key: string): V | undefined {
    const value = this.#values.get(key);
    if (value !== undefined) {
      this.#values.delete(key);
      this.#values.set(key, value);
    }
    return value;
  }

  set(key: string, value: V): void {
    this.#values.delete(key);
    this.#values.set(key, value);
    if (this.#values.size > this.most) this.#values.delete(this.#values.keys().next().value as string);
  }

  delete(key: string): boolean {
    return this.#values.delete(key);
  }
}
