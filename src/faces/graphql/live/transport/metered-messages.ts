import type { Duplex } from 'node:stream';
import type { WebSocket } from 'ws';
import { AppError } from '../../../../errors.js';
import { errorBody } from '../../engine/format.js';
import { MessageBudget, RULE_TEXT } from './message-budget.js';

type Handlers = {
  /** A message within the budget. */
  read(text: string): void;
  send(text: string): void;
  /** Answers a control-frame ping. */
  pong(data: Buffer): void;
  /** The socket kept sending after it was refused. Called once; nothing is handed on afterwards. */
  exceeded(): void;
};

/**
 * Hands the messages of a socket on while they are within its budget. Beyond it, an operation is refused with
 * RATE_LIMITED, `complete` still ends one, and other messages are dropped: the protocol has no answer for them.
 */
export function meterMessages(socket: WebSocket, stream: Duplex, metered: boolean, handlers: Handlers): void {
  const budget = metered ? new MessageBudget() : undefined;
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

  // Fragments and frames that never become a message have no event of their own.
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
    const error = errorBody(
      new AppError('RATE_LIMITED', { seconds, limit: RULE_TEXT, advice: `Wait ${seconds} seconds` }),
    );
    handlers.send(JSON.stringify({ id, type: 'error', payload: [error] }));
  });
}

function messageIn(text: string): { readonly type?: unknown; readonly id?: unknown } {
  try {
    return JSON.parse(text) ?? {};
  } catch {
    return {};
  }
}
