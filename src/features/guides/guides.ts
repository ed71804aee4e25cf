import { readFileSync } from 'node:fs';
import { type DocsFacts, settingsOf } from './facts.js';
import { instructions, prompts } from './prompts.js';
import { endpointTable, errorsForNewcomers, errorsTable, freshnessTable, limitsTable, toolTable } from './tables.js';
import { guideVersion } from './versions.js';

/** A chapter of `/docs`. Its text is Markdown. */
export type Chapter = { readonly id: string; readonly title: string; readonly text: string };

/** Files in `src/features/guides/docs`, in the order in which a newcomer needs them. */
export const chapterIds = [
  'quickstart',
  'authentication',
  'signed',
  'errors',
  'retries',
  'limits',
  'pagination',
  'formats',
  'freshness',
  'contract-calls',
  'recording',
  'points',
  'live',
  'graphql',
  'mcp',
] as const;

/** The texts that the service serves to agents, in Markdown. */
export type Guides = {
  readonly chapters: readonly Chapter[];
  readonly skill: string;
  readonly heartbeat: string;
  readonly llms: string;
  readonly instructions: typeof instructions;
  readonly prompts: typeof prompts;
};

/** Reads all texts and fills in their placeholders. The first line of a chapter is its title. */
export function readGuides(facts: DocsFacts): Guides {
  const { variants, ...texts } = readTexts('docs', [...chapterIds, 'variants']);
  const all = { ...texts, ...readTexts('.', ['skill', 'heartbeat', 'llms']) };
  const filled = fill(all, { ...valuesFor(facts), ...variantsFor(variants, settingsOf(facts.config)) });
  const { skill, heartbeat, llms } = filled;
  const chapters = chapterIds.map((id): Chapter => {
    const [heading = '', ...lines] = filled[id].split('\n');
    return { id, title: heading.replace(/^# /, ''), text: lines.join('\n') };
  });
  return { chapters, skill, heartbeat, llms, instructions, prompts };
}

/** Values of the placeholders, except those in variants.md: facts that differ between services, and generated tables. */
const valuesFor = (facts: DocsFacts): Values => ({
  url: facts.addresses.url,
  version: guideVersion(facts.addresses, facts.config),
  chainId: facts.addresses.chainId,
  contract: facts.addresses.contract ?? '',
  rpcUrl: facts.addresses.rpcUrl ?? '',
  endpointTable: endpointTable(facts.endpoints),
  errorTable: errorsForNewcomers(),
  errors: errorsTable(facts),
  limits: limitsTable(facts),
  freshness: freshnessTable(),
  tools: toolTable(facts.tools),
});

/** Values by the names of their placeholders. `fill` inserts them without escaping, so escape a value where it is made. */
export type Values = Readonly<Record<string, string | number>>;

/** Reads Markdown files by their names without `.md`, from a folder beside this file. The build copies these files to `dist`. */
export function readTexts<Name extends string>(folder: string, names: readonly Name[]): Record<Name, string> {
  const read = (name: Name): string => readFileSync(new URL(`./${folder}/${name}.md`, import.meta.url), 'utf8');
  return Object.fromEntries(names.map((name) => [name, read(name)])) as Record<Name, string>;
}

/** Replaces each `{{name}}`. Throws if a placeholder has no value, or if no text uses one of the values. */
export function fill<Name extends string>(texts: Readonly<Record<Name, string>>, values: Values): Record<Name, string> {
  const unused = new Set(Object.keys(values));
  const filled = Object.entries<string>(texts).map(([text, source]) => {
    const result = source.replace(PLACEHOLDER, (found, name: string) => {
      if (found !== `{{${name}}}` || !Object.hasOwn(values, name)) throw new Error(`${text}.md: unknown ${found}`);
      unused.delete(name);
      return String(values[name]);
    });
    return [text, result];
  });
  if (unused.size > 0) throw new Error(`no text uses the placeholder ${[...unused].join(', ')}`);
  return Object.fromEntries(filled) as Record<Name, string>;
}

/**
 * The pattern also matches malformed placeholders (with spaces, or without `}}`), so that `fill` refuses them and they are never
 * served.
 */
const PLACEHOLDER = /\{\{([^{}\n]*)(?:\}\})?/g;

/**
 * Placeholder values from a text like variants.md. A section `## name: SETTING=value` is the value of the placeholder `name`, if
 * the service has this setting.
 */
export function variantsFor(text: string, settings: Readonly<Record<string, string>>): Values {
  const sections = text.split(/^## /m).slice(1);
  const values = sections.flatMap((section) => {
    const [heading = '', ...lines] = section.split('\n');
    const [, name, setting = '', value] = /^(\w+): (\w+)=(\w+)$/.exec(heading) ?? [];
    if (!Object.hasOwn(settings, setting)) throw new Error(`unknown variant: ${heading}`);
    return settings[setting] === value ? [[name, lines.join('\n').trim()]] : [];
  });
  return Object.fromEntries(values);
}
