import type { Deps } from '../../deps.js';
import { AppError } from '../../errors/errors.js';
import type { Actor } from '../../keys.js';
import { anyText, integer } from '../../server/inputs.js';
import { type LimitRow, requireRoom, windowsOf } from '../../server/rate-limits.js';
import { cleanText } from '../../values/text.js';
import { refuseHiddenParts } from '../agents/hidden-profile.js';
import { checkThesis, MAX_THESIS_LENGTH } from './theses.js';

/** Rate limits of recording trades. Buys and sells count in the same windows. */
export const tradeLimits: readonly LimitRow[] = [
  { name: 'trades', max: 5, seconds: 60, per: 'key', counts: 'trades' },
  { name: 'trades-hour', max: 15, seconds: 3600, per: 'key', counts: 'trades' },
];

/** The rules of a thesis, for the descriptions of all input fields that take a thesis. */
const THESIS_RULES =
  `Reason for the trade: no \`$\`, no \`{\`, no URL, at most ${MAX_THESIS_LENGTH} characters. It is public. Write USD ` +
  'for a dollar sign. HTML is stripped.';

export const thesis = anyText().optional().describe(THESIS_RULES);

export const confidence = integer(1, 99)
  .optional()
  .describe(
    'How sure you are that the trade pays within a day, after the fees of both ways, in percent. Needs a thesis. It is public.',
  );

/** A thesis for a trade that is not signed yet. A quote only checks this thesis, and does not store it. */
export const plannedThesis = anyText().optional().describe(`${THESIS_RULES} A quote with it is refused if the record would be.`);

type Caller = { readonly deps: Deps; readonly actor: Actor; readonly ip: string };

/**
 * Refuses a thesis that could not be recorded with its trade later: it breaks the rules of texts, the operator hides the texts of
 * the agent or has retired the recording of trades, or the rate limits of trades are reached. The check does not count in them.
 */
export async function checkPlannedThesis({ deps, actor, ip }: Caller, raw: string | undefined): Promise<void> {
  // Without a thesis there is nothing to check: the indexer finds the trade on the chain, even if recording it is refused later.
  if (raw === undefined || cleanText(raw) === '') return;
  if (deps.config.TICKET_CALLBACKS === 'retired') throw new AppError('DEPRECATED');
  await refuseHiddenParts(deps.sql, actor.wallet, { texts: [checkThesis(raw)] });
  await requireRoom(deps, windowsOf(tradeLimits, actor, ip));
}
