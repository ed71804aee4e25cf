import type { Deps } from '../../../deps.js';
import { checkKey, type Keyed, type KeyPage, Parameters, sizeOf } from '../../../store/pages.js';
import { totalOf } from '../../../store/totals.js';
import { WALLET } from '../lookup.js';
import { type AgentRow, agentsIn, ofAgents } from '../queries.js';
import { agentIdOf } from '../rules.js';
import { LISTED } from './agents.js';
import { editsBetween, editsFor, piecesOf } from './similar.js';

type Search = {
  readonly text: string;
  /**
   * Whether to return agents with similar names if nothing matches. Only for people: a program could take such an agent for the
   * agent that it meant.
   */
  readonly hasSimilar: boolean;
  /** A page by key, or by offset only the first page. */
  readonly page: KeyPage | { readonly offset: 0; readonly limit: number };
  readonly names?: readonly string[];
};

const WALLET_START = /^0x[0-9a-f]{4,40}$/i;

/** Converts a search text to the form of an agentId: lower case, with underscores for spaces, without a leading @. */
const partOf = (text: string): string => agentIdOf(text.replace(/^@/, ''));

/**
 * Closeness of agentIds that contain the text elsewhere than at the start; a lower number is listed earlier. The closeness of a
 * similar name is this number plus its edits, so similar names are listed last.
 */
const CONTAINS = 2;

const OF_OWNER = `l.wallet = any (array(select wallet from agent where lower(social_handle collate "C") = $1))`;

/** SQL that finds and ranks agents by a text. The parameter `$1` is the text as `partOf` returns it. */
function findingOf(text: string) {
  const owner = text.startsWith('@') ? ` or ${OF_OWNER}` : '';
  // An index for the start of wallets would save nothing: all agentIds are compared with the text anyway.
  const wallet = WALLET_START.test(text) ? ' or starts_with(l.wallet, $1)' : '';
  // No name is as long as a whole address, so a whole address is only looked up by the key of the table.
  const found = WALLET.test(text) ? 'l.wallet = $1' : `(strpos(l.agent_id, $1) > 0${owner}${wallet})`;
  return {
    where: `l.agent_id is not null and ${found}`,
    closeness: `case when l.agent_id = $1${owner} then 0 when starts_with(l.agent_id, $1)${wallet} then 1 else ${CONTAINS} end`,
    values: [partOf(text)],
  };
}

/**
 * The agents whose name or agentId contains a text, ignoring case: exact matches first, then prefixes, then the rest, each by
 * agentId. The handle of an owner counts as an exact match, the start of a wallet as a prefix.
 */
export async function searchAgents(deps: Deps, { text, hasSimilar, page, names }: Search): Promise<Keyed<AgentRow>[]> {
  const after = 'after' in page ? page.after : null;
  checkKey(['int8', 'text'], after);
  const isSimilar = hasSimilar && after !== null && Number(after[0]) > CONTAINS;
  if (!isSimilar) {
    const { closeness, ...found } = findingOf(text);
    const keys = [
      [closeness, 'int8'],
      ['l.agent_id', 'text'],
    ] as const;
    const rows = await agentsIn(deps, { ...LISTED, ...found, keys, ascending: true }, page, names);
    if (rows.length > 0 || after !== null || !hasSimilar) return rows;
  }
  const similar = await similarTo(deps, text);
  const [closeness = '0', agentId = ''] = after ?? [];
  const next = similar.findIndex((one) => (one.closeness - Number(closeness) || (one.agentId > agentId ? 1 : -1)) > 0);
  const places = next < 0 ? [] : similar.slice(next, next + sizeOf(page));
  const rows = await ofAgents(deps, places, names);
  return rows.map((row) => ({ ...row, key: () => [String(row.closeness), row.agentId] }));
}

/** Number of agents that a text finds, on all pages together. */
export async function searchTotal(deps: Deps, { text, hasSimilar }: Pick<Search, 'text' | 'hasSimilar'>): Promise<number> {
  const { where, values } = findingOf(text);
  const total = await totalOf(deps, `select count(*) as n from listing l where ${where}`, values);
  return total > 0 || !hasSimilar ? total : (await similarTo(deps, text)).length;
}

type Similar = { readonly wallet: string; readonly agentId: string; readonly closeness: number };

/**
 * Maximum number of names that are compared with a text. If more names contain a piece of the text, those with the fewest pieces
 * are left out, so a name that differs by all allowed edits can be missed.
 */
const MAX_CANDIDATES = 1000;

/** Maximum number of similar agents for a text. It bounds the size of a cache entry. */
const MAX_SIMILAR = 50;

/**
 * The agents with the most similar names, nearest first, then by agentId. They are cached as long as totals, so that pages and
 * total match. An address has no similar agents: an address that only resembles it would mislead.
 */
async function similarTo(deps: Deps, text: string): Promise<readonly Similar[]> {
  const part = partOf(text);
  const { length } = [...part];
  const edits = WALLET_START.test(text) ? 0 : editsFor(length);
  if (edits === 0) return [];
  const parameters = new Parameters();
  // agentIds are ASCII, so their length in bytes is their number of letters, and PostgreSQL counts bytes faster.
  const pieces = piecesOf(part, edits).map((piece) => `strpos(l.agent_id, ${parameters.add(piece)}) > 0`);
  const lengths = [length - edits, length + edits].map((bound) => parameters.add(bound));
  const candidates = `select l.wallet, l.agent_id as "agentId" from listing l
    where octet_length(l.agent_id) between ${lengths.join(' and ')} and (${pieces.join(' or ')})
    order by ${pieces.map((has) => `(${has})::int`).join(' + ')} desc, l.agent_id limit ${MAX_CANDIDATES}`;
  return deps.caches.totals.get(`similar\n${part}`, async () =>
    (await deps.sql<Omit<Similar, 'closeness'>>(candidates, parameters.values))
      .map((row) => ({ ...row, closeness: CONTAINS + editsBetween(part, row.agentId) }))
      .filter(({ closeness }) => closeness <= CONTAINS + edits)
      .sort((a, b) => a.closeness - b.closeness || (a.agentId < b.agentId ? -1 : 1))
      .slice(0, MAX_SIMILAR),
  );
}
