import { Marked } from 'marked';
import { Html, html, joined, page } from '../../http/html.js';
import type { Document, Place } from '../openapi/document.js';
import { operationsByTag, reference, slug } from '../openapi/reference.js';
import type { Chapter } from './chapters.js';

/** Does not turn URLs in the text into links: the hints contain patterns such as https://x.com/{handle}. */
const markdown = new Marked({ tokenizer: { url: () => undefined } });

/** `/docs`: the chapters, then every operation of the OpenAPI document. One page without script. */
export function docsPage(document: Document, place: Place, chapters: readonly Chapter[]): string {
  return page(
    'Documentation',
    html`<p>${document.info.summary} The reference for programs: <a href="/openapi.json">OpenAPI 3.1</a>.</p>
${placeList(place)}
${contents(document, chapters)}
${joined(chapters.map(chapterSection))}
${reference(document)}`,
    html`<style>${STYLE}</style>`,
  ).text;
}

const chapterSection = ({ id, title, text }: Chapter): Html =>
  html`<section id="${id}"><h2>${title}</h2>
${new Html(markdown.parse(text, { async: false }))}</section>`;

function placeList({ url, chainId, contract, rpcUrl }: Place): Html {
  const facts: [string, string | number | undefined][] = [
    ['Service', url],
    ['Chain ID', chainId],
    ['Contract', contract],
    ['RPC', rpcUrl],
  ];
  const given = facts.filter((fact): fact is [string, string | number] => fact[1] !== undefined);
  return html`<dl>${joined(given.map(([name, value]) => html`<dt>${name}</dt><dd><code>${value}</code></dd>`))}</dl>`;
}

/** Links to each chapter and to each operation. */
function contents(document: Document, chapters: readonly Chapter[]): Html {
  const guide = chapters.map(({ id, title }) => html`<li><a href="#${id}">${title}</a></li>`);
  const tags = operationsByTag(document).map(({ name, operations }) => {
    const links = operations.map(
      ({ method, path, operation }) =>
        html`<li><a href="#${operation.operationId}"><code>${method} ${path}</code></a> ${operation.summary}</li>`,
    );
    return html`<details><summary><a href="#${slug(name)}">${name}</a></summary><ul>${joined(links)}</ul></details>`;
  });
  return html`<nav aria-label="Contents"><ol>${joined(guide)}</ol>
<h2>Reference</h2>
${joined(tags)}</nav>`;
}

const STYLE = `body { max-width: 62rem; }
nav ol { columns: 16rem; }
nav ul { list-style: none; padding: 0 0 0 1rem; }
details { border-top: 1px solid; padding: .5rem 0; }
summary { cursor: pointer; }
summary code { font-weight: bold; }
table { border-collapse: collapse; width: 100%; }
th, td { text-align: left; vertical-align: top; padding: .2rem .75rem .2rem 0; }
h4 { margin: 1rem 0 .25rem; }
dt { float: left; clear: left; width: 8rem; }
dd { margin-left: 8rem; }`;
