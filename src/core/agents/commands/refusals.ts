import { AppError, type ErrorCode } from '../../../errors.js';
import { violatedConstraint } from '../../../store/violation.js';

const refusals: Readonly<Record<string, ErrorCode>> = {
  agent_pkey: 'AGENT_EXISTS',
  agent_agent_id_unique: 'AGENT_EXISTS',
  agent_claim_post_id_unique: 'POST_USED',
  agent_referred_by_foreign: 'REFERRER_NOT_CLAIMED',
  used_signature_pkey: 'SIGNATURE_INVALID',
};

/** Translates violations of constraints by concurrent requests into errors of the API. */
export function throwRefusal(error: unknown): never {
  const code = refusals[violatedConstraint(error) ?? ''];
  throw code === undefined ? error : new AppError(code, {}, { cause: error });
}
