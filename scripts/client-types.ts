// Writes the types of the client from the OpenAPI document. openapi-typescript needs the JavaScript API of TypeScript 5,
// which TypeScript 7 does not have.
type Schema = {
  readonly $ref?: string;
  readonly const?: unknown;
  readonly enum?: readonly unknown[];
  readonly type?: string | readonly string[];
  readonly description?: string;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: Schema | boolean;
  readonly items?: Schema;
  readonly anyOf?: readonly Schema[];
  readonly oneOf?: readonly Schema[];
  readonly not?: Schema;
};
type Content = { readonly content?: { readonly 'application/json'?: { readonly schema: Schema } } };
type Parameter = {
  readonly name: string;
  readonly in: 'path' | 'query';
  readonly required?: boolean;
  readonly description?: string;
  readonly schema: Schema;
};
type Operation = {
  readonly summary: string;
  readonly parameters?: readonly Parameter[];
  readonly requestBody?: Content & { readonly required?: boolean };
  readonly responses: Readonly<Record<string, Content>>;
};
export type Document = {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: { readonly schemas: Readonly<Record<string, Schema>> };
};

/** One interface per named schema, and `Operations`: what each endpoint takes and answers, by method and path. */
export function clientTypes({ paths, components }: Document): string {
  const named = Object.entries(components.schemas).map(
    ([name, schema]) => `export type ${name} = ${extended(name, schema, components.schemas)};`,
  );
  const operations = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => operationType(`${method.toUpperCase()} ${path}`, operation)),
  );
  return [
    '// Generated from schema/openapi.json by `npm run generate`. Do not edit.\n',
    ...named.map((text) => `${text}\n`),
    `export interface Operations {\n${operations.join('\n')}\n}\n`,
  ].join('\n');
}

/** The type of a named schema. If another one has a part of its fields, it extends the largest such. */
function extended(name: string, schema: Schema, all: Readonly<Record<string, Schema>>): string {
  const fields = Object.entries(schema.properties ?? {});
  const has = ({ properties, required = [] }: Schema): boolean =>
    Object.entries(properties ?? {}).every(
      ([field, type]) =>
        JSON.stringify(schema.properties?.[field]) === JSON.stringify(type) &&
        required.includes(field) === schema.required?.includes(field),
    );
  const sizeOf = ({ properties = {} }: Schema): number => Object.keys(properties).length;
  const [base] = Object.entries(all)
    .filter(([other, one]) => other !== name && sizeOf(one) > 2 && sizeOf(one) < fields.length && has(one))
    .sort(([, a], [, b]) => sizeOf(b) - sizeOf(a));
  if (!base) return typeOf(schema, '');
  const own = fields.filter(([field]) => base[1].properties?.[field] === undefined);
  return `${base[0]} & ${typeOf({ ...schema, properties: Object.fromEntries(own) }, '')}`;
}

function operationType(name: string, { summary, parameters = [], requestBody, responses }: Operation): string {
  const place = (where: Parameter['in']) =>
    objectOf(
      parameters.filter((parameter) => parameter.in === where),
      '    ',
    );
  const success = Object.entries(responses).find(([status]) => status.startsWith('2'))?.[1];
  const body = requestBody?.content?.['application/json']?.schema;
  const lines = [
    ...(parameters.some((parameter) => parameter.in === 'path') ? [`path: ${place('path')};`] : []),
    ...(parameters.some((parameter) => parameter.in === 'query')
      ? [`query${mark(parameters)}: ${place('query')};`]
      : []),
    ...(body ? [`body${requestBody?.required === false ? '?' : ''}: ${typeOf(body, '    ')};`] : []),
    `answer: ${typeOf(success?.content?.['application/json']?.schema ?? {}, '    ')};`,
  ];
  return `${comment(summary, '  ')}  '${name}': {\n${lines.map((line) => `    ${line}\n`).join('')}  };`;
}

/** A query without required parameters may be left out. */
const mark = (parameters: readonly Parameter[]): string =>
  parameters.some((parameter) => parameter.in === 'query' && parameter.required) ? '' : '?';

function objectOf(parameters: readonly Parameter[], indent: string): string {
  return typeOf(
    {
      type: 'object',
      properties: Object.fromEntries(
        parameters.map(({ name, description, schema }) => [name, { ...schema, description }]),
      ),
      required: parameters.filter(({ required }) => required).map(({ name }) => name),
    },
    indent,
  );
}

function typeOf(schema: Schema, indent: string): string {
  const {
    $ref,
    enum: values,
    anyOf,
    oneOf,
    type,
    items,
    properties,
    required = [],
    additionalProperties: rest,
  } = schema;
  if ($ref) return $ref.split('/').at(-1) as string;
  if ('const' in schema) return literal(schema.const);
  if (values) return values.map(literal).join(' | ');
  if (anyOf ?? oneOf) return (anyOf ?? oneOf)?.map((choice) => typeOf(choice, indent)).join(' | ') as string;
  if (schema.not) return 'never';
  if (Array.isArray(type)) return type.map((single) => typeOf({ ...schema, type: single }, indent)).join(' | ');
  if (type === 'array') return `readonly (${typeOf(items ?? {}, indent)})[]`;
  if (type === 'integer') return 'number';
  if (type !== 'object') return String(type ?? 'unknown');
  if (!properties) return `Readonly<Record<string, ${typeof rest === 'object' ? typeOf(rest, indent) : 'unknown'}>>`;
  const inner = `${indent}  `;
  const fields = Object.entries(properties).map(
    ([name, field]) =>
      `${comment(field.description, inner)}${inner}readonly ${name}${required.includes(name) ? '' : '?'}: ${typeOf(field, inner)};\n`,
  );
  return `{\n${fields.join('')}${indent}}`;
}

const literal = (value: unknown): string => (typeof value === 'string' ? `'${value}'` : JSON.stringify(value));
const comment = (text: string | undefined, indent: string): string =>
  text ? `${indent}/** ${text.replaceAll('*/', '*\\/').replaceAll('\n', ' ')} */\n` : '';

/** The table from which the client reads the code of an error: REST answers carry the message only. */
export function clientErrorCodes(table: Readonly<Record<string, readonly [number, string, string]>>): string {
  const rows = Object.entries(table).map(([code, [, message]]) => `  ${code}: ${JSON.stringify(message)},\n`);
  return `// Generated from src/errors.ts by \`npm run generate\`. Do not edit.
/** Messages of the service by code. \`<name>\` stands for a parameter. */
export const messages = {\n${rows.join('')}} as const;\n`;
}
