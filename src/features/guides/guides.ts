import { type Chapter, chapterIds, chaptersOf } from './chapters.js';
import { type DocsFacts, settingsOf } from './facts.js';
import { limitsTable } from './limits.js';
import { endpointTable, errorsForNewcomers, errorsTable, freshnessTable } from './tables.js';
import { fill, readTexts, type Values, variantsFor } from './template.js';
import { guideVersion } from './versions.js';

/** The texts that the service serves to agents, in Markdown. */
export type Guides = {
  readonly chapters: readonly Chapter[];
  readonly skill: string;
  readonly heartbeat: string;
  readonly llms: string;
};

/** Reads all texts and fills in their placeholders. */
export function readGuides(facts: DocsFacts): Guides {
  const { variants, ...chapters } = readTexts('docs', [...chapterIds, 'variants']);
  const texts = { ...chapters, ...readTexts('.', ['skill', 'heartbeat', 'llms']) };
  const filled = fill(texts, { ...valuesFor(facts), ...variantsFor(variants, settingsOf(facts.config)) });
  const { skill, heartbeat, llms } = filled;
  return { chapters: chaptersOf(filled), skill, heartbeat, llms };
}

/** The values of all placeholders, except those in variants.md: what differs between services, and tables. */
const valuesFor = (facts: DocsFacts): Values => ({
  url: facts.place.url,
  version: guideVersion(facts.place, facts.config),
  chainId: facts.place.chainId,
  contract: facts.place.contract ?? '',
  rpcUrl: facts.place.rpcUrl ?? '',
  endpointTable: endpointTable(facts.endpoints),
  errorTable: errorsForNewcomers(),
  errors: errorsTable(facts),
  limits: limitsTable(facts),
  freshness: freshnessTable(),
});
