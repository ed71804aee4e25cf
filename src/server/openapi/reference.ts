import type { JsonSchema } from '../json-schema.js';
import type { Document, DocumentedOperation, Parameter } from './openapi.js';

export type Placed = { readonly method: string; readonly path: string; readonly operation: DocumentedOperation };

/** Tags for operators. They come last, because most readers are agents. */
const LAST = ['Development', 'Operations'];

/** The operations of the document by tag. The functions of this file prepare the OpenAPI document for the texts of /docs. */
export function operationsByTag(document: Document) {
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

/** The fields of a request: path, query, then body. */
export const requestFields = (document: Document, { parameters = [], requestBody }: DocumentedOperation): Parameter[] => [
  ...parameters.map((parameter) => ({ ...parameter, schema: resolved(document, parameter.schema) })),
  ...bodyFields(document, requestBody?.content['application/json'].schema),
];

function bodyFields(document: Document, schema: JsonSchema | undefined): Parameter[] {
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

/** The type of a value in words: the values of an enum or a constant, otherwise the JSON types. */
export function typeText(document: Document, given: JsonSchema): string {
  const schema = resolved(document, given);
  if (Array.isArray(schema.enum)) return schema.enum.join(', ');
  if ('const' in schema) return JSON.stringify(schema.const);
  if (schema.type !== undefined) return [schema.type].flat().join(' or ');
  const kinds = alternatives(schema);
  if (kinds.length === 0) return '';
  const named = kinds.filter(({ type }) => type !== 'null').map((kind) => typeText(document, kind) || 'object');
  return [...new Set(named), ...(named.length < kinds.length ? ['null'] : [])].join(' or ');
}

const alternatives = (schema: JsonSchema): readonly JsonSchema[] => (schema.oneOf ?? schema.anyOf ?? []) as readonly JsonSchema[];

export const failuresOf = ({ components }: Document, operation: DocumentedOperation) =>
  Object.entries(operation['x-errors']).map(([status, codes]) => ({
    status,
    errors: `${codes.map((code) => `${code}: ${components.examples[code]?.summary}`).join('; ')}.`,
  }));
