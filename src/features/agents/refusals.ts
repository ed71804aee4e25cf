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

/** Turns the violation of a constraint into an error of the API. A concurrent request can cause it after all checks have passed. */
export function throwRefusal(error: unknown): never {
  // Both database drivers name the violated constraint. An error without a constraint is thrown unchanged.
  const constraint = error instanceof DriverException && 'constraint' in error ? error.constraint : undefined;
  const [code, advice] = refusals[String(constraint)] ?? [];
  throw code === undefined ? error : new AppError(code, {}, { cause: error, ...(advice && { advice }) });
}
