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
  readonly confidence?: number | undefined;
};

export const termsIn = (text: string): Terms => JSON.parse(text);
/** The terms as a canonical text: equal terms give the same text, so that texts can be compared. */
export const textOfTerms = ({ side, agent, amount, thesis, confidence }: Terms): string =>
  JSON.stringify({ side, agent, amount, thesis, confidence });

export type Recorded = Answer<'POST /api/tickets/buy'>;

/** Why the service did not record a trade that is on the chain. A call with the same id tries again, maybe with a new thesis. */
export type RecordError = {
  readonly code: ErrorCode;
  readonly error: string;
  readonly hint: string;
  /** HTTP status of the refusal. 0 without an answer. */
  readonly status: number;
  /** Seconds to wait before the next attempt. null if the service does not say. */
  readonly retryAfter: number | null;
};

/** The terms of an entry, with the thesis and the confidence that the caller gave last. */
export const termsGiven = (entry: Entry): Terms => termsIn(termsOf(entry));

const textOf = (thesis: string | null | undefined): string | null => thesis?.trim() || null;

/** What is wrong with the confidence of a trade. undefined if the service takes it. */
export function confidenceFault({ thesis, confidence }: Pick<Terms, 'thesis' | 'confidence'>): string | undefined {
  if (confidence === undefined) return undefined;
  if (!Number.isInteger(confidence) || confidence < 1 || confidence > 99) return 'confidence is a whole number from 1 to 99';
  return textOf(thesis) === null ? 'confidence needs a thesis' : undefined;
}

/** The thesis that the service has recorded for a trade. Before it is recorded, the thesis that the caller gave last. */
export function thesisOf(entry: Entry): string | null {
  const trade = entry.result?.trade as Recorded['trade'] | null | undefined;
  return trade ? trade.thesis : textOf(termsGiven(entry).thesis);
}

/**
 * Whether the service has recorded the trade. Throws if the terms have another thesis than the trade. Two count as its thesis: the
 * recorded one, and the one that the caller gave last. They differ if an earlier call recorded its thesis and its answer was lost.
 * The answers of the service lack the confidence, so it is compared with the one that was given for the same thesis.
 */
function isRecorded(entry: Entry, { thesis, confidence }: Terms): boolean {
  if (!entry.result?.trade) return false;
  const [text, last] = [textOf(thesis), termsGiven(entry)];
  const isSure = confidence === undefined || confidence === last.confidence;
  const isSame = text === textOf(last.thesis) ? isSure : text === textOf(thesisOf(entry));
  if (thesis === undefined || isSame) return true;
  throw new TradeError('TRADE_ID_REUSED', `the trade ${entry.id} is recorded, and its thesis cannot change`, {
    hint: 'Omit the thesis, or use a new id for another trade.',
  });
}

/**
 * Records a mined trade with the service. A failure does not undo the trade, so it is returned as `recordError`, not thrown. If a
 * thesis was given, the entry then stays open, so that the next call with its id or its terms records it.
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
    // DEPRECATED: the operator has switched this endpoint off, and the service finds trades by itself. Without a thesis, nothing is
    // lost.
    const isExpected = code === 'DEPRECATED' && !isGiven;
    const recordError = isExpected ? null : { code, error: message, hint, status, retryAfter };
    return { trade: null, position: null, recordError };
  });
  const ended = result.recordError
    ? ({ state: 'mined', open: hold || isGiven } as const)
    : ({ state: 'recorded', open: hold } as const);
  return end({ ...ended, ...correctedTo(textOfTerms(terms), entry), result });
}

async function submit(t: Transport, { hash = '' }: Entry, { side, agent, amount, thesis, confidence }: Terms) {
  const reason = { ...(thesis === undefined ? {} : { thesis }), ...(confidence === undefined ? {} : { confidence }) };
  const body = { txHash: hash, agentAddress: agent, amount, ...reason };
  for (let attempt = 0; ; attempt++) {
    try {
      const { trade, position } = await t.request(`POST /api/tickets/${side}`, { body });
      return { trade, position, recordError: null };
    } catch (error) {
      const { code, details, retryAfter = 5 } = error as CurvetError;
      // An earlier call has recorded the trade, maybe with an earlier thesis, but its answer was lost. So the record is read
      // instead.
      if (code === 'TRADE_RECORDED') return { trade: await recordedTrade(t, hash), position: null, recordError: null };
      // The RPC of the service may lag behind the RPC of this client, and not have the transaction yet. So the request is repeated,
      // at most 5 times.
      if (details?.reason !== 'NOT_FOUND' || attempt >= 5) throw error;
      await t.clock.sleep(retryAfter * 1000);
    }
  }
}

/** The recorded trade with this hash, from the trades of the agent. null if they do not have it. */
async function recordedTrade(t: Transport, hash: string): Promise<Recorded['trade'] | null> {
  for await (const trade of agentsOf(t).trades()) if (trade.txHash === hash) return trade;
  return null;
}
