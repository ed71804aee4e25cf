/**
 * Wakes subscribers in all replicas when there are new live events. A wake-up carries no data: subscribers read the
 * events from the database in order, so a lost wake-up only delays them.
 */
export interface Live {
  /** Signals new events. Fire and forget: it returns immediately and does not throw. */
  wake(): void;
  /** Registers a listener for wake-ups. Returns a function that removes it. */
  listen(onWake: () => void): () => void;
  close(): Promise<void>;
}

/** Numbers of subscriptions that started and ended in this process since its start. */
export type SubscriptionCount = { started: number; ended: number };
