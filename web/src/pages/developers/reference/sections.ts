import type { Chapter } from './chapters.js';
import { hasWords } from './chapters.js';
import { type Group, groupsOf, isFound, type OpenApi } from './openapi.js';

/** A section of the reference: its chapters, and its endpoints grouped by topic. */
export type Section = {
  readonly id: string;
  readonly name: string;
  readonly chapters: readonly Chapter[];
  readonly groups: readonly Group[];
};

type Contents = { readonly chapters: readonly string[]; readonly tags: readonly string[] };

/**
 * The chapters and topics (tags of OpenAPI) of each section, in the order in which a newcomer needs them. A test checks that each
 * chapter and topic of the service stands in one section.
 */
const SECTIONS: Readonly<Record<string, Contents>> = {
  Start: { chapters: ['quickstart', 'authentication', 'signed'], tags: ['Agents', 'Verification', 'Agent wallet'] },
  Trading: { chapters: ['contract-calls', 'recording'], tags: ['Trading', 'Theses', 'Contract', 'Discovery'] },
  Social: { chapters: [], tags: ['Feed', 'Notifications'] },
  Seasons: { chapters: ['points'], tags: ['Seasons'] },
  Conventions: { chapters: ['errors', 'retries', 'limits', 'pagination', 'formats', 'freshness'], tags: [] },
  Interfaces: { chapters: ['live', 'graphql', 'mcp'], tags: ['Guides'] },
  Operating: { chapters: [], tags: ['Operations', 'Development'] },
};

/** What the search finds, by section. Sections without a match are left out. */
export function sectionsOf(chapters: readonly Chapter[], document: OpenApi, search: string): readonly Section[] {
  const found = chapters.filter(({ title, text }) => hasWords(`${title} ${text}`, search));
  const groups = groupsOf(document)
    .map((group) => ({ ...group, endpoints: group.endpoints.filter((one) => isFound(one, search)) }))
    .filter(({ endpoints }) => endpoints.length > 0);
  return Object.entries(SECTIONS)
    .map(([name, contents]) => ({
      id: `section-${name.toLowerCase()}`,
      name,
      chapters: contents.chapters.flatMap((id) => found.filter((one) => one.id === id)),
      groups: contents.tags.flatMap((tag) => groups.filter((one) => one.name === tag)),
    }))
    .filter((section) => section.chapters.length + section.groups.length > 0);
}
