import { readFileSync } from 'node:fs';

/** Values by the name of their placeholder. They are inserted unchanged: escape a value where it is made. */
export type Values = Readonly<Record<string, string | number>>;

/** Reads the Markdown files of these names, without `.md`, in a folder beside this file. The build copies them to `dist`. */
export function readTexts<Name extends string>(folder: string, names: readonly Name[]): Record<Name, string> {
  const read = (name: Name): string => readFileSync(new URL(`./${folder}/${name}.md`, import.meta.url), 'utf8');
  return Object.fromEntries(names.map((name) => [name, read(name)])) as Record<Name, string>;
}

/** Replaces each `{{name}}`. Throws if a placeholder has no value, or if none of the texts uses a value. */
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

/** The pattern also finds placeholders with spaces or without an end, so that they are refused and not shown. */
const PLACEHOLDER = /\{\{([^{}\n]*)(?:\}\})?/g;

/** Values from the sections of a text. A section `## name: SETTING=value` counts for services with this setting. */
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
