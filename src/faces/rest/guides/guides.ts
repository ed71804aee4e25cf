import { fill, readTexts, variantsFor } from '../../guides/template.js';
import { type Chapter, chapterIds, chaptersOf } from '../docs/chapters.js';
import { type DocsFacts, settingsOf } from '../docs/facts.js';
import { valuesFor } from '../docs/values.js';
import { guideValues } from './values.js';

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
  const variantValues = variantsFor(variants, settingsOf(facts.config));
  const filled = fill(texts, { ...valuesFor(facts), ...guideValues(facts), ...variantValues });
  const { skill, heartbeat, llms } = filled;
  return { chapters: chaptersOf(filled), skill, heartbeat, llms };
}
