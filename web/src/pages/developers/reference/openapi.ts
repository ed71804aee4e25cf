import { hasWords } from './chapters.js';

/** The parts of the OpenAPI document that the reference shows. */
export type OpenApi = {
  readonly tags: readonly { readonly name: string; readonly description: string }[];
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: {
    readonly schemas: Readonly<Record<string, Schema>>;
    readonly examples: Readonly<Record<string, Example & { readonly summary: string }>>;
  };
};

export type Operation = {
  readonly operationId: string;
  readonly tags: readonly string[];
  readonly summary: string;
  readonly description: string;
  readonly security: readonly object[];
  readonly deprecated?: boolean;
  readonly parameters?: readonly Parameter[];
  readonly requestBody?: { readonly content: Readonly<Record<string, { readonly schema: Schema }>> };
  readonly responses: Readonly<Record<string, Answer>>;
  readonly 'x-errors': Readonly<Record<string, readonly string[]>>;
  readonly 'x-codeSamples': readonly Sample[];
};
export type Sample = { readonly lang: string; readonly label: string; readonly source: string };

type Parameter = {
  readonly name: string;
  readonly in: string;
  readonly required?: boolean;
  readonly description?: string;
  readonly schema: Schema;
  readonly example?: unknown;
};

export type Schema = {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly default?: unknown;
  readonly description?: string;
  readonly required?: readonly string[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly items?: Schema;
  readonly oneOf?: readonly Schema[];
  readonly anyOf?: readonly Schema[];
};

type Answer = {
  readonly $ref?: string;
  readonly description?: string;
  readonly content?: Readonly<Record<string, Content>>;
};
type Content = {
  readonly schema?: Schema;
  readonly example?: unknown;
  readonly examples?: Readonly<Record<string, Example>>;
};
type Example = { readonly summary?: string; readonly value?: unknown };

export type Endpoint = { readonly method: string; readonly path: string; readonly operation: Operation };
export type Group = { readonly name: string; readonly description: string; readonly endpoints: readonly Endpoint[] };

/** All endpoints, grouped by tag. */
export function groupsOf({ tags, paths }: OpenApi): readonly Group[] {
  const all = Object.entries(paths).flatMap(([path, item]) =>
    Object.entries(item).map(([method, operation]) => ({ method: method.toUpperCase(), path, operation })),
  );
  return tags.map(({ name, description }) => ({
    name,
    description,
    endpoints: all.filter(({ operation }) => operation.tags.includes(name)),
  }));
}

/** Whether the texts of an endpoint, such as its path, summary, description and parameters, contain all words of the search. */
export function isFound({ method, path, operation }: Endpoint, search: string): boolean {
  const { operationId, summary, description, tags, parameters = [] } = operation;
  const names = parameters.map(({ name }) => name);
  return hasWords([method, path, operationId, summary, description, ...tags, ...names].join(' '), search);
}

/** Whether the request box offers the operation: a GET that works without a key. An empty object in `security` means it. */
export const isOpen = ({ method, operation: { security } }: Endpoint): boolean =>
  method === 'GET' && (security.length === 0 || security.some((one) => Object.keys(one).length === 0));

/**
 * A path that the reader can try. Its parameters have the example values of the document; those that name an agent have `wallet`,
 * the address of an agent that exists.
 */
export function exampleOf({ path, operation: { parameters = [] } }: Endpoint, wallet: string): string {
  const value = ({ name, schema, example }: Parameter): string =>
    /^(address|agent|agentId)$/.test(name) ? wallet : String(example ?? schema.default ?? schema.enum?.[0] ?? name);
  const filled = path.replace(/\{(\w+)\}/g, (_, name: string) => {
    const parameter = parameters.find((one) => one.in === 'path' && one.name === name);
    return encodeURIComponent(parameter ? value(parameter) : name);
  });
  const search = new URLSearchParams();
  for (const one of parameters) if (one.in === 'query' && one.required) search.set(one.name, value(one));
  return search.size === 0 ? filled : `${filled}?${search}`;
}

export type Field = {
  readonly name: string;
  readonly where: string;
  readonly isRequired: boolean;
  readonly type: string;
  readonly description: string;
};

/** The fields of a request: the parameters of path and query, then the properties of the body. */
export function requestFields(document: OpenApi, { parameters = [], requestBody }: Operation): readonly Field[] {
  const body = resolved(document, requestBody?.content['application/json']?.schema ?? {});
  return [
    ...parameters.map(({ name, in: where, required = false, description = '', schema }) => ({
      name,
      where,
      isRequired: required,
      description: schema.default === undefined ? description : `${description} Default: ${schema.default}.`,
      type: typeOf(document, schema),
    })),
    ...Object.entries(body.properties ?? {}).map(([name, schema]) => ({
      name,
      where: 'body',
      isRequired: body.required?.includes(name) ?? false,
      description: schema.description ?? '',
      type: typeOf(document, schema),
    })),
  ];
}

const nameIn = ($ref: string): string => $ref.split('/').at(-1) ?? '';

/** A schema with its reference replaced by the schema of that name. */
const resolved = ({ components }: OpenApi, schema: Schema): Schema =>
  schema.$ref === undefined ? schema : { ...components.schemas[nameIn(schema.$ref)], ...schema, $ref: undefined };

/** The type of a schema in words, such as `string or null`. For an enum, its values. */
function typeOf(document: OpenApi, given: Schema): string {
  const schema = resolved(document, given);
  if (schema.enum) return schema.enum.join(', ');
  if ('const' in schema) return JSON.stringify(schema.const);
  if (schema.type !== undefined) return [schema.type].flat().join(' or ');
  const kinds = (schema.oneOf ?? schema.anyOf ?? []).map((one) => typeOf(document, one) || 'object');
  return [...new Set(kinds)].join(' or ');
}

/** The answer to a successful request: its status, its examples, and its fields, each with its path in the answer. */
export function successOf(document: OpenApi, { responses }: Operation) {
  const [status = '', given] = Object.entries(responses).find(([code]) => code.startsWith('2')) ?? [];
  const content = given?.content?.['application/json'];
  const named: readonly Example[] = Object.values(content?.examples ?? {}).filter((one) => 'value' in one);
  const examples = content?.example === undefined ? named : [{ value: content.example }];
  return { status, examples, fields: answerFields(document, content?.schema ?? {}) };
}

/** The statuses of failed requests, each with the codes and summaries of its errors in one text. */
export const failuresOf = ({ components }: OpenApi, operation: Operation): readonly (readonly [string, string])[] =>
  Object.entries(operation['x-errors']).map(([status, codes]) => [
    status,
    `${codes.map((code) => `${code}: ${components.examples[code]?.summary}`).join('; ')}.`,
  ]);

/** Number of levels of nested objects whose fields are listed. Without a limit, a schema that contains itself would never end. */
const MAX_DEPTH = 6;

/** All fields of an answer. A field of a nested object has a path such as `agent.name`, of a list item `holders[].name`. */
function answerFields(document: OpenApi, schema: Schema): readonly Omit<Field, 'where' | 'isRequired'>[] {
  const fields = new Map<string, Omit<Field, 'where' | 'isRequired'>>();
  const walk = (given: Schema, path: string, depth: number): void => {
    const here = resolved(document, given);
    if (depth > MAX_DEPTH) return;
    for (const [name, property] of Object.entries(here.properties ?? {})) {
      const field = resolved(document, property);
      const full = path === '' ? name : `${path}.${name}`;
      if (!fields.has(full)) {
        fields.set(full, { name: full, type: typeOf(document, property), description: field.description ?? '' });
      }
      walk(field, full, depth + 1);
    }
    if (here.items) walk(here.items, `${path}[]`, depth + 1);
    for (const one of [...(here.oneOf ?? []), ...(here.anyOf ?? [])]) walk(one, path, depth + 1);
  };
  walk(schema, '', 0);
  return [...fields.values()];
}
