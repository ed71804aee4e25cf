/**
 * Wakes those who wait for live events, in all replicas. It carries nothing: the events are in the database, in their
 * order, and whoever is woken reads those that it has not read. So nothing is lost when a call is.
 */
export interface Live {
  /** Says that there are events. Never fails, and nobody waits for it. */
  wake(): void;
  /** Has a function called when there may be events; the answer ends that. */
  listen(heard: () => void): () => void;
  close(): Promise<void>;
}

export type Wake = Pick<Live, 'wake'>;
