import type { Duplex } from 'node:stream';
import type { WebSocket } from 'ws';
import { AppError } from '../../../errors.js';
import { type MessageBudget, RULE_TEXT } from './message-budget.js';

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
