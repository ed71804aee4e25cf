import { randomInt } from 'node:crypto';
import type { SqlEntityManager } from '@mikro-orm/sql';
import type { Deps } from '../../../deps.js';
import { AppError } from '../../../errors.js';
import { makeCode } from '../rules.js';

/** With 97 of 100 codes given out, so many draws still find a free one 998 times in 1000. */
const DRAWS = 200;

/** A verification code that was never given before, and never will be again, whatever becomes of its agent. */
export async function issueCode(
  { log }: Pick<Deps, 'log'>,
  tx: SqlEntityManager,
  random: (below: number) => number = randomInt,
): Promise<string> {
  for (let draw = 0; draw < DRAWS; draw++) {
    const code = makeCode(random);
    const issued = await tx.execute<unknown[]>(
      'insert into issued_code (code) values (?) on conflict do nothing returning code',
      [code],
    );
    if (issued.length > 0) return code;
  }
  log.error({ draws: DRAWS }, 'verification codes are running out: nobody can register');
  throw new AppError('CODES_EXHAUSTED');
}
