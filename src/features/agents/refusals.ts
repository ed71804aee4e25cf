import { DriverException } from '@mikro-orm/core';
import type { adviceTable } from '../../errors/advice.js';
import { AppError, type ErrorCode } from '../../errors/errors.js';

const refusals: Readonly<Record<string, readonly [ErrorCode, (keyof typeof adviceTable)?]>> = {
  agent_pkey: ['AGENT_EXISTS'],
  agent_agent_id_unique: ['AGENT_EXISTS'],
  agent_claim_post_id_unique: ['POST_USED'],
  agent_referred_by_foreign: ['REFERRER_NOT_CLAIMED'],
  used_signature_pkey: ['SIGNATURE_INVALID', 'SIGNATURE_USED'],
};

/** Translates violations of constraints by concurrent requests into errors of the API. */
export function throwRefusal(error: unknown): never {
  // Both drivers name the violated constraint. Other errors have none.
  const constraint = error instanceof DriverException && 'constraint' in error ? error.constraint : undefined;
  const [code, advice] = refusals[String(constraint)] ?? [];
  throw code === undefined ? error : new AppError(code, {}, { cause: error, ...(advice && { advice }) });
}
