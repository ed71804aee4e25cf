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
   * Whether agents with similar names stand in for matches, if there are none. A program would take them for the agent that it
   * meant.
   */
  readonly hasSimilar: boolean;
  /** By offset, callers read the first page only. */
  readonly page: KeyPage | { readonly offset: 0; readonly limit: number };
  readonly names?: readonly string[];
};

const WALLET_START = /^0x[0-9a-f]{4,40}$/i;

/** The text as a part of an agentId, which is the name in lower case with underscores for spaces. */
const partOf = (text: string): string => agentIdOf(text.replace(/^@/, ''));

/** Closeness of names that contain the text. Similar names follow: theirs is this number plus their edits. */
const CONTAINS = 2;

const OF_OWNER = `l.wallet = any (array(select wallet from agent where lower(social_handle collate "C") = $1))`;

/** How SQL finds agents by a text, which is `$1` as a part of an agentId. */
function findingOf(text: string) {
  const owner = text.startsWith('@') ? ` or ${OF_OWNER}` : '';
  // An index of wallets would save nothing, because all names are read for the text anyway.
  const wallet = WALLET_START.test(text) ? ' or starts_with(l.wallet, $1)' : '';
  // No name is as long as a whole address, so only the key of the wallet is read.
  const found = WALLET.test(text) ? 'l.wallet = $1' : `(strpos(l.agent_id, $1) > 0${owner}${wallet})`;
  return {
    where: `l.agent_id is not null and ${found}`,
    closeness: `case when l.agent_id = $1${owner} then 0 when starts_with(l.agent_id, $1)${wallet} then 1 else ${CONTAINS} end`,
    values: [partOf(text)],
  };
}

/**
 * The agents whose name or agentId contains a text, ignoring case: exact matches first, then prefixes, then the rest, each
 * by agentId. An owner's handle is an exact match, the start of a wallet a prefix.
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
 * Number of names that are compared with a text. If more contain a piece of it, those with the fewest pieces are left out, so
 * a name that differs by all edits allowed can be missed.
 */
const MAX_CANDIDATES = 1000;

/** Number of similar agents, which bounds what the cache holds of a text. */
const MAX_SIMILAR = 50;

/**
 * The agents with the most similar names, nearest first, then by agentId. They stay the same as long as totals do, so that the
 * pages and the total match. An address has none: one that resembles it would mislead.
 */
async function similarTo(deps: Deps, text: string): Promise<readonly Similar[]> {
  const part = partOf(text);
  const { length } = [...part];
  const edits = WALLET_START.test(text) ? 0 : editsFor(length);
  if (edits === 0) return [];
  const parameters = new Parameters();
  // Names are ASCII, so their letters are bytes, which are counted faster.
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
