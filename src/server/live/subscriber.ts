import type { Actor } from '../access/authenticate.js';
import type { Operation } from '../graphql/apollo.js';
import type { Payer } from './budget.js';
import type { Watch } from './watch.js';

/** Sends the answers of a subscription to its client. */
export type Sender = {
  /** Tells the client the sequence after which its events begin, before the first of them. */
  begin?(sequence: number): void;
  send(json: string, sequence: number): void;
  /** Resolves when the client has read enough to receive more, or has disconnected. */
  ready(): Promise<void>;
  /** Ends the subscription and sends the error to the client. */
  end(error: Error): void;
};

export type Subscriber = {
  readonly operation: Operation;
  readonly watch: Watch;
  readonly actor: Actor | null;
  readonly ip: string;
  readonly payer: Payer;
  readonly sender: Sender;
  /** Sequence of the newest event when the subscription started. Its API key was valid then. */
  readonly startedAt: number;
  /** Sequence up to which the subscriber was served, including events that it does not watch. */
  at: number;
  gone: boolean;
};
