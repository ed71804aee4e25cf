import { z } from 'zod';
import { isoTime } from '../../values/time.js';
import { answerOf, formatter, restView } from './answers.js';
import { type FieldType, type GraphqlType, id, unchanged, type ValueNotes } from './types.js';

/**
 * Declaration of a field for REST, MCP and GraphQL. `parts` are the columns of the row from which the value is computed.
 *
 * `ResourceFields` maps REST names to fields. `view` makes from them the zod schema and the formatter of an object in a REST
 * answer, with the fields in the same order. `resource` makes from them a type of the GraphQL schema.
 */
export type ResourceField<Row, Schema extends z.ZodType = z.ZodType> = {
  readonly description: string;
  readonly parts: readonly string[];
  readonly schema: Schema;
  readonly example: unknown;
  /** The value, before it is converted for an API. */
  readonly value: (row: Row) => unknown;
  readonly notes: ValueNotes;
  readonly rest: (row: Row) => unknown;
  readonly graphql: (row: Row) => unknown;
  readonly graphqlType: GraphqlType;
  readonly shown: Shown;
};

/** Which APIs show a field, and how. */
type Shown = {
  /** false: REST does not have the field. */
  readonly rest?: false;
  /** false: MCP does not have the field. Otherwise MCP shows it where REST does, and in views that list it in `ofTools`. */
  readonly mcp?: false;
  /** false: GraphQL does not have the field. Text: the name of the field in GraphQL, if it differs from REST. */
  readonly graphql?: false | string;
  /** Why GraphQL clients should no longer use the field. */
  readonly deprecated?: string;
  /** The value depends on the caller or reads the chain, so GraphQL does not cache answers with this field. */
  readonly uncached?: true;
};

export type ResourceFields = Readonly<Record<string, ResourceField<never>>>;

/** A row with the columns of all fields. TypeScript infers the intersection, because each field takes its row as a parameter. */
export type ResourceRow<T extends ResourceFields> = T[keyof T] extends ResourceField<infer Row> ? Row : never;

/**
 * Returns functions that declare fields of rows of type `Row`. TypeScript cannot infer some type arguments of a call when others
 * are given. So `Row` is given here, and a call of the returned functions infers the other types.
 */
export function fieldsOf<Row>() {
  return {
    column: <Part extends keyof Row & string, Schema extends z.ZodType>(
      part: Part,
      type: FieldType<Row[Part], Schema>,
      description: string,
    ): ResourceField<Pick<Row, Part>, Schema> => fieldOf([part], type, description, (row: Pick<Row, Part>) => row[part]),
    computed: <Part extends keyof Row & string, Value, Schema extends z.ZodType>(
      parts: readonly Part[],
      type: FieldType<Value, Schema>,
      description: string,
      value: (row: Pick<Row, Part>) => Value,
    ): ResourceField<Pick<Row, Part>, Schema> => fieldOf(parts, type, description, value),
    /** The GraphQL field `id` of a type. `parts` are the columns that together identify a row of this type. */
    globalId: <Part extends keyof Row & string>(type: string, ...parts: readonly Part[]) =>
      globalIdOf(parts, type, parts, (row: Pick<Row, Part>) => parts.map((part) => row[part])),
  };
}

/**
 * The GraphQL field `id` of a type. Clients cache objects by their ids, so an id is unique over all types: it begins with the name
 * of its type. `keys` are the names of the following parts in the description of the field.
 */
export const globalIdOf = <Row>(
  parts: readonly string[],
  type: string,
  keys: readonly string[],
  keyOf: (row: Row) => readonly unknown[],
) =>
  shownAs({ rest: false, mcp: false, graphql: 'id' })(
    fieldOf(
      parts,
      id,
      `Id, unique over all types: ${idOf(
        type,
        keys.map((key) => `<${key}>`),
      )}.`,
      (row: Row) => idOf(type, keyOf(row)),
    ),
  );

export const idOf = (type: string, keys: readonly unknown[]): string =>
  [type, ...keys.map((key) => (key instanceof Date ? isoTime(key) : key))].join(':');

