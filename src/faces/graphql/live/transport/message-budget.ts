/** Messages and control frames of any kind that a socket may send: so many at once, refilled by so many each second. */
export const MESSAGES = { most: 1200, perSecond: 20, grace: 100 };
/** The same of bytes, as they come over the wire. 100 subscriptions of the longest text fit in at once. */
export const BYTES = { most: 2_500_000, perSecond: 40_000, grace: 250_000 };

/** The rule in the words of a refusal. */
export const RULE_TEXT = `${MESSAGES.most} messages and ${BYTES.most / 1_000_000} MB per connection, refilled by ${MESSAGES.perSecond} messages and ${BYTES.perSecond / 1000} KB per second,`;

type Rule = { readonly most: number; readonly perSecond: number; readonly grace: number };

/**
 * A bucket of tokens. What is refused takes tokens too, so that a socket that keeps sending falls below the grace, while
 * one that slows down is served again.
 */
class Bucket {
  #left: number;
  #at: number;

  constructor(
    private readonly rule: Rule,
    now: number,
  ) {
    this.#left = rule.most;
    this.#at = now;
  }

  take(count: number, now: number): void {
    const { most, perSecond } = this.rule;
    this.#left = Math.min(most, this.#left + ((now - this.#at) / 1000) * perSecond) - count;
    this.#at = now;
  }
  get isOver(): boolean {
    return this.#left < 0;
  }
  get isBeyondGrace(): boolean {
    return this.#left < -this.rule.grace;
  }
  /** Seconds until there is room for one more. */
  get wait(): number {
    return Math.max(1, Math.ceil((1 - this.#left) / this.rule.perSecond));
  }
}

/** What one socket may send. `now`: a monotonic time in milliseconds. */
export class MessageBudget {
  readonly #messages: Bucket;
  readonly #bytes: Bucket;

  constructor(private readonly now: () => number = () => performance.now()) {
    this.#messages = new Bucket(MESSAGES, now());
    this.#bytes = new Bucket(BYTES, now());
  }

  takeMessage(): void {
    this.#messages.take(1, this.now());
  }
  takeBytes(count: number): void {
    this.#bytes.take(count, this.now());
  }
  /** Whether what comes now is refused. */
  get isOver(): boolean {
    return this.#messages.isOver || this.#bytes.isOver;
  }
  /** Whether the socket kept sending after it was refused. */
  get isExceeded(): boolean {
    return this.#messages.isBeyondGrace || this.#bytes.isBeyondGrace;
  }
  get retryAfter(): number {
    return Math.max(this.#messages.isOver ? this.#messages.wait : 1, this.#bytes.isOver ? this.#bytes.wait : 1);
  }
}
