import type { Duplex } from 'node:stream';
import type { WebSocket } from 'ws';
import { AppError } from '../../../errors.js';

/**
 * Token bucket for messages and control frames of a socket. `grace`: number of refused messages after which the socket is
 * disconnected.
 */
export const MESSAGES = { capacity: 1200, perSecond: 20, grace: 100 };
/** Token bucket for received bytes. The capacity suffices for 100 subscriptions with the longest text. */
export const BYTES = { capacity: 2_500_000, perSecond: 40_000, grace: 250_000 };

/** The limits as text, for the error message. */
const RULE_TEXT = `${MESSAGES.capacity} messages and ${BYTES.capacity / 1_000_000} MB per connection, refilled by ${MESSAGES.perSecond} messages and ${BYTES.perSecond / 1000} KB per second,`;

type Rule = { readonly capacity: number; readonly perSecond: number; readonly grace: number };

/**
 * A token bucket. Refused messages take tokens, too: a socket that keeps sending is `grace` tokens below zero at last, and a
 * socket that slows down is served again.
 */
class Bucket {
  #tokens: number;
  #refilledAt: number;

  constructor(
    private readonly rule: Rule,
    now: number,
  ) {
    this.#tokens = rule.capacity;
    this.#refilledAt = now;
  }

  take(count: number, now: number): void {
    const { capacity, perSecond } = this.rule;
    this.#tokens = Math.min(capacity, this.#tokens + ((now - this.#refilledAt) / 1000) * perSecond) - count;
    this.#refilledAt = now;
  }
  get isOver(): boolean {
    return this.#tokens < 0;
  }
  get isBeyondGrace(): boolean {
    return this.#tokens < -this.rule.grace;
  }
  /** Seconds until one token is available, at least 1. */
  get retryAfter(): number {
    return Math.max(1, Math.ceil((1 - this.#tokens) / this.rule.perSecond));
  }
}

/** Message budget of one socket. `now` returns a monotonic time in milliseconds. */
export class MessageBudget {
  readonly #messages: Bucket;
  readonly #bytes: Bucket;

  constructor(private readonly now: () => number) {
    this.#messages = new Bucket(MESSAGES, now());
    this.#bytes = new Bucket(BYTES, now());
  }

  takeMessage(): void {
    this.#messages.take(1, this.now());
  }
  takeBytes(count: number): void {
    this.#bytes.take(count, this.now());
  }
  /** Whether new messages are refused. */
  get isOver(): boolean {
    return this.#messages.isOver || this.#bytes.isOver;
  }
  /** Whether the socket kept sending after it was refused. */
  get isExceeded(): boolean {
    return this.#messages.isBeyondGrace || this.#bytes.isBeyondGrace;
  }
  /** Seconds after which the socket may send again. */
  get retryAfter(): number {
    return Math.max(this.#messages.retryAfter, this.#bytes.retryAfter);
  }
}

type Handlers = {
  /** Handles a message that is within the budget. */
  read(text: string): void;
  /** Answers the operation with an error. */
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
export function meterMessages(
  socket: WebSocket,
  stream: Duplex,
  budget: MessageBudget | undefined,
  handlers: Handlers,
): void {
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
