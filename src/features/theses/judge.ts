import type { SqlEntityManager } from '@mikro-orm/sql';
import { answerOrNull } from '../../chain/chain.js';
import { type Changes, type IndexDeps, lockCursor, readCursor, takeChanges } from '../../index/cursor.js';
import { announce, type News } from '../../live/announce.js';
import { JOB, withTimeouts } from '../../store/connections/timeouts.js';
import { insertMany, type Sql, sqlIn } from '../../store/sql.js';
import { HOUR_MS } from '../../values/time.js';
import { type Due, judgeDue } from './judgements.js';
import { walletAndDestination } from './owners.js';
import { areStale, markStale, refreshRecords } from './refresh.js';
import {
  type EarlierCall,
  eligibilityOf,
  GIVEN_WITHIN_MS,
  type GivenThesis,
  horizonMs,
  horizons,
  OPEN_MS,
  weightOf,
} from './rules.js';

/**
 * Decides which theses are calls, and judges the calls whose horizons have ended in the time of the chain. It may be called at any
 * time and concurrently. Each step locks the cursor of the index, so that no fact changes meanwhile. Steps are small, because the
 * index waits for the lock.
 */
export async function judge(deps: IndexDeps): Promise<void> {
  const head = await embeddedHead(deps);
  for (let done = true; done && (await isDue(deps, head)); ) {
    done = await withTimeouts(JOB, () => deps.write((tx) => step(deps, tx, head)));
    deps.live?.wake();
  }
  if (await areStale(deps)) await withTimeouts(JOB, () => refreshRecords(deps));
}

/** The head of the embedded chain, which mines only on demand: its newest block is `block`, and the next one will be later than `time`. */
type Head = { readonly block: number; readonly time: Date };

/** A block that is mined now has a time that is younger than this: mining takes a moment, and times have whole seconds. */
const SETTLE_MS = 5000;

async function embeddedHead(deps: IndexDeps): Promise<Head | null> {
  if (!deps.config.chainEmbedded) return null;
  const time = new Date(deps.clock.now().getTime() - SETTLE_MS);
  const block = await answerOrNull(deps.chain.blockNumber());
  return block === null ? null : { block, time };
}

type Reached = { readonly blockNumber: number; readonly blockTime: Date | null; readonly fault: string | null };

/** The time up to which all facts are indexed. null if that is unknown. */
function indexedUntil({ blockNumber, blockTime, fault }: Reached, head: Head | null): Date | null {
  if (fault !== null || blockTime === null) return null;
  return head && blockNumber >= head.block && head.time > blockTime ? head.time : blockTime;
}

/** Time after a trade until each thesis that was given in time is committed. */
const COMMITTED_MS = GIVEN_WITHIN_MS + 10 * 60_000;

/** Theses of trades before this time can be decided: no other thesis for a trade before it can still come in time. */
const decidableBefore = (deps: IndexDeps, until: Date): Date =>
  new Date(Math.min(until.getTime(), deps.clock.now().getTime() - COMMITTED_MS));

/** A lateral join finds the trades one by one: with a plain join, the database reads all trades while its statistics are old. */
const UNDECIDED = `from reason h cross join lateral (
    select * from transaction where tx_hash = h.tx_hash and ordinal = h.ordinal and trader = h.author limit 1
  ) t where h.eligibility is null`;

async function isDue(deps: IndexDeps, head: Head | null): Promise<boolean> {
  const until = indexedUntil(await readCursor(deps), head);
  if (until === null) return false;
  const [row] = await deps.sql<{ isDue: boolean }>(
    `select changed_from is not null or exists (select ${UNDECIDED} and t.block_time < $1)
       or exists (select from call_outcome where judged_block is null and until < $2) as "isDue"
     from indexer_cursor`,
    [decidableBefore(deps, until).toISOString(), until.toISOString()],
  );
  return row?.isDue ?? false;
}

/** Maximum age of an outcome that is announced. Older ones come from a backfill. */
const NEWS_MS = HOUR_MS;

const newsOf = ({ id, author }: Due): News => ({ topic: 'outcome', subject: id, agent: author });

/** Does a part of what is due. Returns false if it did nothing. */
async function step(deps: IndexDeps, tx: SqlEntityManager, head: Head | null): Promise<boolean> {
  const sql = sqlIn(tx);
  const cursor = await lockCursor(sql);
  const until = indexedUntil(cursor, head);
  if (until === null) return false;
  const changed = await takeChanges(sql);
  if (changed) await takeBack(sql, changed);
  const decided = await decide(sql, decidableBefore(deps, until));
  const judged = await judgeDue(sql, until, cursor.blockNumber);
  const news = judged.filter((call) => until.getTime() - call.until.getTime() < NEWS_MS).map(newsOf);
  await announce(tx, news, deps.clock.now());
  return changed !== null || decided > 0 || judged.length > 0;
}

/** SQL condition: the trade of the row `o` may have changed. */
const MAY_HAVE_CHANGED = (time: string): string => `o.${time} >= $1 and not exists (
  select from transaction t where t.tx_hash = o.tx_hash and t.ordinal = o.ordinal and t.trader = o.author and t.block_number <= $2)`;

