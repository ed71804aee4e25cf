/**
 * What the library of the protocol holds for a subscription: an iterable that gives nothing, since what is sent is the
 * same for many and goes out beside it, and that ends when either side ends the subscription.
 */
export class Held implements AsyncIterableIterator<never> {
  readonly #end = Promise.withResolvers<IteratorResult<never>>();
  readonly #atEnd: (() => void)[] = [];
  #ended = false;

  constructor(atEnd: () => void) {
    this.#atEnd.push(atEnd);
    this.#end.promise.catch(() => {});
  }

  /** Calls back when it ends, at once if it has. */
  onEnd(call: () => void): void {
    if (this.#ended) call();
    else this.#atEnd.push(call);
  }

  /** Ends it from this side, which tells the client why. */
  fail(error: Error): void {
    this.#settle();
    this.#end.reject(error);
  }

  next(): Promise<IteratorResult<never>> {
    return this.#end.promise;
  }

  async return(): Promise<IteratorResult<never>> {
    this.#settle();
    const done = { done: true as const, value: undefined };
    this.#end.resolve(done);
    return done;
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  #settle(): void {
    this.#ended = true;
    for (const call of this.#atEnd.splice(0)) call();
  }
}