const fieldOf = <Row, Value, Schema extends z.ZodType>(
  parts: readonly string[],
  { schema, toRest, toGraphql, graphql, example, ...notes }: FieldType<Value, Schema>,
  description: string,
  value: (row: Row) => Value,
): ResourceField<Row, Schema> => ({
  description,
  parts,
  schema: schema.describe(description) as Schema,
  example,
  value,
  notes,
  rest: toRest === unchanged ? value : (row) => toRest(value(row)),
  graphql: toGraphql === unchanged ? value : (row) => toGraphql(value(row)),
  graphqlType: graphql,
  shown: {},
});

const shownAs =
  <const F extends Shown>(shown: F) =>
  <T extends ResourceField<never>>(field: T): T & { readonly shown: F } => ({ ...field, shown: { ...field.shown, ...shown } });

export const restOnly = shownAs({ graphql: false });
export const notInMcp = shownAs({ mcp: false });
export const graphqlOnly = shownAs({ rest: false });
export const uncached = shownAs({ uncached: true });
export const deprecated = (reason: string) => shownAs({ deprecated: reason });
export const named = (graphql: string) => shownAs({ graphql });

/** Marks a field whose value another field of the REST answer has, too. OpenAPI shows it as deprecated. GraphQL still needs it. */
export const repeated = <T extends ResourceField<never>>(field: T): T => ({
  ...field,
  schema: field.schema.meta({ deprecated: true }),
});

/** The fields with these names, in this order. */
export const pick = <T extends ResourceFields, const Name extends keyof T & string>(
  all: T,
  ...names: readonly Name[]
): Pick<T, Name> => Object.fromEntries(names.map((name) => [name, all[name]])) as Pick<T, Name>;

type RestFields<T extends ResourceFields> = {
  readonly [K in keyof T as T[K] extends { readonly shown: { readonly rest: false } } ? never : K]: T[K];
};
export type GraphqlFields<T extends ResourceFields> = {
  readonly [K in keyof T as T[K] extends { readonly shown: { readonly graphql: false } } ? never : K]: T[K];
};
type SchemasOf<T extends ResourceFields> = { [K in keyof RestFields<T>]: RestFields<T>[K]['schema'] };
type ObjectOf<T extends ResourceFields> = z.output<z.ZodObject<SchemasOf<T>>>;

/** An object in a REST answer. */
export type View<T extends ResourceFields = ResourceFields> = {
  readonly fields: RestFields<T>;
  /** The columns from which the fields are computed. */
  readonly parts: readonly (keyof ResourceRow<RestFields<T>> & string)[];
  /** Schema of the finished object. The output of an operation uses `schema` instead, which takes a row and makes this object. */
  readonly answerSchema: z.ZodObject<SchemasOf<T>>;
  readonly schema: z.ZodType<ObjectOf<T>, ResourceRow<RestFields<T>>>;
  readonly format: (row: ResourceRow<RestFields<T>>) => ObjectOf<T>;
  /** Returns an example object for the OpenAPI document. */
  readonly example: (values?: Readonly<Record<string, unknown>>) => Record<string, unknown>;
};

/**
 * Creates a view. `component` names the schema in the OpenAPI document, so that several answers can refer to it. `ofTools` are the
 * fields that MCP shows, if they are not those of REST.
 */
export function view<const T extends ResourceFields>(all: T, component?: string, ofTools?: ResourceFields): View<T> {
  const fields = restFields(all);
  const format = formatter(fields.map(([name, { rest }]) => [name, rest]));
  const example = (exampleValues: Readonly<Record<string, unknown>> = {}) =>
    Object.fromEntries(
      fields
        .map(([name, field]) => [name, name in exampleValues ? exampleValues[name] : field.example])
        .filter(([, value]) => value !== undefined),
    );
  const ofRest = Object.fromEntries(fields);
  const answerSchema = z
    .object(Object.fromEntries(fields.map(([name, field]) => [name, field.schema])))
    .meta({ ...(component && { id: component }), view: { fields: ofTools ?? ofRest, format } });
  return {
    fields: ofRest,
    answerSchema,
    schema: rowsTo(format, answerSchema),
    format,
    parts: [...new Set(fields.flatMap(([, { parts }]) => parts))],
    example,
  } as unknown as View<T>;
}

/** Returns a schema that converts a row to an answer. As an output, its JSON Schema is that of the answer. */
const rowsTo = <Row, Answer>(format: (row: Row) => unknown, answer: z.ZodType<Answer>): z.ZodType<Answer, Row> =>
  z.custom<Row>().transform(format).pipe(answer);

