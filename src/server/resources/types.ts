import { z } from 'zod';
import { ethNumber, formatEth, type Wei } from '../../values/money.js';
import { isoTime } from '../../values/time.js';

/** An enum. `values` maps the name of each value in GraphQL to the value in REST and in the database. */
export type Enumeration<Value extends string = string> = {
  readonly name: string;
  readonly description: string;
  readonly values: Readonly<Record<string, Value>>;
  /** What each value means, by its name in GraphQL. */
  readonly meanings: Readonly<Record<string, string>>;
  /** Schema of a value in REST. Its name in the OpenAPI document is that of the enum. */
  readonly schema: EnumSchema<Value>;
};
type EnumSchema<Value extends string> = z.ZodEnum<{ [K in Value]: K }>;

export const enumeration = <const Value extends string>(
  name: string,
  description: string,
  members: Readonly<Record<string, readonly [value: Value, meaning: string]>>,
): Enumeration<Value> => {
  const entries = Object.entries(members);
  const values = Object.fromEntries(entries.map(([key, [value]]) => [key, value]));
  const meanings = Object.fromEntries(entries.map(([key, [, meaning]]) => [key, meaning]));
  const schema = z.enum(Object.values(values)).meta({ id: name });
  return { name, description, values, meanings, schema: schema as unknown as EnumSchema<Value> };
};

export type ResourceType = {
  readonly name: string;
  readonly fields: object;
  /** The class that wraps a row in GraphQL. */
  readonly Node: new (
    row: never,
  ) => object;
  /** Only if the type is an interface: returns the object type of a row. */
  readonly objectOf?: (row: never) => ResourceType;
};

export type GraphqlType = {
  readonly of: ScalarName | Enumeration | ResourceType;
  readonly list?: boolean;
  readonly nullable?: boolean;
};
export type ScalarName =
  | 'Address'
  | 'AgentRef'
  | 'Boolean'
  | 'DateTime'
  | 'Eth'
  | 'Float'
  | 'Hash'
  | 'ID'
  | 'Int'
  | 'JSONObject'
  | 'String'
  | 'Wei';

/** Type of a field. Converts a value to its forms in REST and in GraphQL. */
export type FieldType<Value, Schema extends z.ZodType = z.ZodType> = {
  readonly schema: Schema;
  readonly toRest: (value: Value) => unknown;
  readonly graphql: GraphqlType;
  /** Converts the value to what the GraphQL scalar serializes or, for an object type, to a row of that type. */
  readonly toGraphql: (value: Value) => unknown;
  /** Default value of the field in examples of the OpenAPI document. */
  readonly example: unknown;
} & ValueNotes;

/** What `mcp/schemas.ts` must know about a value. */
export type ValueNotes = {
  /** The value is an amount of ether, which REST shows in this unit. */
  readonly unit?: 'wei' | 'eth';
  /** An agent or somebody else outside the service wrote the text, so a model must not follow instructions in it. */
  readonly untrusted?: true;
  /** The view of an object, or of each object of a list. */
  readonly view?: object;
};

/** Identity function for types whose values need no conversion. */
export const unchanged = <Value>(value: Value): Value => value;
/** Declares a type. The compiler checks that its schema allows the example and what `toRest` returns. */
export const converted = <Value, Schema extends z.ZodType>(
  schema: Schema,
  of: GraphqlType['of'],
  example: z.input<Schema>,
  toRest: (value: Value) => z.input<Schema>,
  toGraphql: (value: Value) => unknown = unchanged,
): FieldType<Value, Schema> => ({ schema, toRest, graphql: { of }, toGraphql, example });
const plain = <Schema extends z.ZodType>(schema: Schema, of: ScalarName, example: z.input<Schema>) =>
  converted<z.input<Schema>, Schema>(schema, of, example, unchanged);

const ADDRESS = '0x70997970c51812dc3a010c7d01b50e0d17dc79c8';

export const text = plain(z.string(), 'String', '');
export const foreignText = { ...text, untrusted: true } as const satisfies FieldType<string>;
export const id = plain(z.string(), 'ID', '1');
export const address = plain(z.string(), 'Address', ADDRESS);
export const addressId = plain(z.string(), 'ID', ADDRESS);
export const hash = plain(z.string(), 'Hash', `0x${'5c'.repeat(32)}`);
export const hex = plain(z.string().regex(/^0x[0-9a-f]*$/), 'String', '0x');
export const int = plain(z.int(), 'Int', 0);
export const float = plain(z.number(), 'Float', 0);
export const flag = plain(z.boolean(), 'Boolean', false);
export const json = plain(z.record(z.string(), z.union([z.string(), z.number(), z.null()])), 'JSONObject', {});

const inUnit = <Schema extends z.ZodType>(unit: 'wei' | 'eth', type: FieldType<Wei, Schema>): FieldType<Wei, Schema> => ({
  ...type,
  unit,
});

/** Wei, as a decimal string. Negative for a loss. */
export const wei = inUnit('wei', converted<Wei, z.ZodString>(z.string(), 'Wei', '0', String));
/** ETH, as a decimal string without exponent and trailing zeros. */
export const eth = inUnit('eth', converted<Wei, z.ZodString>(z.string(), 'Eth', '0', formatEth));
/** ETH as a number, for rounded figures. */
export const ethFloat = inUnit('eth', converted<Wei, z.ZodNumber>(z.number(), 'Float', 0, ethNumber, ethNumber));
export const time = converted<Date, z.ZodString>(z.string(), 'DateTime', '2026-01-15T12:00:00.000Z', isoTime);

export function oneOf<const Value extends string>(of: Enumeration<Value>): FieldType<Value, EnumSchema<Value>> {
  const [first] = of.schema.options;
  return converted<Value, EnumSchema<Value>>(of.schema, of, first as Value, unchanged);
}

export const nullable = <Value, Schema extends z.ZodType>(
  type: FieldType<Value, Schema>,
): FieldType<Value | null, z.ZodNullable<Schema>> => ({
  ...type,
  schema: type.schema.nullable(),
  toRest: (value) => (value === null ? null : type.toRest(value)),
  graphql: { ...type.graphql, nullable: true },
  toGraphql: (value) => (value === null ? null : type.toGraphql(value)),
  example: null,
});

/** If the value is undefined, REST omits the field and GraphQL answers null. */
export const optional = <Value, Schema extends z.ZodType>(
  type: FieldType<Value, Schema>,
): FieldType<Value | undefined, z.ZodOptional<Schema>> => ({
  ...type,
  schema: type.schema.optional(),
  toRest: (value) => (value === undefined ? undefined : type.toRest(value)),
  graphql: { ...type.graphql, nullable: true },
  toGraphql: (value) => (value === undefined ? null : type.toGraphql(value)),
  example: undefined,
});

export const list = <Value, Schema extends z.ZodType>(
  type: FieldType<Value, Schema>,
): FieldType<readonly Value[], z.ZodArray<Schema>> => ({
  ...type,
  schema: z.array(type.schema),
  toRest: (values) => values.map(type.toRest),
  graphql: { of: type.graphql.of, list: true },
  toGraphql: (values) => values.map(type.toGraphql),
  example: [],
});
