import type { SqlEntityManager } from '@mikro-orm/sql';
import type { Deps } from '../../deps.js';
import { AppError } from '../../errors/errors.js';
import { announce, lockLiveCursor } from '../../live/announce.js';
import { sqlIn } from '../../store/sql.js';
import type { Wei } from '../../values/money.js';
import { checkLength, cleanText, hasUrl } from '../../values/text.js';
import { type Eligibility, GIVEN_WITHIN_MS } from './rules.js';

/** Maximum length of a thesis, in code points. */
export const MAX_THESIS_LENGTH = 140;

/** Cleans and checks a thesis. null if the clean text is empty. */
export function checkThesis(raw: string): string | null {
  const text = cleanText(raw);
  if (hasUrl(text)) throw new AppError('THESIS_HAS_URL');
  checkLength('thesis', text, MAX_THESIS_LENGTH);
  return text === '' ? null : text;
}

/** A record of a trade that its trader has submitted. `txHash` and `ordinal` are the key of the trade. */
type GivenThesis = {
  readonly txHash: string;
  readonly ordinal: number;
  readonly author: string;
  readonly text: string | null;
  readonly confidence: number | null;
  /** The agent whose tickets were traded. */
  readonly agent: string;
};

/** Whether a thesis counts, as answers show it: "undecided" until that is decided, about 20 minutes after the trade. */
export type ShownEligibility = Eligibility | 'undecided';

/** The eligibility of a thesis that is given now. */
export const newEligibility = (tradedAt: Date, now: Date): ShownEligibility =>
  now.getTime() - tradedAt.getTime() > GIVEN_WITHIN_MS ? 'late' : 'undecided';

/**
 * SQL of the eligibility of the reason `given` of a trade. null if its trader gave none. `trader` and `time` are columns of the trade.
 */
export const eligibilityIn = (trader: string, time: string): string => `case when given.author = ${trader} then coalesce(
    given.eligibility,
    case when given.given_at > ${time} + interval '${GIVEN_WITHIN_MS} milliseconds' then 'late' else 'undecided' end
  ) end`;

/** The position of the trader in the agent: number of tickets, and their cost. */
export type HeldPosition = { readonly amount: number; readonly cost: Wei };

const STORE = `
  with stored as (
    insert into thesis (tx_hash, ordinal, author, text, created_at, confidence) values ($1, $2, $3, $4, $5, $7)
    on conflict (tx_hash, ordinal) do update
      set author = excluded.author, text = excluded.text, hidden = false, created_at = excluded.created_at,
        confidence = excluded.confidence
      where thesis.author <> excluded.author
    returning author
  )
  select coalesce(held.amount, 0) as amount, coalesce(held.cost, 0) as cost
  from stored left join ticket_holding held on held.agent = $6 and held.holder = stored.author`;

/**
 * Stores the record of a trade, and returns the position of its trader. undefined if the trader has already recorded the trade. A
 * record by another wallet is replaced: it belongs to a trade that a reorg removed.
 */
export async function storeThesis(
  tx: SqlEntityManager,
  { txHash, ordinal, author, text, confidence, agent }: GivenThesis,
  now: Date,
): Promise<HeldPosition | undefined> {
  const values = [txHash, ordinal, author, text, now.toISOString(), agent, confidence];
  const [position] = await sqlIn(tx)<HeldPosition>(STORE, values);
  return position;
}

/**
 * Announces the reason of a trade as a live event, if the trade is indexed already. Otherwise the indexer announces it with the
 * trade. Both first lock the live cursor: the second to get the lock sees the row of the first, so exactly one event is sent.
 */
export async function announceThesis(tx: SqlEntityManager, subject: string, now: Date): Promise<void> {
  await lockLiveCursor(tx);
  const [trade] = await sqlIn(tx)<{ agent: string }>('select agent from transaction where event_id = $1', [subject]);
  if (trade) await announce(tx, [{ topic: 'thesis', subject, agent: trade.agent }], now);
}

/** Ordinals of the trades in a transaction that the trader has already recorded. */
export async function recordedOrdinals({ sql }: Deps, txHash: string, trader: string): Promise<ReadonlySet<number>> {
  const rows = await sql<{ ordinal: number }>('select ordinal from thesis where tx_hash = $1 and author = $2', [txHash, trader]);
  return new Set(rows.map(({ ordinal }) => ordinal));
}

/**
 * Hides the theses of all trades by an agent, or shows them again. The trades themselves stay visible, because they are on the
 * chain.
 */
export async function setThesesHidden(tx: SqlEntityManager, wallet: string, hidden: boolean): Promise<void> {
  await sqlIn(tx)('update thesis set hidden = $2 where author = $1 and hidden <> $2', [wallet, hidden]);
}
