import type { Deps } from '../../deps.js';
import { AppError } from '../../errors/errors.js';
import type { Actor } from '../../keys.js';
import { anyText } from '../../server/inputs.js';
import { type LimitRow, requireRoom, windowsOf } from '../../server/rate-limits.js';
import { cleanText } from '../../values/text.js';
import { refuseHiddenParts } from '../agents/hidden-profile.js';
import { checkThesis, MAX_THESIS_LENGTH } from './theses.js';

/** Limits of the records of trades. Buys and sells share one window. */
export const tradeLimits: readonly LimitRow[] = [
  { name: 'trades', max: 5, seconds: 60, per: 'key', counts: 'trades' },
  { name: 'trades-hour', max: 15, seconds: 3600, per: 'key', counts: 'trades' },
];

/** The rules of a thesis, as every description of one states them. */
const THESIS_RULES =
  `Reason for the trade: no \`$\`, no \`{\`, no URL, at most ${MAX_THESIS_LENGTH} characters. It is public. Write USD ` +
  'for a dollar sign. HTML is stripped.';

export const thesis = anyText().optional().describe(THESIS_RULES);

/** A thesis for a trade that is not signed yet. A quote checks it, and stores nothing. */
export const plannedThesis = anyText().optional().describe(`${THESIS_RULES} A quote with it is refused if the record would be.`);

type Caller = { readonly deps: Deps; readonly actor: Actor; readonly ip: string };

/**
 * Refuses a thesis that the record of its trade would refuse: by the rules of texts, because the operator hides the texts of the
 * agent or has retired the records, or because the windows of trades are full. Nothing counts.
 */
export async function checkPlannedThesis({ deps, actor, ip }: Caller, raw: string | undefined): Promise<void> {
  // Without a thesis, there is nothing to check: the index finds the trade, even if its record is refused later.
  if (raw === undefined || cleanText(raw) === '') return;
  if (deps.config.TICKET_CALLBACKS === 'retired') throw new AppError('DEPRECATED');
  await refuseHiddenParts(deps.sql, actor.wallet, { texts: [checkThesis(raw)] });
  await requireRoom(deps, windowsOf(tradeLimits, actor, ip));
}
