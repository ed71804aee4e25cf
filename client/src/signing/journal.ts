/**
 * One signed transaction of an entry. All attempts of an entry have the same nonce, so that at most one can be mined. Exception: if
 * the earlier transaction can no longer trade, because another entry has used its nonce or its deadline has passed, the next
 * attempt may have another nonce.
 */
export type Attempt = {
  readonly raw: string;
  readonly hash: string;
  /** Fees per gas in wei. A transaction that replaces this one must offer more. */
  readonly fees?: { readonly maxFeePerGas: string; readonly maxPriorityFeePerGas: string };
};

/** One purpose of a wallet, such as a purchase, with all its signed transactions. Stored before a transaction is sent. */
export type Entry = {
  readonly id: string;
  readonly kind: 'buy' | 'sell' | 'register' | 'withdraw';
  /** What the entry is for, in a canonical text: a second request with the same terms continues the entry. */
  readonly terms: string;
  /** Corrections of the terms, the newest one last. A request with the terms or with any of these texts continues the entry. */
  readonly corrections?: readonly string[];
  readonly wallet: string;
  readonly nonce: number;
  readonly attempts: readonly Attempt[];
  /** Maximum that the transactions of the entry can take from the wallet, gas included, in wei. */
  readonly atMost: string;
  /** Milliseconds since 1970. */
  readonly signedAt: number;
  /** Last block time at which the chain accepts the last signature, in seconds since 1970. */
  readonly deadline?: number | undefined;
  /**
   * `signed`: may still be mined. `mined`: on the chain, and not recorded by the service. `recorded`: the job is complete.
   * `reverted`: the contract refused it. `replaced`: another transaction has used the nonce, so this one can no longer be mined.
   */
  readonly state: 'signed' | 'mined' | 'recorded' | 'reverted' | 'replaced';
  /**
   * Whether a request with the same terms continues this entry instead of starting a new one: see `isOpen`, which limits it in
   * time.
   */
  readonly open: boolean;
  /** Hash and block of the transaction that was mined. undefined before that. */
  readonly hash?: string;
  readonly blockNumber?: number;
  /**
   * Figures that the chain reports. For a trade: its total in wei, fees included, and the tickets that the wallet held after it.
   * For a withdrawal: `total` is its amount in wei.
   */
  readonly traded?: { readonly total: string; readonly held: number };
  /** The request that registers the agent with the service. A retry repeats it word for word, so that the service recognises it. */
  readonly request?: { readonly idempotencyKey: string; readonly body: Readonly<Record<string, unknown>> } | undefined;
  /** The answer of the service, which a repeated call returns again, or the reason why it did not record the trade. */
  readonly result?: Readonly<Record<string, unknown>>;
};

/** The terms of an entry, after all corrections. */
export const termsOf = ({ terms, corrections }: Entry): string => corrections?.at(-1) ?? terms;

/** Corrects the terms of an entry to `terms`. The first terms stay, so that a request with them continues the entry. */
export function correctedTo(terms: string, entry: Entry): Pick<Entry, 'terms' | 'corrections'> {
  const { terms: first, corrections = [] } = entry;
  if (terms === termsOf(entry)) return { terms: first, corrections };
  return { terms: first, corrections: [...corrections.filter((other) => other !== terms), terms] };
}

export type JournalFile = {
  read(): Promise<readonly Entry[]>;
  /** Resolves when the entries are stored durably. */
  write(entries: readonly Entry[]): Promise<void>;
};

/** Stores entries. `exclusive` runs one `work` at a time, across all processes that share the journal. */
export type Journal = { exclusive<T>(work: (file: JournalFile) => Promise<T>): Promise<T> };

/** A journal in memory, which ends with the process. For tests, and for wallets that no other process uses after a crash. */
export function memoryJournal(): Journal {
  let entries: readonly Entry[] = [];
  let last: Promise<unknown> = Promise.resolve();
  const file: JournalFile = {
    read: async () => entries,
    write: async (next) => {
      entries = next;
    },
  };
  return {
    exclusive(work) {
      const run = last.then(() => work(file));
      last = run.catch(() => undefined);
      return run;
    },
  };
}

const DAY_MS = 86_400_000;

/**
 * Whether a later call continues the entry. An entry whose transaction is mined is continued only for a day. An entry
 * whose transaction may still be mined is always continued.
 */
export const isOpen = ({ open, state, signedAt }: Entry, now: number): boolean =>
  open && (state === 'signed' || signedAt > now - DAY_MS);

/**
 * Whether another transaction has used the nonce of the entry, so that its own can never be mined. For a day, a call without an id
 * and with the same terms finds this entry.
 */
export const isReplaced = ({ state, signedAt }: Entry, now: number): boolean => state === 'replaced' && signedAt > now - DAY_MS;

/** Whether the transaction of an entry may still be mined. */
export const isPending = ({ state }: Pick<Entry, 'state'>): boolean => state === 'signed';

const KEPT_MS = 30 * DAY_MS;

/** Replaces the entry with the same id, or adds it. Removes closed entries that are older than 30 days. */
export async function store(file: JournalFile, entry: Entry, now: number): Promise<Entry> {
  const others = (await file.read()).filter(
    (other) => other.id !== entry.id && (isOpen(other, now) || other.signedAt > now - KEPT_MS),
  );
  await file.write([...others, entry]);
  return entry;
}