/** Takes back what was derived from facts that may have changed. */
async function takeBack(sql: Sql, { from, block }: Changes): Promise<void> {
  const values = [from.toISOString(), block];
  const gone = await sql<Author>(`delete from call_outcome o where ${MAY_HAVE_CHANGED('called_at')} returning author`, values);
  await sql(`update reason o set eligibility = null, traded_at = null where ${MAY_HAVE_CHANGED('traded_at')}`, values);
  const open = await sql<Author>(
    `update call_outcome set judged_block = null, move = null, benchmark = null, paid = null, value = null, controls = null,
       fake_cost = null, sold_half = null
     where until >= $1 and judged_block > $2 returning author`,
    values,
  );
  await markStale(sql, authorsOf([...gone, ...open]));
}

type Author = { readonly author: string };
const authorsOf = (rows: readonly Author[]): string[] => rows.map(({ author }) => author);

/** Maximum number of theses that one step decides. */
const DECIDED_PER_STEP = 500;

type Undecided = GivenThesis & {
  readonly author: string;
  readonly txHash: string;
  readonly ordinal: number;
  readonly confidence: number | null;
};

/** Decides which of the next theses are calls, in the order of the chain. Returns the number of these theses. */
async function decide(sql: Sql, before: Date): Promise<number> {
  const theses = await sql<Undecided>(
    `select h.tx_hash as "txHash", h.ordinal, h.author, t.agent, t.price, t.block_time as "tradedAt", h.given_at as "createdAt",
       h.confidence, ${walletAndDestination('h.author', 't.block_number, t.log_index')} as own
     ${UNDECIDED} and t.block_time < $1 order by t.block_number, t.log_index limit ${DECIDED_PER_STEP}`,
    [before.toISOString()],
  );
  const [first] = theses;
  if (first === undefined) return 0;
  const calls = await earlierCalls(sql, theses, first.tradedAt);
  const decided = theses.map((thesis) => {
    const earlier = (wallet: string) => calls.get(wallet) ?? [];
    const eligibility = eligibilityOf(thesis, [...new Set(thesis.own)].flatMap(earlier));
    if (eligibility === 'counts') calls.set(thesis.author, [...earlier(thesis.author), thesis]);
    return { ...thesis, eligibility };
  });
  await sql(
    `update reason set eligibility = given.eligibility, traded_at = given.traded_at
     from unnest($1::varchar[], $2::int[], $3::varchar[], $4::timestamptz[]) as given(tx_hash, ordinal, eligibility, traded_at)
     where reason.tx_hash = given.tx_hash and reason.ordinal = given.ordinal`,
    [
      decided.map(({ txHash }) => txHash),
      decided.map(({ ordinal }) => ordinal),
      decided.map(({ eligibility }) => eligibility),
      decided.map(({ tradedAt }) => tradedAt.toISOString()),
    ],
  );
  await openOutcomes(
    sql,
    decided.filter(({ eligibility }) => eligibility === 'counts'),
  );
  return theses.length;
}

/** The calls of the authors of these theses, and of the wallets that receive their fees, that may still be open at `time` or later, or belong to the same day. */
async function earlierCalls(sql: Sql, theses: readonly Undecided[], time: Date): Promise<Map<string, EarlierCall[]>> {
  const rows = await sql<EarlierCall & { author: string }>(
    `select o.author, t.agent, o.called_at as "tradedAt"
     from call_outcome o join transaction t on t.tx_hash = o.tx_hash and t.ordinal = o.ordinal
     where o.horizon = '1d' and o.author = any($1::varchar[]) and o.called_at > $2`,
    [[...new Set(theses.flatMap(({ own }) => own))], new Date(time.getTime() - OPEN_MS).toISOString()],
  );
  return Map.groupBy(rows, ({ author }) => author);
}

/** Inserts the outcomes of new calls, one for each horizon. */
async function openOutcomes(sql: Sql, calls: readonly Undecided[]): Promise<void> {
  const rows = calls.flatMap((call) =>
    horizons.map((horizon) => ({ ...call, horizon, until: new Date(call.tradedAt.getTime() + horizonMs[horizon]) })),
  );
  await insertMany(sql, 'call_outcome', {
    tx_hash: ['varchar', rows.map(({ txHash }) => txHash)],
    ordinal: ['int4', rows.map(({ ordinal }) => ordinal)],
    horizon: ['text', rows.map(({ horizon }) => horizon)],
    author: ['varchar', rows.map(({ author }) => author)],
    agent: ['varchar', rows.map(({ agent }) => agent)],
    weight: ['int4', rows.map(({ price }) => weightOf(price))],
    confidence: ['int4', rows.map(({ confidence }) => confidence)],
    called_at: ['timestamptz', rows.map(({ tradedAt }) => tradedAt)],
    until: ['timestamptz', rows.map(({ until }) => until)],
  });
  await markStale(sql, authorsOf(rows));
}
