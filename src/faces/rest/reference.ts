import { registrationMessage } from '../../core/agents/signature.js';
import { type Html, html, joined, page } from '../html.js';
import type { Document, Operation, Place } from './document.js';
import type { JsonSchema } from './jsonschema.js';

/** The reference for people: the OpenAPI document as one page, without script. */
export function referencePage(document: Document, place: Place): string {
  const operations = Object.entries(document.paths).flatMap(([path, item]) =>
    Object.entries(item).map(([method, operation]) => ({ method: method.toUpperCase(), path, operation })),
  );
  const sections = document.tags.map(({ name, description }) => {
    const own = operations.filter(({ operation }) => operation.tags.includes(name));
    return html`<section id="${slug(name)}"><h2>${name}</h2><p>${description}.</p>
${joined(own.map(({ method, path, operation }) => operationPart(document, place, method, path, operation)))}</section>`;
  });
  const contents = document.tags.map(({ name }) => html`<li><a href="#${slug(name)}">${name}</a></li>`);
  return page(
    'Reference',
    html`<p>${document.info.summary} The same for programs: <a href="/openapi.json">OpenAPI 3.1</a>.</p>
${placePart(place)}
<nav><ul>${joined(contents)}</ul></nav>
${joined(sections)}
<section id="signed"><h2>Signed registration</h2>${signingPart(place)}</section>`,
    html`<style>${STYLE}</style>`,
  ).text;
}

const STYLE = `body { max-width: 62rem; }
nav ul { display: flex; flex-wrap: wrap; gap: .25rem 1.25rem; padding: 0; list-style: none; }
details { border-top: 1px solid; padding: .5rem 0; }
summary { cursor: pointer; }
summary code { font-weight: bold; }
table { border-collapse: collapse; width: 100%; }
th, td { text-align: left; vertical-align: top; padding: .2rem .75rem .2rem 0; }
h4 { margin: 1rem 0 .25rem; }
dt { float: left; clear: left; width: 8rem; }
dd { margin-left: 8rem; }`;

const slug = (name: string): string => name.toLowerCase().replaceAll(' ', '-');

function placePart({ url, chainId, contract, rpcUrl }: Place): Html {
  const facts: [string, string | number | undefined][] = [
    ['Service', url],
    ['Chain ID', chainId],
    ['Contract', contract],
    ['RPC', rpcUrl],
  ];
  const known = facts.filter((fact): fact is [string, string | number] => fact[1] !== undefined);
  return html`<dl>${joined(known.map(([name, value]) => html`<dt>${name}</dt><dd><code>${value}</code></dd>`))}</dl>`;
}

function signingPart({ url, chainId }: Place): Html {
  const message = registrationMessage({
    service: url,
    chainId,
    wallet: '0x70997970c51812dc3a010c7d01b50e0d17dc79c8',
    time: new Date(Date.UTC(2026, 0, 15, 12)),
  });
  return html`<p>To prove that a wallet is its own, an agent signs this text with it (EIP-191, <code>personal_sign</code>) and
sends <code>signature</code> and <code>signedAt</code> with <code>POST /api/agents</code>: five lines, no line break at the
end, the wallet in lower case, the time in ISO 8601, UTC, with milliseconds. It is valid for 10 minutes. A signed
registration replaces one that somebody else made without.</p>
<pre>${message}</pre>`;
}

function operationPart(document: Document, place: Place, method: string, path: string, operation: Operation): Html {
  const {
    operationId,
    summary,
    description,
    parameters = [],
    requestBody,
    responses,
    security,
    deprecated,
  } = operation;
  const [status, answer] = Object.entries(responses).find(([code]) => code.startsWith('2')) ?? [];
  const content = answer?.content?.['application/json'];
  const fields = [
    ...parameters.map((parameter) => ({ ...parameter, schema: resolved(document, parameter.schema) })),
    ...bodyFields(document, requestBody?.content['application/json'].schema),
  ];
  const key = security.length === 0 ? '' : security.length === 1 ? 'Needs a key.' : 'Takes a key.';
  const rows = fields.map(
    ({ name, in: where, required, description: text, schema }) =>
      html`<tr><td><code>${name}</code></td><td>${where}${required ? ', required' : ''}</td><td>${typeOf(schema)}</td>
<td>${text ?? ''}${schema.default === undefined ? '' : ` Default: ${String(schema.default)}.`}</td></tr>`,
  );
  return html`<details id="${operationId}">
<summary><code>${method} ${path}</code> ${summary}${deprecated ? ' (retired)' : ''}</summary>
${prose(`${description} ${key}`)}
${rows.length > 0 ? html`<h4>Request</h4><table>${joined(rows)}</table>` : html``}
<pre>${curl(place, method, path, operation)}</pre>
<h4>Answer ${status ?? ''}</h4>
<pre>${JSON.stringify(content?.example ?? {}, null, 2)}</pre>
<table>${joined(answerRows(document, content?.schema ?? {}))}</table>
<h4>Failures</h4>
<table>${joined(failureRows(document, responses))}</table>
</details>`;
}

