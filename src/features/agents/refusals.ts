import { DriverException } from '@mikro-orm/core';
import { AppError, type adviceTable, type ErrorCode } from '../../errors.js';

const refusals: Readonly<Record<string, readonly [ErrorCode, (keyof typeof adviceTable)?]>> = {
  agent_pkey: ['AGENT_EXISTS'],
  agent_agent_id_unique: ['AGENT_EXISTS'],
  agent_claim_post_id_unique: ['POST_USED'],
  agent_referred_by_foreign: ['REFERRER_NOT_CLAIMED'],
  used_signature_pkey: ['SIGNATURE_INVALID', 'SIGNATURE_USED'],
};

/** Translates violations of constraints by concurrent requests into errors of the API. */
export function throwRefusal(error: unknown): never {
  const [code, advice] = refusals[violatedConstraint(error) ?? ''] ?? [];
  throw code === undefined ? error : new AppError(code, {}, { cause: error, ...(advice && { advice }) });
}

/** Name of the violated constraint, on both drivers. undefined for other errors. */
function violatedConstraint(error: unknown): string | undefined {
  const name = error instanceof DriverException && 'constraint' in error ? error.constraint : undefined;
  return typeof name === 'string' ? name : undefined;
}
