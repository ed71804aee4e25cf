import { createCipheriv, createDecipheriv, createHmac, hkdfSync, randomBytes, randomUUID } from 'node:crypto';
import type { SqlEntityManager } from '@mikro-orm/sql';
import type { Deps } from '../../deps.js';
import { AppError } from '../../errors/errors.js';
import { inRequest } from '../../observe/request-scope.js';
import { sqlIn } from '../../store/sql.js';
import { every } from '../../tasks.js';
import { DAY_MS } from '../../values/time.js';

export const MAX_KEY_LENGTH = 255;

export const ANSWER_RETENTION_MS = DAY_MS;

/** Maximum number of stored answers per caller. The oldest beyond it are deleted before their 24 hours are over. */
export const MAX_ANSWERS_PER_CALLER = 5000;

/** Description of an idempotency key, for hints and documents. */
export const KEY_FORMAT = `1 to ${MAX_KEY_LENGTH} visible ASCII characters`;

/** Reads a key, bare or quoted as a string of structured fields (RFC 9651): `"a"` and `a` are the same key. */
export function parseIdempotencyKey(text: string, field: string): string {
  const quoted = /^"((?:[^"\\]|\\["\\])*)"$/.exec(text)?.[1];
  const key = quoted === undefined ? text : quoted.replace(/\\(["\\])/g, '$1');
  const isUnfinished = quoted === undefined && text.startsWith('"');
  if (isUnfinished || key.length > MAX_KEY_LENGTH || !/^[\x21-\x7e]+$/.test(key)) {
    throw new AppError('INVALID_FIELD', { field, expected: KEY_FORMAT });
  }
  return key;
}

/** A write that was sent with an idempotency key. */
export type KeyedWrite = {
  readonly key: string;
  /** Identifies the caller: its API key, or its address if it sent none. */
  readonly caller: string;
  /** Names the operation: method and route, or the mutation. */
  readonly operation: string;
  /** Everything that a retry must repeat: path and body, or arguments. */
  readonly content: string;
};

/** Fingerprints of a keyed write, and the key that encrypts its answer. None of them reveals what it was made from. */
export type Fingerprints = {
  readonly id: Buffer;
  readonly caller: Buffer;
  readonly content: Buffer;
  /** Key that encrypts the stored answer. It is derived from the idempotency key, and neither of them is stored. */
  readonly cipherKey: Buffer;
};

/**
 * Computes the fingerprints of a write. They are keyed with `secretKey`: somebody who has a copy of the database, but not this key,
 * cannot test guesses of an idempotency key or of a caller's address.
 */
export function fingerprintsOf(secretKey: string, { key, caller, operation, content }: KeyedWrite): Fingerprints {
  const fingerprint = (...parts: readonly string[]): Buffer =>
    createHmac('sha256', secretKey)
      .update(JSON.stringify(['idempotency', ...parts]))
      .digest();
  const id = fingerprint('id', caller, operation, key);
  return {
    id,
    caller: fingerprint('caller', caller),
    content: fingerprint('content', content),
    cipherKey: Buffer.from(hkdfSync('sha256', key, secretKey, Buffer.concat([Buffer.from('idempotency '), id]), 32)),
  };
}

type Row = {
  readonly content: Uint8Array;
  readonly answer: Uint8Array | null;
  readonly ended: boolean;
};

/** Reads a stored write. No row if it does not exist or is too old. `ended`: whether its lease has ended. */
const READ = `
  select content, answer, lease_until < clock_timestamp() as ended
  from idempotent_write where id = $1 and created_at > $2`;

const retentionStart = ({ clock }: Pick<Deps, 'clock'>): string =>
  new Date(clock.now().getTime() - ANSWER_RETENTION_MS).toISOString();

/**
 * The stored answer of a write. null if the write may be executed. Throws if the key was used with other content, or if the write
 * is still running.
 */
export async function storedAnswer(deps: Pick<Deps, 'sql' | 'clock'>, fingerprints: Fingerprints): Promise<Buffer | null> {
  const [row] = await deps.sql<Row>(READ, [fingerprints.id, retentionStart(deps)]);
  return row === undefined || (row.answer === null && row.ended) ? null : answerIn(row, fingerprints);
}

function answerIn({ content, answer }: Row, fingerprints: Fingerprints): Buffer {
  if (!fingerprints.content.equals(content)) throw new AppError('IDEMPOTENCY_KEY_REUSED');
  if (answer === null) throw new AppError('REQUEST_IN_PROGRESS');
  return unseal(fingerprints, Buffer.from(answer));
}

/**
 * Takes the lease of a write and returns null, or returns the stored answer. Of many concurrent calls, one takes the lease, and the
 * others throw. `holder` is a random name of the execution.
 */
export function takeLease(deps: Deps, fingerprints: Fingerprints, holder: string): Promise<Buffer | null> {
  const { id, caller, content } = fingerprints;
  const oldest = retentionStart(deps);
  return inOwnTransaction(deps, async (tx) => {
    const sql = sqlIn(tx);
    const values = [id, caller, content, holder, deps.times.writeLease, deps.clock.now().toISOString(), oldest];
    const [taken] = await sql(TAKE, values);
    if (taken) return null;
    const [row] = await sql<Row>(READ, [id, oldest]);
    // TAKE found the lease of another execution, but its write was refused, and the row is deleted. A retry can take the lease.
    if (row === undefined) throw new AppError('REQUEST_IN_PROGRESS');
    return answerIn(row, fingerprints);
  });
}

const TAKE = `
  insert into idempotent_write as existing (id, caller, content, holder, lease_until, created_at)
  values ($1, $2, $3, $4, clock_timestamp() + $5::int * interval '1 millisecond', $6)
  on conflict (id) do update
    set content = excluded.content, holder = excluded.holder, lease_until = excluded.lease_until,
      created_at = excluded.created_at, answer = null
    where existing.created_at <= $7 or (existing.answer is null and existing.lease_until < clock_timestamp())
  returning holder`;

/**
 * Runs a transaction for leases or stored answers. It invalidates no cache. A request scope remembers that a commit was sent in it,
 * and `outageOf` then reports database failures as OUTCOME_UNKNOWN. The commit of a lease is not the write of the client, so it gets
 * a scope of its own.
 */
const inOwnTransaction = <T>({ write }: Pick<Deps, 'write'>, work: (tx: SqlEntityManager) => Promise<T>): Promise<T> =>
  inRequest(() => write(work, { invalidates: false }));

/** Extends the lease, unless it was lost or the answer is stored. */
export async function renewLease(deps: Deps, { id }: Fingerprints, holder: string): Promise<void> {
  const renew = `
    update idempotent_write set lease_until = clock_timestamp() + $3::int * interval '1 millisecond'
    where id = $1 and holder = $2 and answer is null`;
  await inOwnTransaction(deps, (tx) => sqlIn(tx)(renew, [id, holder, deps.times.writeLease]));
}

/** Ends the lease of a write that was not executed. A stored answer stays. */
async function releaseLease(deps: Deps, { id }: Fingerprints, holder: string): Promise<void> {
  const release = 'delete from idempotent_write where id = $1 and holder = $2 and answer is null';
  await inOwnTransaction(deps, (tx) => sqlIn(tx)(release, [id, holder]));
}

/** Stores the answer in the transaction of the effect. Throws if the lease was lost, which rolls the effect back. */
async function storeAnswer(tx: SqlEntityManager, fingerprints: Fingerprints, holder: string, answer: Buffer): Promise<void> {
  const stored = await sqlIn(tx)(
    'update idempotent_write set answer = $3 where id = $1 and holder = $2 and answer is null returning holder',
    [fingerprints.id, holder, seal(fingerprints, answer)],
  );
  if (stored.length === 0) throw new AppError('REQUEST_IN_PROGRESS');
}

/**
 * The lease of a write: the right to execute it, which one of many concurrent calls gets. It is renewed until its disposal. The
 * disposal ends it, so that a retry can execute the write, unless the write was committed.
 */
export class WriteLease implements AsyncDisposable {
  /** Takes the lease. If another call has executed the write in the meantime, `stored` is its answer, and no lease is taken. */
  static async take(deps: Deps, fingerprints: Fingerprints): Promise<WriteLease> {
    const holder = randomUUID();
    return new WriteLease(deps, fingerprints, holder, await takeLease(deps, fingerprints, holder));
  }

  readonly #endRenewals: () => void;
  #isOver: boolean;

  private constructor(
    private readonly deps: Deps,
    private readonly fingerprints: Fingerprints,
    private readonly holder: string,
    readonly stored: Buffer | null,
  ) {
    this.#isOver = stored !== null;
    // A failed renewal is ignored, because the next may succeed. If the lease is lost, `store` throws, which undoes the write.
    const renew = () => renewLease(deps, fingerprints, holder).catch(() => undefined);
    this.#endRenewals = stored === null ? every(deps.times, deps.times.writeLease / 3, renew) : () => {};
  }

  /** Stores the answer in the transaction of the write. */
  store(tx: SqlEntityManager, answer: Buffer): Promise<void> {
    return storeAnswer(tx, this.fingerprints, this.holder, answer);
  }

  /** Call this after the commit of the write. The disposal then has nothing to release. */
  committed(): void {
    this.#isOver = true;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#endRenewals();
    if (!this.#isOver) await releaseLease(this.deps, this.fingerprints, this.holder).catch(() => undefined);
  }
}

/** Deletes answers older than 24 hours, and the oldest answers of callers that have too many. */
export async function sweepAnswers(deps: Pick<Deps, 'write' | 'clock'>): Promise<void> {
  const outdated = 'delete from idempotent_write where created_at <= $1';
  const tooMany = `
    with numbered as (
      select id, row_number() over (partition by caller order by created_at desc) as place from idempotent_write
      where caller in (select caller from idempotent_write group by caller having count(*) > $1)
    )
    delete from idempotent_write where id in (select id from numbered where place > $1)`;
  await inOwnTransaction(deps, (tx) => sqlIn(tx)(outdated, [retentionStart(deps)]));
  await inOwnTransaction(deps, (tx) => sqlIn(tx)(tooMany, [MAX_ANSWERS_PER_CALLER]));
}

const CIPHER = 'aes-256-gcm';
const NONCE_BYTES = 12;
const TAG_BYTES = 16;

/** Encrypts an answer, because that to a registration contains an API key. The result is nonce, authentication tag, ciphertext. */
export function seal({ cipherKey, id }: Fingerprints, answer: Buffer): Buffer {
  const nonce = randomBytes(NONCE_BYTES);
  const cipher = createCipheriv(CIPHER, cipherKey, nonce, { authTagLength: TAG_BYTES }).setAAD(id);
  const text = Buffer.concat([cipher.update(answer), cipher.final()]);
  return Buffer.concat([nonce, cipher.getAuthTag(), text]);
}

/** Decrypts an answer. Throws if it was changed. */
export function unseal({ cipherKey, id }: Fingerprints, sealed: Buffer): Buffer {
  const textStart = NONCE_BYTES + TAG_BYTES;
  const decipher = createDecipheriv(CIPHER, cipherKey, sealed.subarray(0, NONCE_BYTES), { authTagLength: TAG_BYTES })
    .setAAD(id)
    .setAuthTag(sealed.subarray(NONCE_BYTES, textStart));
  return Buffer.concat([decipher.update(sealed.subarray(textStart)), decipher.final()]);
}
