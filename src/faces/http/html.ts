/** Text that is HTML already. The template escapes every other value. */
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

export const html = (parts: TemplateStringsArray, ...values: readonly Value[]): Html =>
  new Html(parts.map((part, i) => part + escaped(values[i] ?? '')).join(''));

export const joined = (parts: readonly Html[], between = '\n'): Html =>
  new Html(parts.map(({ text }) => text).join(between));

/** A page of the service. It has no script and loads nothing from other origins, as its content security policy demands. */
export function page(title: string, content: Html, head: Html = html``): Html {
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title} - Curvet</title>
<style>
body { margin: 3rem auto; max-width: 40rem; padding: 0 1rem; font: 1rem/1.5 system-ui, sans-serif; color-scheme: light dark; }
pre { padding: .75rem; border: 1px solid; white-space: pre-wrap; overflow-wrap: anywhere; }
code { overflow-wrap: anywhere; }
</style>
${head}
</head>
<body>
<main>
<h1>${title}</h1>
${content}
</main>
</body>
</html>
`;
}
