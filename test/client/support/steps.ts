import { Wallet } from 'ethers';
import { Curvet, type Journal } from '../../../client/src/curvet.js';
import { systemClock } from '../../../client/src/http/clock.js';
import { fileJournal } from '../../../client/src/node.js';

// A client that kills its process at a step. Steps are numbered from 1: before and after each request, signature and write
// of the journal.

const { BASE_URL = '', API_KEY, PRIVATE_KEY = '', JOURNAL = '', LIMITS = '', SERVICE_URL = BASE_URL } = process.env;
/** Milliseconds by which the clock is ahead. */
const CLOCK_SHIFT = Number(process.env.CLOCK_SHIFT ?? 0);

export type Steps = {
  readonly curvet: Curvet;
  /** The exit code: 3 if the process was to be killed at a later step than it has reached. */
  exitCode(): number;
};

export function stepping(): Steps {
  const killAt = Number(process.env.KILL_AT ?? 0);
  let step = 0;
  const reach = (): void => {
    step++;
    if (step === killAt) process.kill(process.pid, 'SIGKILL');
  };
  const around = async <T>(work: () => Promise<T>): Promise<T> => {
    reach();
    const done = await work();
    reach();
    return done;
  };
  const inner = fileJournal(JOURNAL);
  const journal: Journal = {
    exclusive: (work) =>
      inner.exclusive((file) => work({ ...file, write: (entries) => around(() => file.write(entries)) })),
  };
  const wallet = new Wallet(PRIVATE_KEY);
  const curvet = new Curvet({
    baseUrl: BASE_URL,
    apiKey: API_KEY,
    limits: JSON.parse(LIMITS),
    clock: { ...systemClock, now: () => Date.now() + CLOCK_SHIFT },
    journal,
    // Signatures name BASE_URL; the service listens at SERVICE_URL.
    fetch: (input, init) => around(() => globalThis.fetch(String(input).replace(BASE_URL, SERVICE_URL), init)),
    signer: {
      address: wallet.address,
      signTransaction: (transaction) => around(() => wallet.signTransaction(transaction)),
      signMessage: (message: string) => around(() => wallet.signMessage(message)),
    },
  });
  return { curvet, exitCode: () => (killAt > step ? 3 : 0) };
}
