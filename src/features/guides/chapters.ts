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

/**
 * Makes the chapters from texts whose placeholders are filled in. The first line of a text is the title of the chapter.
 */
export const chaptersOf = (texts: Readonly<Record<(typeof chapterIds)[number], string>>): readonly Chapter[] =>
  chapterIds.map((id) => {
    const [heading = '', ...lines] = texts[id].split('\n');
    return { id, title: heading.replace(/^# /, ''), text: lines.join('\n') };
  });
