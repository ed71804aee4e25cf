import { CurvetError, type ErrorCode, TradeError } from './errors.js';
import type { Answer, Transport } from './http/transport.js';
import type { Side } from './signing/calldata.js';
import { type Entry, type JournalFile, store } from './signing/journal.js';

export type Terms = { readonly side: Side; readonly agent: string; readonly amount: number; readonly thesis?: string };

export const termsIn = (text: string): Terms => JSON.parse(text);

export type Recorded = Answer<'POST /api/tickets/buy'>;

/** Why a trade on the chain is not recorded. A call with the same id records it, with a corrected thesis if it has one. */
export type RecordError = {
  readonly code: ErrorCode;
  readonly error: string;
  readonly hint: string;
  /** Seconds to wait before the next attempt. null if waiting does not help. */
  readonly retryAfter: number | null;
};

/** Whether the service has recorded the trade. The thesis can then no longer change. */
export function isRecorded({ id, terms, result }: Entry, { thesis }: { readonly thesis?: string }): boolean {
  if (!result?.trade) return false;
  if (thesis === undefined || thesis === termsIn(terms).thesis) return true;
  throw new TradeError('TRADE_ID_REUSED', `the trade ${id} is recorded, and its thesis cannot change`, {
    hint: 'Omit the thesis, or use a new id for another trade.',
  });
}

type Recording = Terms & { readonly hold: boolean };

/**
 * Records a mined trade. A failure here does not undo the trade, so it does not throw. Without a thesis, nothing is lost then.
 * With one, the trade has not ended: the next call with its id or its terms records it.
 */
export async function record(
  t: Transport,
  file: JournalFile,
  entry: Entry,
  { hold, ...terms }: Recording,
): Promise<Entry> {
  const isGiven = Boolean(terms.thesis?.trim());
  const recorded = submit(t, entry, terms).then(({ trade, position }) => ({ trade, position, recordError: null }));
  const result = await recorded.catch((error: unknown) => {
    if (!(error instanceof CurvetError)) throw error;
    const { code, message, hint, retryAfter = null } = error;
    // The operator has retired the records, and the service finds the trade alone.
    const isExpected = code === 'DEPRECATED' && !isGiven;
    return { trade: null, position: null, recordError: isExpected ? null : { code, error: message, hint, retryAfter } };
  });
  const ended = result.recordError
    ? ({ state: 'mined', open: hold || isGiven } as const)
    : ({ state: 'recorded', open: hold } as const);
  return store(file, { ...entry, ...ended, terms: JSON.stringify(terms), result }, t.clock.now());
}

async function submit(t: Transport, { hash = '' }: Entry, { side, agent, amount, thesis }: Terms) {
  const body = { txHash: hash, agentAddress: agent, amount, ...(thesis === undefined ? {} : { thesis }) };
  for (let attempt = 0; ; attempt++) {
    try {
      return await t.request(`POST /api/tickets/${side}`, { body });
    } catch (error) {
      const { code, details, retryAfter = 5 } = error as CurvetError;
      if (code === 'TRADE_RECORDED') return { trade: await recordedTrade(t, hash), position: null };
      // The RPC of the service may lag behind the RPC of this client.
      if (details?.reason !== 'NOT_FOUND' || attempt >= 5) throw error;
      await t.clock.sleep(retryAfter * 1000);
    }
  }
}

/** An earlier run has recorded the trade, and ended before its result was written down. */
async function recordedTrade(t: Transport, hash: string): Promise<Recorded['trade'] | null> {
  const { trades } = await t.request('GET /api/agents/me/trades', { query: { limit: 50 } });
  return trades.find(({ txHash }) => txHash === hash) ?? null;
}
