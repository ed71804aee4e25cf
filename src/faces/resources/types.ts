import { z } from 'zod';
import { ethNumber, formatEth, type Wei } from '../../money.js';

/** An enum. Maps the name of each value in GraphQL to the value in REST and the core. */
export type Enumeration<Value extends string = string> = {
  readonly name: string;
  readonly description: string;
  readonly values: Readonly<Record<string, Value>>;
};

/** Type of a field in the GraphQL schema. */
export type GraphqlType = {
  /** A scalar, an enum, or the object type of a resource. */
  readonly of: ScalarName | Enumeration | { readonly name: string; readonly fields: object };
  readonly list?: boolean;
  readonly nullable?: boolean;
};
export type ScalarName =
  | 'Address'
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

/** Type of a field. Converts a value of the core to its forms in REST and in GraphQL. */
export type FieldType<Value, Schema extends z.ZodType = z.ZodType> = {
  readonly schema: Schema;
  readonly toRest: (value: Value) => z.input<Schema> | undefined;
  readonly graphql: GraphqlType;
  /** Converts the value to the input of the scalar or, for an object type, to the row of that type. */
  readonly toGraphql: (value: Value) => unknown;
  /** Default value of the field in examples of the OpenAPI document. */
  readonly example: z.input<Schema>;
};

/** Identity function for types whose values need no conversion. */
export const same = <Value>(value: Value): Value => value;
const plain = <Schema extends z.ZodType>(
  schema: Schema,
  of: ScalarName,
  example: z.input<Schema>,
): FieldType<z.input<Schema>, Schema> => ({ schema, toRest: same, graphql: { of }, toGraphql: same, example });

const ADDRESS = '0x70997970c51812dc3a010c7d01b50e0d17dc79c8';

export const text = plain(z.string(), 'String', '');
export const id = plain(z.string(), 'ID', '1');
export const address = plain(z.string(), 'Address', ADDRESS);
export const addressId = plain(z.string(), 'ID', ADDRESS);
export const hash = plain(z.string(), 'Hash', `0x${'5c'.repeat(32)}`);
export const hex = plain(z.string().regex(/^0x[0-9a-f]*$/), 'String', '0x');
export const int = plain(z.int(), 'Int', 0);
export const float = plain(z.number(), 'Float', 0);
export const flag = plain(z.boolean(), 'Boolean', false);
export const json = plain(z.record(z.string(), z.union([z.string(), z.number(), z.null()])), 'JSONObject', {});

/** Wei, as a decimal string. */
export const wei: FieldType<Wei, z.ZodString> = { ...plain(z.string(), 'Wei', '0'), toRest: String, toGraphql: same };
/** Wei that may be negative, as a decimal string. */
export const signedWei: FieldType<Wei, z.ZodString> = {
  ...plain(z.string(), 'String', '0'),
  toRest: String,
  toGraphql: String,
};
/** ETH, as a decimal string without exponent and trailing zeros. */
export const eth: FieldType<Wei, z.ZodString> = {
  ...plain(z.string(), 'Eth', '0'),
  toRest: formatEth,
  toGraphql: same,
};
/** ETH as a number, for rounded figures. */
export const ethFloat: FieldType<Wei, z.ZodNumber> = {
  ...plain(z.number(), 'Float', 0),
  toRest: ethNumber,
  toGraphql: ethNumber,
};
export const time: FieldType<Date, z.ZodString> = {
  ...plain(z.string(), 'DateTime', '2026-01-15T12:00:00.000Z'),
  toRest: (date) => date.toISOString(),
  toGraphql: same,
};

export function oneOf<const Value extends string>(
  enumeration: Enumeration<Value>,
): FieldType<Value, z.ZodEnum<{ [K in Value]: K }>> {
  const values = Object.values(enumeration.values);
  const schema = z.enum(values) as unknown as z.ZodEnum<{ [K in Value]: K }>;
  return { schema, toRest: same as never, graphql: { of: enumeration }, toGraphql: same, example: values[0] as never };
}

export const nullable = <Value, Schema extends z.ZodType>(
  type: FieldType<Value, Schema>,
): FieldType<Value | null, z.ZodNullable<Schema>> => ({
  schema: type.schema.nullable(),
  toRest: (value) => (value === null ? null : type.toRest(value)) as never,
  graphql: { ...type.graphql, nullable: true },
  toGraphql: (value) => (value === null ? null : type.toGraphql(value)),
  example: null as never,
});

/** If the value is undefined, REST omits the field and GraphQL answers null. */
export const optional = <Value, Schema extends z.ZodType>(
  type: FieldType<Value, Schema>,
): FieldType<Value | undefined, z.ZodOptional<Schema>> => ({
  schema: type.schema.optional(),
  toRest: (value) => (value === undefined ? undefined : type.toRest(value)) as never,
  graphql: { ...type.graphql, nullable: true },
  toGraphql: (value) => (value === undefined ? null : type.toGraphql(value)),
  example: undefined as never,
});

export const list = <Value, Schema extends z.ZodType>(
  type: FieldType<Value, Schema>,
): FieldType<readonly Value[], z.ZodArray<Schema>> => ({
  schema: z.array(type.schema),
  toRest: (values) => values.map(type.toRest) as never,
  graphql: { of: type.graphql.of, list: true },
  toGraphql: (values) => values.map(type.toGraphql),
  example: [] as never,
});
