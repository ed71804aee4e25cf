// Generates the types of the client from the OpenAPI document. The package openapi-typescript cannot be used: it needs the
// JavaScript API of TypeScript 5, which TypeScript 7 does not have.
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
  const types = new Types(components.schemas);
  const named = Object.entries(components.schemas).map(([name, schema]) => `export type ${name} = ${types.of(schema, '', name)};`);
  const operations = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => types.operation(`${method.toUpperCase()} ${path}`, operation)),
  );
  return [
    '// Generated from schema/openapi.json by `npm run generate`. Do not edit.\n',
    ...named.map((text) => `${text}\n`),
    `export interface Operations {\n${operations.join('\n')}\n}\n`,
  ].join('\n');
}

/** A type extends a named schema only if that schema has more fields than this. Fewer fields may be equal by chance. */
const MIN_BASE = 2;

class Types {
  constructor(private readonly named: Readonly<Record<string, Schema>>) {}

  operation(name: string, { summary, parameters = [], requestBody, responses }: Operation): string {
    const place = (where: Parameter['in']) => this.#parameters(parameters.filter((parameter) => parameter.in === where));
    const success = Object.entries(responses).find(([status]) => status.startsWith('2'))?.[1];
    const body = requestBody?.content?.['application/json']?.schema;
    const lines = [
      ...(parameters.some((parameter) => parameter.in === 'path') ? [`path: ${place('path')};`] : []),
      ...(parameters.some((parameter) => parameter.in === 'query') ? [`query${mark(parameters)}: ${place('query')};`] : []),
      ...(body ? [`body${requestBody?.required === false ? '?' : ''}: ${this.of(body, '    ')};`] : []),
      `answer: ${this.of(success?.content?.['application/json']?.schema ?? {}, '    ')};`,
    ];
    return `${comment(summary, '  ')}  '${name}': {\n${lines.map((line) => `    ${line}\n`).join('')}  };`;
  }

  #parameters(parameters: readonly Parameter[]): string {
    const properties = Object.fromEntries(
      parameters.map(({ name, description, schema }) => [name, { ...schema, description }] as [string, Schema]),
    );
    const required = parameters.filter((parameter) => parameter.required).map(({ name }) => name);
    return this.of({ type: 'object', properties, required }, '    ');
  }

  /** The TypeScript type of a schema. `name` is the name of the schema itself, if it has one. */
  of(schema: Schema, indent: string, name?: string): string {
    const { $ref, enum: values, anyOf, oneOf, type, items, properties, additionalProperties: rest } = schema;
    if ($ref) return $ref.split('/').at(-1) as string;
    if ('const' in schema) return literal(schema.const);
    if (values) return values.map(literal).join(' | ');
    if (anyOf ?? oneOf) return (anyOf ?? oneOf)?.map((choice) => this.of(choice, indent)).join(' | ') as string;
    if (schema.not) return 'never';
    if (Array.isArray(type)) return type.map((single) => this.of({ ...schema, type: single }, indent)).join(' | ');
    if (type === 'array') return `readonly (${this.of(items ?? {}, indent)})[]`;
    if (type === 'integer') return 'number';
    if (type !== 'object') return String(type ?? 'unknown');
    if (!properties) return `Readonly<Record<string, ${typeof rest === 'object' ? this.of(rest, indent) : 'unknown'}>>`;
    return this.#object(schema, indent, name);
  }

  /**
   * The type of an object. If the object has all fields of a named schema in a row and in the same order, its type
   * extends that of the named schema.
   */
  #object(schema: Schema, indent: string, name: string | undefined): string {
    const fields = Object.entries(schema.properties ?? {});
    const [base] = Object.entries(this.named)
      .map(([other, one]) => ({ other, size: Object.keys(one.properties ?? {}).length, start: startOf(one, schema) }))
      .filter(({ other, size, start }) => other !== name && start >= 0 && size > MIN_BASE)
      // A named schema does not become an alias of another schema that has the same fields.
      .filter(({ size }) => name === undefined || size < fields.length)
      .sort((a, b) => b.size - a.size);
    if (base === undefined) return this.#fields(schema, fields, indent);
    const parts = [fields.slice(0, base.start), fields.slice(base.start + base.size)].map((part) =>
      part.length === 0 ? [] : [this.#fields(schema, part, indent)],
    );
    return [...(parts[0] ?? []), base.other, ...(parts[1] ?? [])].join(' & ');
  }

  #fields({ required = [] }: Schema, fields: readonly (readonly [string, Schema])[], indent: string): string {
    const inner = `${indent}  `;
    const lines = fields.map(
      ([name, field]) =>
        `${comment(field.description, inner)}${inner}readonly ${name}${required.includes(name) ? '' : '?'}: ${this.of(field, inner)};\n`,
    );
    return `{\n${lines.join('')}${indent}}`;
  }
}

/** Position in `schema` at which the fields of `base` begin. -1 if they are not there, or are not together. */
function startOf(base: Schema, schema: Schema): number {
  const [wanted, fields] = [Object.entries(base.properties ?? {}), Object.entries(schema.properties ?? {})];
  const start = fields.findIndex(([name]) => name === wanted[0]?.[0]);
  const isSame = ([name, type]: readonly [string, Schema], i: number) =>
    fields[start + i]?.[0] === name &&
    JSON.stringify(fields[start + i]?.[1]) === JSON.stringify(type) &&
    base.required?.includes(name) === schema.required?.includes(name);
  return wanted.length > 0 && start >= 0 && wanted.every(isSame) ? start : -1;
}

/** `?` if all parameters of the query are optional, so that callers may leave the whole query out. */
const mark = (parameters: readonly Parameter[]): string =>
  parameters.some((parameter) => parameter.in === 'query' && parameter.required) ? '' : '?';

const literal = (value: unknown): string => (typeof value === 'string' ? `'${value}'` : JSON.stringify(value));
const comment = (text: string | undefined, indent: string): string =>
  text ? `${indent}/** ${text.replaceAll('*/', '*\\/').replaceAll('\n', ' ')} */\n` : '';

/** Source text of the client's error codes, with the messages by which it recognizes the errors of services that send no codes. */
export function clientErrorCodes(table: Readonly<Record<string, readonly [number, string, string]>>): string {
  const rows = Object.entries(table).map(([code, [, message]]) => `  ${code}: ${JSON.stringify(message)},\n`);
  return `// Generated from src/errors/errors.ts by \`npm run generate\`. Do not edit.
/** Messages of the service by code. \`<name>\` stands for a parameter. */
export const messages = {\n${rows.join('')}} as const;\n`;
}
