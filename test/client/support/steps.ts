import { Wallet } from 'ethers';
import { Curvet, type Journal, type JournalFile, type SpendingLimits } from '../../../client/src/curvet.js';
import type { Clock } from '../../../client/src/http/clock.js';
import { fileJournal } from '../../../client/src/node.js';

// A client that dies at a step. Steps are numbered from 1: before and after each request, signature and write of the journal.

export type Stepping = {
  readonly baseUrl: string;
  readonly apiKey?: string;
  readonly privateKey: string;
  readonly limits: SpendingLimits;
  readonly clock: Clock;
  /** Path of the journal. */
  readonly journal: string;
};

class Death extends Error {}

/**
 * Runs `work` with a client that dies at the step `dieAt`: nothing of the client runs after it, and the lock of its journal
 * ends, as the system ends that of a process. Returns the number of steps, and whether the client died.
 */
export async function untilDeath(
  options: Stepping,
  dieAt: number,
  work: (curvet: Curvet) => Promise<unknown>,
): Promise<{ readonly steps: number; readonly died: boolean }> {
  let steps = 0;
  const dead = Promise.withResolvers<never>();
  const reach = async (): Promise<void> => {
    steps++;
    if (steps < dieAt) return;
    dead.reject(new Death());
    await new Promise(() => {});
  };
  const around = async <T>(act: () => Promise<T>): Promise<T> => {
    await reach();
    const done = await act();
    await reach();
    return done;
  };
  const { journal, unlocked } = journalOf(options.journal, around, dead.promise);
  const wallet = new Wallet(options.privateKey);
  const curvet = new Curvet({
    ...options,
    journal,
    fetch: (input, init) => around(() => globalThis.fetch(input, init)),
    signer: {
      address: wallet.address,
      signTransaction: (transaction) => around(() => wallet.signTransaction(transaction)),
      signMessage: (message: string) => around(() => wallet.signMessage(message)),
    },
  });
  try {
    await Promise.race([work(curvet), dead.promise]);
    return { steps, died: false };
  } catch (error) {
    if (!(error instanceof Death)) throw error;
    await unlocked();
    return { steps, died: true };
  }
}

/** The journal in a file. Its writes are steps, and the death of the client ends the work under its lock. */
function journalOf(path: string, around: <T>(act: () => Promise<T>) => Promise<T>, dead: Promise<never>) {
  const file = fileJournal(path);
  let last: Promise<unknown> = Promise.resolve();
  const journal: Journal = {
    exclusive(work) {
      const stepped = (inner: JournalFile) =>
        work({ ...inner, write: (entries) => around(() => inner.write(entries)) });
      const run = file.exclusive((inner) => Promise.race([stepped(inner), dead]));
      last = run.catch(() => undefined);
      return run;
    },
  };
  return { journal, unlocked: () => last };
}
