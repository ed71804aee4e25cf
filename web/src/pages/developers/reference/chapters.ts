export type Chapter = { readonly id: string; readonly title: string; readonly text: string };

/** The chapters of the documentation in Markdown: its sections whose headings name an id, such as `## Errors {#errors}`. */
export const chaptersOf = (markdown: string): readonly Chapter[] =>
  markdown.split(/^(?=## )/m).flatMap((section) => {
    const [, title = '', id, text = ''] = /^## (.*) \{#([\w-]+)\}\n([\s\S]*)$/.exec(section) ?? [];
    return id === undefined ? [] : [{ id, title, text }];
  });

/** Whether a text contains all words of the search, in any order and ignoring case. */
export const hasWords = (text: string, search: string): boolean =>
  search
    .toLowerCase()
    .split(/\s+/)
    .every((word) => text.toLowerCase().includes(word));
