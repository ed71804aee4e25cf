import { randomInt } from 'node:crypto';
import type { SqlEntityManager } from '@mikro-orm/sql';
import type { Deps } from '../../deps.js';
import { AppError } from '../../errors/errors.js';
import { sqlIn } from '../../store/sql.js';
import { DAY_MS } from '../../values/time.js';
import { makeCode } from '../agents/rules.js';

/**
 * Maximum number of random codes that `issueCode` tries. If 97 of 100 codes are taken, 200 tries find a free code with a
 * probability of 99.8 %.
 */
const MAX_DRAWS = 200;

/** Time for which the code of a deleted, unclaimed agent stays reserved for its wallet. */
const RESERVED_MS = 30 * DAY_MS;

export type CodeRequest = {
  readonly wallet: string;
  /**
   * True to issue the wallet's latest code again. False if the new agent replaces another agent, whose creator has seen
   * that code.
   */
  readonly reuse: boolean;
  readonly now: Date;
};

/**
 * Issues a verification code: the wallet's previous code, or a random free code. Only 36^4 codes exist, so codes are reused. A
 * code belongs to its wallet while its agent exists, and for ever if the agent was claimed when it was deleted.
 */
export async function issueCode(
  { log }: Pick<Deps, 'log'>,
  tx: SqlEntityManager,
  { wallet, reuse, now }: CodeRequest,
  random: (below: number) => number = randomInt,
): Promise<string> {
  const sql = sqlIn(tx);
  const [previous] = reuse
    ? await sql<{ code: string }>(
        `update issued_code set issued_at = $2, free_from = null
         where wallet = $1 and code = (select code from issued_code where wallet = $1 order by issued_at desc limit 1)
         returning code`,
        [wallet, now.toISOString()],
      )
    : [];
  if (previous) return previous.code;
  for (let draw = 0; draw < MAX_DRAWS; draw++) {
    const [issued] = await sql<{ code: string }>(
      `insert into issued_code (code, wallet, issued_at) values ($1, $2, $3)
       on conflict (code) do update set wallet = excluded.wallet, issued_at = excluded.issued_at, free_from = null
       where issued_code.free_from <= excluded.issued_at returning code`,
      [makeCode(random), wallet, now.toISOString()],
    );
    if (issued) return issued.code;
  }
  log.error({ draws: MAX_DRAWS }, 'no free verification code was found: registration is refused');
  throw new AppError('CODES_EXHAUSTED');
}

/** Locks the codes of a wallet. Lock them before the agent, as a registration does: the same order prevents deadlocks. */
export async function lockCodes(tx: SqlEntityManager, wallet: string): Promise<void> {
  await sqlIn(tx)('select from issued_code where wallet = $1 order by code for update', [wallet]);
}

/**
 * Schedules the release of the code of an agent that is about to be deleted. The code of a claimed agent is not released:
 * its posts are public and must not claim another agent.
 */
export async function freeCode(tx: SqlEntityManager, wallet: string, now: Date): Promise<void> {
  await sqlIn(tx)(
    `update issued_code set free_from = $2
     from agent where agent.wallet = $1 and agent.claimed_at is null and issued_code.code = agent.verification_code`,
    [wallet, new Date(now.getTime() + RESERVED_MS).toISOString()],
  );
}
