/**
 * The iterable that graphql-ws holds for a subscription. It yields nothing, because the hub writes events to the socket
 * itself. It ends when the client or the service ends the subscription.
 */
export class SubscriptionIterator implements AsyncIterableIterator<never> {
  readonly #end = Promise.withResolvers<IteratorResult<never>>();
  readonly #callbacks: (() => void)[] = [];
  #ended = false;

  constructor(onEnd: () => void) {
    this.#callbacks.push(onEnd);
    this.#end.promise.catch(() => {});
  }

  /** Registers a callback for the end of the subscription. If it has ended, the callback runs immediately. */
  onEnd(callback: () => void): void {
    if (this.#ended) callback();
    else this.#callbacks.push(callback);
  }

  /** Ends the subscription. graphql-ws sends the error to the client. */
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
    for (const callback of this.#callbacks.splice(0)) callback();
  }
}
