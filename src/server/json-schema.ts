/** A schema in JSON Schema 2020-12, the dialect of OpenAPI 3.1 and of MCP. */
export type JsonSchema = {
  readonly type?: string | readonly string[];
  readonly description?: string;
  readonly deprecated?: boolean;
  readonly properties?: Readonly<Record<string, JsonSchema>>;
  readonly required?: readonly string[];
  readonly [keyword: string]: unknown;
};

type Mutable = { -readonly [K in keyof JsonSchema]: JsonSchema[K] };

/**
 * The option `override` of `z.toJSONSchema`. Uses the `expected` text of a field as its description if it has none, and removes
 * metadata that only the service reads. Objects allow more properties, so that a client with an older schema accepts an answer with
 * a new field.
 */
export function adaptSchema({ zodSchema, jsonSchema }: { zodSchema: unknown; jsonSchema: object }): void {
  const schema = jsonSchema as Mutable;
  const { code, expected, walletOf, graphql, view, ...rest } = schema as Mutable & { expected?: string };
  for (const key of Object.keys(schema)) delete schema[key];
  Object.assign(schema, rest);
  if (expected !== undefined && expected !== 'a string') schema.description ??= `${expected[0]?.toUpperCase()}${expected.slice(1)}`;
  if (schema.additionalProperties === false) delete schema.additionalProperties;
  // zod adds these bounds to every integer that declares no bounds.
  if (schema.minimum === Number.MIN_SAFE_INTEGER) delete schema.minimum;
  if (schema.maximum === Number.MAX_SAFE_INTEGER) delete schema.maximum;
  const { def } = (zodSchema as { _zod: { def: { type: string; defaultValue?: unknown } } })._zod;
  if (def.type === 'default') schema.default = def.defaultValue;
}
