import { CurvetError, type ErrorCode, TradeError } from './errors.js';
import type { Answer, Transport } from './http/transport.js';
import { agentsOf } from './resources.js';
import type { Side } from './signing/calldata.js';
import { correctedTo, type Entry, type JournalFile, store, termsOf } from './signing/journal.js';

export type Terms = {
  readonly side: Side;
  readonly agent: string;
  readonly amount: number;
  readonly thesis?: string | undefined;
};

export const termsIn = (text: string): Terms => JSON.parse(text);
/** The same text for the same terms. */
export const textOfTerms = ({ side, agent, amount, thesis }: Terms): string => JSON.stringify({ side, agent, amount, thesis });

export type Recorded = Answer<'POST /api/tickets/buy'>;

/** Why a trade on the chain is not recorded. A call with the same id records it, with a corrected thesis if it has one. */
export type RecordError = {
  readonly code: ErrorCode;
  readonly error: string;
  readonly hint: string;
  /** HTTP status of the refusal. 0 without an answer. */
  readonly status: number;
  /** Seconds to wait before the next attempt. null if the service does not say. */
  readonly retryAfter: number | null;
};

/** The thesis that was given last for an entry. */
export const thesisGiven = (entry: Entry): string | undefined => termsIn(termsOf(entry)).thesis;

const textOf = (thesis: string | null | undefined): string | null => thesis?.trim() || null;

/** The thesis that the service has recorded for a trade. Until then, the one that was given. */
export function thesisOf(entry: Entry): string | null {
  const trade = entry.result?.trade as Recorded['trade'] | null | undefined;
  return trade ? trade.thesis : textOf(thesisGiven(entry));
}

/** Whether the service has recorded the trade. The thesis can then no longer change. */
function isRecorded(entry: Entry, { thesis }: Terms): boolean {
  if (!entry.result?.trade) return false;
  const known = [thesisGiven(entry), thesisOf(entry)].map(textOf);
  if (thesis === undefined || known.includes(textOf(thesis))) return true;
  throw new TradeError('TRADE_ID_REUSED', `the trade ${entry.id} is recorded, and its thesis cannot change`, {
    hint: 'Omit the thesis, or use a new id for another trade.',
  });
}

/**
 * Records a mined trade. A failure here does not undo the trade, so it does not throw. Without a thesis, nothing is lost then.
 * With one, the trade has not ended: the next call with its id or its terms records it.
 */
export async function record(
  t: Transport,
  file: JournalFile,
  entry: Entry,
  { hold, ...terms }: Terms & { readonly hold: boolean },
): Promise<Entry> {
  const end = (changes: Partial<Entry>) => store(file, { ...entry, ...changes }, t.clock.now());
  if (isRecorded(entry, terms)) return entry.state === 'recorded' ? entry : end({ state: 'recorded', open: hold });
  const isGiven = textOf(terms.thesis) !== null;
  const result = await submit(t, entry, terms).catch((error: unknown) => {
    if (!(error instanceof CurvetError)) throw error;
    const { code, message, hint, status, retryAfter = null } = error;
    // The operator has retired the records, and the service finds the trade alone.
    const isExpected = code === 'DEPRECATED' && !isGiven;
    const recordError = isExpected ? null : { code, error: message, hint, status, retryAfter };
    return { trade: null, position: null, recordError };
  });
  const ended = result.recordError
    ? ({ state: 'mined', open: hold || isGiven } as const)
    : ({ state: 'recorded', open: hold } as const);
  return end({ ...ended, ...correctedTo(textOfTerms(terms), entry), result });
}

async function submit(t: Transport, { hash = '' }: Entry, { side, agent, amount, thesis }: Terms) {
  const body = { txHash: hash, agentAddress: agent, amount, ...(thesis === undefined ? {} : { thesis }) };
  for (let attempt = 0; ; attempt++) {
    try {
      const { trade, position } = await t.request(`POST /api/tickets/${side}`, { body });
      return { trade, position, recordError: null };
    } catch (error) {
      const { code, details, retryAfter = 5 } = error as CurvetError;
      // An earlier call has recorded the trade, maybe with an earlier thesis, and its answer was lost.
      if (code === 'TRADE_RECORDED') return { trade: await recordedTrade(t, hash), position: null, recordError: null };
      // The RPC of the service may lag behind the RPC of this client.
      if (details?.reason !== 'NOT_FOUND' || attempt >= 5) throw error;
      await t.clock.sleep(retryAfter * 1000);
    }
  }
}

async function recordedTrade(t: Transport, hash: string): Promise<Recorded['trade'] | null> {
  for await (const trade of agentsOf(t).trades()) if (trade.txHash === hash) return trade;
  return null;
}
