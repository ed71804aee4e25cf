import type { Actor } from '../../access/authenticate.js';
import type { Operation } from '../engine/validate.js';
import type { Payer } from './budget.js';
import type { Watch } from './watch.js';

/** Where the answers of a subscription go. */
export type Sender = {
  send(json: string, sequence: number): void;
  /** Resolves when the client has read enough to be sent more, or when it is gone. */
  ready(): Promise<void>;
  /** Ends the subscription, with the reason. */
  end(error: Error): void;
};

export type Subscriber = {
  readonly operation: Operation;
  readonly watch: Watch;
  readonly actor: Actor | null;
  readonly ip: string;
  readonly payer: Payer;
  readonly sender: Sender;
  /** The newest event when the subscription began. Its key was valid then. */
  readonly began: number;
  /** The last event that was delivered, or that the subscription does not ask for. */
  at: number;
  gone: boolean;
};
