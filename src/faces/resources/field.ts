import { z } from 'zod';
import { type FieldType, type GraphqlType, same } from './types.js';

/**
 * A field of a resource, for all faces. `parts` are the columns of the row that the value is computed from.
 *
 * A table maps the name of each field in REST to its declaration. A view is a list of such fields in the order of the
 * answer, with its schema and formatter; a resource is the type of the GraphQL schema.
 */
export type Field<Row, Schema extends z.ZodType = z.ZodType> = {
  readonly description: string;
  readonly parts: readonly string[];
  readonly schema: Schema;
  readonly example: unknown;
  readonly rest: (row: Row) => z.input<Schema> | undefined;
  readonly graphql: (row: Row) => unknown;
  readonly graphqlType: GraphqlType;
  readonly faces: Faces;
};

type Faces = {
  /** Absent from REST. */
  readonly rest?: false;
  /** Absent from GraphQL, or its name there where that is another one. */
  readonly graphql?: false | string;
  /** Depends on the caller or reads the chain: no cached answer of GraphQL has it. */
  readonly uncached?: true;
};

export type Table = Readonly<Record<string, Field<never>>>;

type Combined<Union> = (Union extends unknown ? (row: Union) => void : never) extends (row: infer All) => void
  ? All
  : never;
type FieldRow<F> = F extends Field<infer Row> ? Row : never;
/** The columns that the fields of a table need. */
export type RowOf<T extends Table> = Combined<{ [K in keyof T]: FieldRow<T[K]> }[keyof T]>;

/** The two kinds of fields of a resource whose rows have this type. */
export function fieldsOf<Row>() {
  return {
    /** A column of the row as it is. */
    column: <Part extends keyof Row & string, Schema extends z.ZodType>(
      part: Part,
      type: FieldType<Row[Part], Schema>,
      description: string,
    ): Field<Pick<Row, Part>, Schema> => fieldOf([part], type, description, (row: Pick<Row, Part>) => row[part]),
    /** A value computed from these columns. */
    computed: <Part extends keyof Row & string, Value, Schema extends z.ZodType>(
      parts: readonly Part[],
      type: FieldType<Value, Schema>,
      description: string,
      value: (row: Pick<Row, Part>) => Value,
    ): Field<Pick<Row, Part>, Schema> => fieldOf(parts, type, description, value),
  };
}

const fieldOf = <Row, Value, Schema extends z.ZodType>(
  parts: readonly string[],
  { schema, toRest, toGraphql, graphql, example }: FieldType<Value, Schema>,
  description: string,
  value: (row: Row) => Value,
): Field<Row, Schema> => ({
  description,
  parts,
  schema: schema.meta({ description }) as Schema,
  example,
  rest: toRest === (same as unknown) ? (value as never) : (row) => toRest(value(row)),
  graphql: toGraphql === same ? value : (row) => toGraphql(value(row)),
  graphqlType: graphql,
  faces: {},
});

const onFaces =
  <const F extends Faces>(faces: F) =>
  <T extends Field<never>>(field: T): T & { readonly faces: F } => ({ ...field, faces: { ...field.faces, ...faces } });

export const restOnly = onFaces({ graphql: false });
export const graphqlOnly = onFaces({ rest: false });
export const uncached = onFaces({ uncached: true });
export const named = (graphql: string) => onFaces({ graphql });

/** The fields with these names, in this order. */
export const pick = <T extends Table, const Name extends keyof T & string>(
  table: T,
  ...names: readonly Name[]
): Pick<T, Name> => Object.fromEntries(names.map((name) => [name, table[name]])) as unknown as Pick<T, Name>;

type RestTable<T extends Table> = {
  readonly [K in keyof T as T[K] extends { readonly faces: { readonly rest: false } } ? never : K]: T[K];
};
export type GraphqlTable<T extends Table> = {
  readonly [K in keyof T as T[K] extends { readonly faces: { readonly graphql: false } } ? never : K]: T[K];
};
type SchemasOf<T extends Table> = { [K in keyof RestTable<T>]: RestTable<T>[K]['schema'] };

