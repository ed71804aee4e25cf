/** Text that is HTML already. The template tag `markup` inserts it unchanged, and escapes all other values. */
export class Html {
  constructor(readonly text: string) {}
}

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};
type Value = string | number | Html;
const escaped = (value: Value): string =>
  value instanceof Html ? value.text : String(value).replace(/[&<>"']/g, (character) => ENTITIES[character] ?? '');

export const markup = (parts: TemplateStringsArray, ...values: readonly Value[]): Html =>
  new Html(parts.map((part, i) => part + escaped(values[i] ?? '')).join(''));

export const joined = (parts: readonly Html[], between = '\n'): Html => new Html(parts.map(({ text }) => text).join(between));
