import { type Html, html, joined } from '../../http/html.js';
import type { JsonSchema } from '../../json-schema.js';
import type { Answer, Document, Operation } from './document.js';
import { answerOf } from './shared.js';

export type Placed = { readonly method: string; readonly path: string; readonly operation: Operation };
type Tagged = { readonly name: string; readonly description: string; readonly operations: readonly Placed[] };

/** Operators' tags come last: most readers are agents. */
const LAST = ['Development', 'Operations'];

/** Groups the operations of the document by tag. */
export function operationsByTag(document: Document): Tagged[] {
  const all = Object.entries(document.paths).flatMap(([path, item]) =>
    Object.entries(item).map(([method, operation]) => ({ method: method.toUpperCase(), path, operation })),
  );
  const tags = document.tags.map(({ name, description }) => ({
    name,
    description,
    operations: all.filter(({ operation }) => operation.tags.includes(name)),
  }));
  return tags.sort((a, b) => LAST.indexOf(a.name) - LAST.indexOf(b.name));
}

/** Renders every operation of the OpenAPI document as HTML, grouped by tag. */
export function reference(document: Document): Html {
  const sections = operationsByTag(document).map(
    ({ name, description, operations }) =>
      html`<section id="${slug(name)}"><h2>${name}</h2><p>${description}.</p>
${joined(operations.map((placed) => operationPart(document, placed)))}</section>`,
  );
  return joined(sections);
}

export const slug = (name: string): string => name.toLowerCase().replaceAll(' ', '-');

function operationPart(document: Document, { method, path, operation }: Placed): Html {
  const { operationId, summary, description, responses, security, deprecated } = operation;
  const [status, given] = Object.entries(responses).find(([code]) => code.startsWith('2')) ?? [];
  const content = given && answerOf(document, given).content?.['application/json'];
  const key = security.length === 0 ? '' : security.length === 1 ? 'Needs a key.' : 'Takes a key.';
  const rows = requestFields(document, operation).map(
    ({ name, in: where, required, description: text, schema }) =>
      html`<tr><td><code>${name}</code></td><td>${where}${required ? ', required' : ''}</td><td>${typeOf(document, schema)}</td>
<td>${text ?? ''}${schema.default === undefined ? '' : ` Default: ${String(schema.default)}.`}</td></tr>`,
  );
  // A browser opens a closed <details> element when a link targets an id inside it.
  return html`<details>
<summary><code>${method} ${path}</code> ${summary}${deprecated ? ' (retired)' : ''}</summary>
<div id="${operationId}"></div>
${prose(`${description} ${key}`)}
${rows.length > 0 ? html`<h4>Request</h4><table>${joined(rows)}</table>` : html``}
<pre>${operation['x-codeSamples'][0].source}</pre>
<h4>Answer ${status ?? ''}</h4>
${joined(answerExamples(content))}
<table>${joined(answerRows(document, content?.schema ?? {}))}</table>
<h4>Failures</h4>
<table>${joined(failuresOf(document, responses).map(failureRow))}</table>
</details>`;
}

type AnswerContent = NonNullable<Answer['content']>['application/json'];

function answerExamples(content: AnswerContent | undefined): Html[] {
  const shown = (value: object): Html => html`<pre>${JSON.stringify(value, null, 2)}</pre>`;
  const named = Object.values(content?.examples ?? {}).flatMap((one) => ('value' in one ? [one] : []));
  if (named.length === 0) return [shown(content?.example ?? {})];
  return named.map(({ summary, value }) => html`<p>${summary}:</p>${shown(value)}`);
}

/** Renders paragraphs, and code between backticks. */
function prose(text: string): Html {
  const inline = (part: string, i: number): Html => (i % 2 === 1 ? html`<code>${part}</code>` : html`${part}`);
  return joined(text.split('\n\n').map((paragraph) => html`<p>${joined(paragraph.split('`').map(inline), '')}</p>`));
}

type Field = NonNullable<Operation['parameters']>[number];

/** The fields of a request: path, query, then body. */
export const requestFields = (document: Document, { parameters = [], requestBody }: Operation): Field[] => [
  ...parameters.map((parameter) => ({ ...parameter, schema: resolved(document, parameter.schema) })),
  ...bodyFields(document, requestBody?.content['application/json'].schema),
];

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

export function typeOf(document: Document, given: JsonSchema): string {
  const schema = resolved(document, given);
  if (Array.isArray(schema.enum)) return schema.enum.join(', ');
  if ('const' in schema) return JSON.stringify(schema.const);
  if (schema.type !== undefined) return [schema.type].flat().join(' or ');
  const kinds = alternatives(schema);
  if (kinds.length === 0) return '';
  const named = kinds.filter(({ type }) => type !== 'null').map((kind) => typeOf(document, kind) || 'object');
  return [...new Set(named), ...(named.length < kinds.length ? ['null'] : [])].join(' or ');
}

const alternatives = (schema: JsonSchema): readonly JsonSchema[] =>
  (schema.oneOf ?? schema.anyOf ?? []) as readonly JsonSchema[];

/** Every field of an answer with its path. A field of several alternatives is listed once. */
function answerRows(document: Document, schema: JsonSchema): Html[] {
  const seen = new Map<string, JsonSchema>();
  const walk = (given: JsonSchema, path: string): void => {
    const here = resolved(document, given);
    for (const [name, field] of Object.entries(here.properties ?? {})) {
      const fullPath = path === '' ? name : `${path}.${name}`;
      const first = seen.get(fullPath);
      if (first === undefined) seen.set(fullPath, { ...resolved(document, field), ...field });
      walk(field, fullPath);
    }
    for (const alternative of alternatives(here)) walk(alternative, path);
    if (here.items !== undefined) walk(here.items as JsonSchema, `${path}[]`);
  };
  walk(schema, '');
  return [...seen].map(
    ([path, field]) =>
      html`<tr><td><code>${path}</code></td><td>${typeOf(document, field)}</td><td>${field.description ?? ''}</td></tr>`,
  );
}

type Failure = { readonly status: string; readonly error: string; readonly hint: string };

export function failuresOf(document: Document, responses: Operation['responses']): Failure[] {
  return Object.entries(responses)
    .filter(([status]) => !status.startsWith('2'))
    .flatMap(([status, answer]) =>
      Object.entries(answerOf(document, answer).content?.['application/json'].examples ?? {}).map(([code, given]) => {
        const example = '$ref' in given ? document.components.examples[code] : given;
        const { error, hint } = example?.value ?? {};
        return { status, error: String(error), hint: String(hint) };
      }),
    );
}

const failureRow = ({ status, error, hint }: Failure): Html =>
  html`<tr><td>${status}</td><td>${error}</td><td>${hint}</td></tr>`;