/** Fields of REST, in the order in which answers have them. */
export type View<T extends Table = Table> = {
  readonly fields: RestTable<T>;
  /** The columns that the fields are computed from. */
  readonly parts: readonly (keyof RowOf<RestTable<T>> & string)[];
  readonly schema: z.ZodObject<SchemasOf<T>>;
  readonly format: (row: RowOf<RestTable<T>>) => z.input<z.ZodObject<SchemasOf<T>>>;
  /** An object of this shape for the OpenAPI document. */
  readonly example: (values?: Readonly<Record<string, unknown>>) => Record<string, unknown>;
};

/** `component`: the name of the schema among the components of the OpenAPI document, for what several answers have. */
export function view<const T extends Table>(table: T, component?: string): View<T> {
  const fields = Object.entries(table).filter(([, { faces }]) => faces.rest !== false);
  const schema = z.object(Object.fromEntries(fields.map(([name, field]) => [name, field.schema])));
  const names = fields.map(([name]) => name);
  const values = fields.map(([, { rest }]) => rest);
  const format = (row: never) => {
    const answer: Record<string, unknown> = {};
    for (let i = 0; i < names.length; i++) {
      const value = (values[i] as (row: never) => unknown)(row);
      if (value !== undefined) answer[names[i] as string] = value;
    }
    return answer;
  };
  const example = (given: Readonly<Record<string, unknown>> = {}) =>
    Object.fromEntries(
      fields
        .map(([name, field]) => [name, name in given ? given[name] : field.example])
        .filter(([, value]) => value !== undefined),
    );
  return {
    fields: Object.fromEntries(fields),
    parts: [...new Set(fields.flatMap(([, { parts }]) => parts))],
    schema: component === undefined ? schema : schema.meta({ id: component }),
    format,
    example,
  } as unknown as View<T>;
}

/** A type of the GraphQL schema. */
export type Resource<T extends Table = Table> = {
  readonly name: string;
  readonly description: string;
  readonly fields: T;
  /** The interface that the type implements, whose fields it has beside its own. */
  readonly implements?: Resource;
  /** The type is an interface: the name of the type that a row belongs to. */
  readonly typeNameOf?: (row: never) => string;
};

export const resource = <const T extends Table>(name: string, description: string, fields: T): Resource<T> => ({
  name,
  description,
  fields,
});

/** An object: in REST the fields of a view, in GraphQL the type of a resource. Without one the field is REST's alone. */
export const object = <V extends Table, R extends Table = Record<never, never>>(
  view: View<V>,
  resource?: Resource<R>,
): FieldType<RowOf<V> & RowOf<R>, View<V>['schema']> => ({
  schema: view.schema,
  toRest: view.format as never,
  graphql: { of: (resource as Resource | undefined) ?? 'JSONObject' },
  toGraphql: same,
  example: view.example() as never,
});

/** An object of GraphQL alone. */
export const graphqlObject = <R extends Table>(resource: Resource<R>) =>
  object(view({}), resource) as unknown as FieldType<RowOf<GraphqlTable<R>>>;

/** The fields of a table in GraphQL, by their names there. */
export const graphqlFields = (table: Table): ReadonlyMap<string, Field<never>> =>
  new Map(
    Object.entries(table).flatMap(([name, field]) =>
      field.faces.graphql === false ? [] : [[field.faces.graphql ?? name, field] as const],
    ),
  );

/** The columns that fields of GraphQL are computed from; for a field that is not in the table, those of `relations`. */
export function partsOf(
  table: Table,
  relations: Readonly<Record<string, readonly string[]>> = {},
): (names: Iterable<string>) => ReadonlySet<string> {
  const fields = graphqlFields(table);
  return (names) => new Set([...names].flatMap((name) => fields.get(name)?.parts ?? relations[name] ?? []));
}
