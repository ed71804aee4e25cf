import { z } from 'zod';

/** Converts zod schemas to JSON Schema 2020-12 (the dialect of OpenAPI 3.1), in their wire form. */
export type JsonSchema = {
  readonly type?: string | readonly string[];
  readonly description?: string;
  readonly properties?: Readonly<Record<string, JsonSchema>>;
  readonly required?: readonly string[];
  readonly [keyword: string]: unknown;
};

/** Schemas with an id become components of the document. Others are inlined. */
export class Schemas {
  readonly components: Record<string, JsonSchema> = {};

  request(schema: z.ZodObject): JsonSchema {
    return this.#convert(schema, 'input');
  }

  answer(schema: z.ZodObject): JsonSchema {
    return this.#convert(schema, 'output');
  }

  #convert(schema: z.ZodObject, io: 'input' | 'output'): JsonSchema {
    const json = z.toJSONSchema(schema, {
      io,
      override: ({ zodSchema, jsonSchema }) => adapt(zodSchema, jsonSchema as Mutable),
    });
    const { $schema, $defs = {}, ...rest } = JSON.parse(JSON.stringify(json).replaceAll('#/$defs/', COMPONENTS));
    for (const [name, { id, ...shape }] of Object.entries($defs as Record<string, JsonSchema>)) {
      this.components[name] = shape;
    }
    return rest;
  }
}

const COMPONENTS = '#/components/schemas/';

type Mutable = { -readonly [K in keyof JsonSchema]: JsonSchema[K] };

/** Applies the `wire` and `expected` texts of a field, see fields.ts. */
function adapt(zodSchema: unknown, schema: Mutable): void {
  const { code, expected, wire, ...rest } = schema as Mutable & { expected?: string; wire?: Mutable };
  for (const key of Object.keys(schema)) delete schema[key];
  Object.assign(schema, rest);
  if (wire !== undefined) {
    // A number in a query string is text on the wire. The document describes the number.
    delete schema.pattern;
    Object.assign(schema, wire);
  }
  if (expected !== undefined && expected !== 'a string')
    schema.description ??= `${expected[0]?.toUpperCase()}${expected.slice(1)}`;
  if (schema.minimum === Number.MIN_SAFE_INTEGER) delete schema.minimum;
  if (schema.maximum === Number.MAX_SAFE_INTEGER) delete schema.maximum;
  const { def } = (zodSchema as { _zod: { def: { type: string; defaultValue?: unknown } } })._zod;
  if (def.type === 'default') schema.default = def.defaultValue;
}
