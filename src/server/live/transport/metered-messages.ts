import type { Duplex } from 'node:stream';
import type { WebSocket } from 'ws';
import { AppError } from '../../../errors/errors.js';

/** Token bucket for messages and control frames. `grace`: refused messages after which the socket is disconnected. */
export const MESSAGES = { capacity: 1200, perSecond: 20, grace: 100 };
/** Token bucket for received bytes. The capacity suffices for 100 subscriptions with the longest text. */
export const BYTES = { capacity: 2_500_000, perSecond: 40_000, grace: 250_000 };

/** The limits as text, for the error message. */
const RULE_TEXT = `${MESSAGES.capacity} messages and ${BYTES.capacity / 1_000_000} MB per connection, refilled by ${MESSAGES.perSecond} messages and ${BYTES.perSecond / 1000} KB per second,`;

type Rule = { readonly capacity: number; readonly perSecond: number; readonly grace: number };

type Bucket = { readonly rule: Rule; tokens: number; refilledAt: number };

/**
 * Message budget of one socket. Refused messages take tokens, too. So a socket that keeps sending falls to `grace` tokens below
 * zero and is disconnected, and a socket that slows down is served again. `now` returns a monotonic time in milliseconds.
 */
export class MessageBudget {
  readonly #buckets: readonly [messages: Bucket, bytes: Bucket];

  constructor(private readonly now: () => number) {
    const full = (rule: Rule): Bucket => ({ rule, tokens: rule.capacity, refilledAt: now() });
    this.#buckets = [full(MESSAGES), full(BYTES)];
  }

  takeMessage = (): void => this.#take(this.#buckets[0], 1);
  takeBytes = (count: number): void => this.#take(this.#buckets[1], count);

  #take(bucket: Bucket, count: number): void {
    const { capacity, perSecond } = bucket.rule;
    const now = this.now();
    bucket.tokens = Math.min(capacity, bucket.tokens + ((now - bucket.refilledAt) / 1000) * perSecond) - count;
    bucket.refilledAt = now;
  }

  get isOver(): boolean {
    return this.#buckets.some(({ tokens }) => tokens < 0);
  }
  /** Whether the socket kept sending after it was refused, so that it must be disconnected. */
  get isExceeded(): boolean {
    return this.#buckets.some(({ tokens, rule }) => tokens < -rule.grace);
  }
  /** Seconds until one token of each bucket is available, at least 1. */
  get retryAfter(): number {
    return Math.max(1, ...this.#buckets.map(({ tokens, rule }) => Math.ceil((1 - tokens) / rule.perSecond)));
  }
}

type Handlers = {
  /** Handles a message that is within the budget. */
  read(text: string): void;
  /** Answers the operation `id` with an error. */
  refuse(id: string, error: AppError): void;
  /** Answers a control-frame ping. */
  pong(data: Buffer): void;
  /** The socket kept sending after it was refused. Called once; later messages are dropped. */
  exceeded(): void;
};

/**
 * Passes the messages of a socket to the handlers while they are within its budget. Beyond it, an operation is refused with
 * RATE_LIMITED, and `complete` still ends an operation. Other messages are dropped: the protocol has no error for them.
 */
export function meterMessages(socket: WebSocket, stream: Duplex, budget: MessageBudget | undefined, handlers: Handlers): void {
  let exceeded = false;

  function check(): boolean {
    if (!exceeded && budget?.isExceeded) {
      exceeded = true;
      handlers.exceeded();
    }
    return !exceeded;
  }
  function takeMessage(): boolean {
    if (exceeded) return false;
    budget?.takeMessage();
    return check();
  }

  // Counts bytes of the stream, because incomplete frames and fragments emit no message event.
  stream.on('data', (chunk: Buffer) => {
    budget?.takeBytes(chunk.length);
    check();
  });
  socket.on('ping', (data) => {
    if (takeMessage() && !budget?.isOver) handlers.pong(data);
  });
  socket.on('pong', () => takeMessage());
  socket.on('message', (data) => {
    if (!takeMessage()) return;
    const text = String(data);
    if (!budget?.isOver) return handlers.read(text);
    const { type, id } = messageIn(text);
    if (type === 'complete') return handlers.read(text);
    if (type !== 'subscribe' || typeof id !== 'string') return;
    const seconds = budget.retryAfter;
    handlers.refuse(id, new AppError('RATE_LIMITED', { seconds, limit: RULE_TEXT, advice: `Wait ${seconds} seconds` }));
  });
}

function messageIn(text: string): { readonly type?: unknown; readonly id?: unknown } {
  try {
    return JSON.parse(text) ?? {};
  } catch {
    return {};
  }
}