/** Paragraphs, and code between backticks. */
function prose(text: string): Html {
  const inline = (part: string, i: number): Html => (i % 2 === 1 ? html`<code>${part}</code>` : html`${part}`);
  return joined(text.split('\n\n').map((paragraph) => html`<p>${joined(paragraph.split('`').map(inline), '')}</p>`));
}

type Field = NonNullable<Operation['parameters']>[number];

function bodyFields(document: Document, schema: JsonSchema | undefined): Field[] {
  return Object.entries(schema?.properties ?? {}).map(([name, field]) => ({
    name,
    in: 'body',
    required: schema?.required?.includes(name) ?? false,
    description: field.description,
    schema: resolved(document, field),
  }));
}

const resolved = (document: Document, schema: JsonSchema): JsonSchema =>
  typeof schema.$ref === 'string' ? (document.components.schemas[schema.$ref.split('/').at(-1) ?? ''] ?? {}) : schema;

function typeOf(schema: JsonSchema): string {
  if (Array.isArray(schema.enum)) return schema.enum.join(', ');
  if ('const' in schema) return JSON.stringify(schema.const);
  if (schema.type !== undefined) return [schema.type].flat().join(' or ');
  return alternatives(schema).length > 0 ? 'object' : '';
}

const alternatives = (schema: JsonSchema): readonly JsonSchema[] =>
  (schema.oneOf ?? schema.anyOf ?? []) as readonly JsonSchema[];

/** Every field of an answer by its path, those of alternatives once. */
function answerRows(document: Document, schema: JsonSchema): Html[] {
  const seen = new Map<string, JsonSchema>();
  const walk = (given: JsonSchema, path: string): void => {
    const here = resolved(document, given);
    for (const [name, field] of Object.entries(here.properties ?? {})) {
      const own = path === '' ? name : `${path}.${name}`;
      const first = seen.get(own);
      if (first === undefined) seen.set(own, { ...resolved(document, field), ...field });
      walk(field, own);
    }
    for (const one of alternatives(here)) walk(one, path);
    if (here.items !== undefined) walk(here.items as JsonSchema, `${path}[]`);
  };
  walk(schema, '');
  return [...seen].map(
    ([path, field]) =>
      html`<tr><td><code>${path}</code></td><td>${typeOf(field)}</td><td>${field.description ?? ''}</td></tr>`,
  );
}

function failureRows(document: Document, responses: Operation['responses']): Html[] {
  return Object.entries(responses)
    .filter(([status]) => !status.startsWith('2'))
    .flatMap(([status, { content }]) =>
      Object.entries(content?.['application/json'].examples ?? {}).map(([code, given]) => {
        const example = '$ref' in given ? document.components.examples[code] : given;
        const { error, hint } = example?.value ?? {};
        return html`<tr><td>${status}</td><td>${String(error)}</td><td>${String(hint)}</td></tr>`;
      }),
    );
}

/** The example as one command. */
function curl(
  { url }: Place,
  method: string,
  path: string,
  { parameters = [], requestBody, security }: Operation,
): string {
  const given = (where: string) => parameters.filter((field) => field.in === where && field.example !== undefined);
  const filled = given('path').reduce((text, { name, example }) => text.replace(`{${name}}`, String(example)), path);
  const query = String(new URLSearchParams(Object.fromEntries(given('query').map((f) => [f.name, String(f.example)]))));
  const body = requestBody?.content['application/json'].example;
  return [
    `curl${method === 'GET' ? '' : ` -X ${method}`} '${url}${filled}${query === '' ? '' : `?${query}`}'`,
    ...(security.some((scheme) => 'apiKey' in scheme) ? [`-H "x-api-key: $KEY"`] : []),
    ...(body === undefined
      ? []
      : ["-H 'Content-Type: application/json'", `-d '${JSON.stringify(body).replaceAll("'", "'\\''")}'`]),
  ].join(' \\\n  ');
}