/** Returns the schema of an object that has one of several views. The `type` of the row decides which. */
export function oneOfViews<Row extends { readonly type: string }>(
  component: string,
  byType: Readonly<Record<Row['type'], Pick<View, 'answerSchema'>>>,
): z.ZodType<unknown, Row> {
  const [first, ...others] = Object.values<Pick<View, 'answerSchema'>>(byType).map((one) => one.answerSchema);
  if (first === undefined) throw new TypeError(`${component} has no views`);
  const union = z.discriminatedUnion('type', [first, ...others]).meta({ id: component, view: { byType } });
  return rowsTo<Row, unknown>(answerOf(union, restView).format, union);
}

/** Object of a type of the GraphQL schema. Each field is computed from the row when the query selects it. */
export class Node<Row = unknown> {
  constructor(readonly row: Row) {}
}

export type Resource<T extends ResourceFields = ResourceFields> = {
  readonly name: string;
  readonly description: string;
  readonly fields: T;
  /** Class of the objects of the type. `objectType` adds the fields when it registers the type with type-graphql. */
  readonly Node: new (
    row: never,
  ) => Node;
  /** The interface that the type implements. The type inherits its fields. */
  readonly implements?: Resource;
  /** Whether the queries `node` and `nodes` find objects of the type by their ids. */
  readonly isNode?: true;
  /** Only the agent itself sees objects of the type, so answers with their fields are not cached. */
  readonly isPrivate?: true;
  /** Only if the type is an interface: returns the object type of a row. */
  readonly objectOf?: (row: never) => Resource;
};

/** Creates a resource. `parent`: the interface that it implements. */
export function resource<const T extends ResourceFields>(
  name: string,
  description: string,
  fields: T,
  parent?: Resource,
): Resource<T> {
  const Parent: Resource['Node'] = parent?.Node ?? Node;
  const Type = class extends Parent {};
  Object.defineProperty(Type, 'name', { value: name });
  return { name, description, fields, Node: Type, implements: parent };
}

/** A resource that is also a view: GraphQL and REST have an object with the same fields. */
export type SharedResource<T extends ResourceFields = ResourceFields> = Resource<T> & View<T>;

/** Creates a resource that is also a view. `component` names the schema in the OpenAPI document. @default name */
export const sharedResource = <const T extends ResourceFields>(
  name: string,
  description: string,
  fields: T,
  component = name,
): SharedResource<T> => ({ ...view(fields, component, fields), ...resource(name, description, fields) });

/**
 * Type of a field that is an object: `view` in REST, `resource` in GraphQL. `resource` may be left out if the view is a
 * SharedResource, or if the field is `restOnly`.
 */
export const object = <V extends ResourceFields, R extends ResourceFields = Record<never, never>>(
  view: View<V> | SharedResource<V>,
  resource?: Resource<R>,
): FieldType<ResourceRow<V> & ResourceRow<R>, View<V>['answerSchema']> => ({
  schema: view.answerSchema,
  toRest: view.format as (row: ResourceRow<V> & ResourceRow<R>) => unknown,
  graphql: { of: resource ?? ('name' in view ? view : 'JSONObject') },
  toGraphql: unchanged,
  example: view.example(),
  view,
});

/** Type of a field that is an object in GraphQL and absent in REST. */
export const graphqlObject = <R extends ResourceFields>(resource: Resource<R>): FieldType<ResourceRow<GraphqlFields<R>>> => ({
  schema: z.undefined(),
  toRest: () => undefined,
  graphql: { of: resource },
  toGraphql: unchanged,
  example: undefined,
});

/** The fields that REST has, with their names. */
export const restFields = (fields: ResourceFields): [name: string, field: ResourceField<never>][] =>
  Object.entries(fields).filter(([, { shown }]) => shown.rest !== false);

/** The fields that GraphQL has, by GraphQL name. */
export const graphqlFields = (fields: ResourceFields): ReadonlyMap<string, ResourceField<never>> =>
  new Map(
    Object.entries(fields).flatMap(([name, field]) =>
      field.shown.graphql === false ? [] : [[field.shown.graphql ?? name, field] as const],
    ),
  );
