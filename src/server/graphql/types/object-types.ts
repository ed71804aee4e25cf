import 'reflect-metadata';
import {
  type DocumentNode,
  type FieldNode,
  type GraphQLResolveInfo,
  type GraphQLSchema,
  isInterfaceType,
  Kind,
  TypeInfo,
  visit,
  visitWithTypeInfo,
} from 'graphql';
import { GraphQLJSONObject } from 'graphql-scalars';
import { Extensions, Field, Float, ID, Int, InterfaceType, ObjectType, registerEnumType, Args as TakesArgs } from 'type-graphql';
import {
  type GraphqlFields,
  graphqlFields,
  type Node,
  type Resource,
  type ResourceField,
  type ResourceFields,
  type ResourceRow,
} from '../../resources/field.js';
import type { Enumeration, GraphqlType, ResourceType, ScalarName } from '../../resources/types.js';
import type { GraphContext } from '../context.js';
import { Address, AgentRef, DateTime, Eth, Hash, WeiScalar } from './scalars.js';

/** The GraphQL interface of all types whose objects the queries `node` and `nodes` can find. */
@InterfaceType('Node', { description: 'Object that the fields node and nodes find by its id.' })
export abstract class NodeInterface {
  @Field(() => ID, { description: 'Id, unique over all types.' })
  readonly id!: string;
}

/** Returns a function that makes a node of this type from a row. */
export const nodeOf =
  <Row, N>(Type: new (row: Row) => N) =>
  (row: Row): N =>
    new Type(row);

type NodeType<R extends Resource> = new <Row extends ResourceRow<GraphqlFields<R['fields']>>>(row: Row) => Node<Row>;

const scalars: Readonly<Record<ScalarName, object>> = {
  Address,
  AgentRef,
  Boolean,
  DateTime,
  Eth,
  Float,
  Hash,
  ID,
  Int,
  JSONObject: GraphQLJSONObject,
  String,
  Wei: WeiScalar,
};

/** Registers an enum with type-graphql. Returns `values`, the object that stands for the enum when a field is declared. */
export function registerEnum<Value extends string>({ name, description, values, meanings }: Enumeration<Value>) {
  const valuesConfig = Object.fromEntries(Object.entries(meanings).map(([key, text]) => [key, { description: text }]));
  registerEnumType(values, { name, description, valuesConfig });
  return values;
}

export type ValueOf<Enum> = Enum[keyof Enum];

/** Makes an object from a row. If the type is an interface, its `objectOf` chooses the object type. */
export function objectIn({ objectOf, Node: Type }: ResourceType, row: object): object {
  // The cast is safe, because the declaration of the field has checked that its rows fit the type.
  const rowOfType = row as never;
  return new (objectOf?.(rowOfType).Node ?? Type)(rowOfType);
}

/** Converts a type to the form that type-graphql takes: a scalar, an enum or a class, in an array if it is a list. */
export function typeOf({ of, list }: GraphqlType) {
  const type = typeof of === 'string' ? scalars[of] : 'values' in of ? of.values : of.Node;
  return list ? [type] : type;
}

/** Returns a function that makes objects from the value of a field. undefined if the type of the field is a scalar or an enum. */
function objectsIn({ of, list }: GraphqlType): ((value: unknown) => unknown) | undefined {
  if (typeof of === 'string' || 'values' in of) return undefined;
  const object = (row: object | null | undefined) => (row ? objectIn(of, row) : null);
  return list ? (rows) => (rows as readonly object[] | null)?.map(object) : (row) => object(row as object | null);
}

/** Registers the type of a resource with type-graphql. Returns the class of its objects. */
export function objectType<const R extends Resource>(resource: R): NodeType<R> {
  const { name, description, isNode, isPrivate, objectOf, implements: parent, Node: Type } = resource;
  const table: ResourceFields = resource.fields;
  for (const [fieldName, field] of graphqlFields(table)) {
    addField(Type.prototype, fieldName, field, table);
    if (field.shown.uncached || isPrivate) Uncacheable(Type.prototype, fieldName);
  }
  const interfaces = [...(parent ? [parent.Node] : []), ...(isNode ? [NodeInterface] : [])];
  const options = { description, implements: interfaces };
  if (objectOf) InterfaceType(name, options)(Type);
  else ObjectType(name, { ...options, simpleResolvers: true })(Type);
  return Type as NodeType<R>;
}

function addField(prototype: Node, name: string, field: ResourceField<never>, table: ResourceFields): void {
  const { graphql, graphqlType, description, shown } = field;
  const value = graphql as (row: unknown) => unknown;
  const objects = objectsIn(graphqlType);
  const read = objects ? (row: unknown) => objects(value(row)) : value;
  Object.defineProperty(prototype, name, {
    get(this: Node) {
      return read(this.row);
    },
  });
  const exact = exactFieldOf(name, field, table);
  const deprecationReason = shown.deprecated ?? (exact && `It is rounded. ${exact} is exact.`);
  const nullable = graphqlType.nullable === true;
  const options = { description, nullable, ...(deprecationReason && { deprecationReason }) };
  Field(() => typeOf(graphqlType), options)(prototype, name);
}

/** Name of the field with the exact amount, if the given field is a number of ETH, which is rounded. undefined for other fields. */
function exactFieldOf(name: string, { notes, graphqlType }: ResourceField<never>, table: ResourceFields): string | undefined {
  if (notes.unit !== 'eth' || graphqlType.of !== 'Float') return undefined;
  const base = name.replace(/Eth$/, '');
  const exact = [`${base}Wei`, base].find((other) => other !== name && other in table);
  if (exact === undefined) throw new Error(`${name} has no exact field`);
  return exact;
}

/**
 * Replaces `resolveType` of all interfaces. type-graphql does not find a type that implements an interface only through another
 * interface. Here, the name of an object's class is the name of its type.
 */
export function resolveInterfaces(schema: GraphQLSchema): void {
  for (const type of Object.values(schema.getTypeMap())) {
    if (isInterfaceType(type)) type.resolveType = (node: object) => node.constructor.name;
  }
}

/** Removes arguments that are null. GraphQL clients may send null where REST clients omit a parameter. */
export const withoutNulls = <Args extends object>(args: Args) =>
  Object.fromEntries(Object.entries(args).filter(([, value]) => value !== null)) as {
    readonly [Name in keyof Args]: Exclude<Args[Name], null>;
  };

export const nullableField = (description: string) => ({ nullable: true, description }) as const;

/** Marks a field whose answers are not cached: it depends on the caller, changes or counts something, or reads the chain. */
export const Uncacheable = Extensions({ cache: 'never' });

export function isCacheable(schema: GraphQLSchema, document: DocumentNode): boolean {
  const types = new TypeInfo(schema);
  let cacheable = true;
  const look = visitWithTypeInfo(types, {
    OperationDefinition: ({ operation }) => {
      if (operation === 'mutation') cacheable = false;
    },
    Field: () => {
      if (types.getFieldDef()?.extensions.cache === 'never') cacheable = false;
    },
  });
  visit(document, look);
  return cacheable;
}

export type RelationOptions<Args> = {
  readonly type: () => object | [object];
  readonly args?: new () => Args;
  readonly description: string;
  readonly nullable?: boolean;
};

export type Resolve<Row, Args> = (row: Row, args: Args, context: GraphContext, info: ResolveInfo) => unknown;

/**
 * Adds a field to a generated type, as a method of its nodes that graphql-js calls directly. A resolver of type-graphql would be
 * slower: it sorts and converts the parameters at each call, and lists have hundreds of nodes.
 */
export function relation<Row, Args>(
  { prototype }: { readonly prototype: object },
  name: string,
  { type, args, ...options }: RelationOptions<Args>,
  resolve: Resolve<Row, Args>,
): void {
  Field(type, { ...options, simple: true })(prototype, name);
  if (args) TakesArgs(() => args)(prototype, name, 0);
  Object.defineProperty(prototype, name, {
    value(this: Node<Row>, given: Args, context: GraphContext, info: ResolveInfo) {
      return resolve(this.row, given, context, info);
    },
  });
}

/** The part of the resolver's info argument that tells what a query selects. */
export type ResolveInfo = Pick<GraphQLResolveInfo, 'fieldNodes' | 'fragments'>;

/** Columns for the fields that other features add to a type with `relation`, by the name of the field. */
type Relations = Readonly<Record<string, readonly string[]>>;

/**
 * The fields of a selection set, including those of fragments. Type conditions and directives are ignored, so it may return fields
 * that are not executed.
 */
function fieldsBelow({ selectionSet }: Pick<FieldNode, 'selectionSet'>, fragments: ResolveInfo['fragments']): FieldNode[] {
  return (selectionSet?.selections ?? []).flatMap((selection) => {
    if (selection.kind === Kind.FIELD) return [selection];
    const fragment = selection.kind === Kind.FRAGMENT_SPREAD ? fragments[selection.name.value] : selection;
    return fragment ? fieldsBelow(fragment, fragments) : [];
  });
}

/** Names of the fields that stand in a query between a connection and the fields of its rows. */
const WRAPPERS = ['nodes', 'edges', 'node'];

/** The fields that a query selects from each row of a field: from its object, or from the nodes of its connection. */
function fieldsOfRows({ fieldNodes, fragments }: ResolveInfo): FieldNode[] {
  const below = (parent: FieldNode): FieldNode[] =>
    fieldsBelow(parent, fragments).flatMap((field) => (WRAPPERS.includes(field.name.value) ? below(field) : [field]));
  return fieldNodes.flatMap(below);
}

/** Caches the result of `find` per field and request: graphql-js passes the same array `fieldNodes` for all parents of a field. */
function once<T>(find: (info: ResolveInfo) => T): (info: ResolveInfo) => T {
  const found = new WeakMap<ResolveInfo['fieldNodes'], T>();
  return (info) => {
    if (!found.has(info.fieldNodes)) found.set(info.fieldNodes, find(info));
    return found.get(info.fieldNodes) as T;
  };
}

/** Whether a query selects cursors or the page info of a connection. Otherwise the keys of the rows need not be read. */
export const selectsCursors = once(({ fieldNodes, fragments }) =>
  fieldNodes
    .flatMap((node) => fieldsBelow(node, fragments))
    .some(
      (field) =>
        field.name.value === 'pageInfo' ||
        (field.name.value === 'edges' && fieldsBelow(field, fragments).some(({ name }) => name.value === 'cursor')),
    ),
);

export const selects = (info: ResolveInfo, field: string): boolean => fieldsOfRows(info).some(({ name }) => name.value === field);

/** Returns a function that finds the columns for selected fields. A field that is in neither table needs no column. */
const columnsFor = (table: ResourceFields, relations: Relations) => {
  const fields = graphqlFields(table);
  return (selected: readonly FieldNode[]): readonly string[] =>
    [...new Set(selected.flatMap(({ name }) => fields.get(name.value)?.parts ?? relations[name.value] ?? []))].sort();
};

/** Returns a function that finds which columns of the rows a query needs for the fields that it selects. */
export function columnsOf(table: ResourceFields, relations: Relations = {}) {
  const columns = columnsFor(table, relations);
  return once((info) => columns(fieldsOfRows(info)));
}

/**
 * Like `columnsOf`, for objects in the field `field` of the rows. The function returns null if the query does not select `field`.
 */
export function columnsInside(table: ResourceFields, relations: Relations, field: string) {
  const columns = columnsFor(table, relations);
  return once((info) => {
    const objects = fieldsOfRows(info).filter(({ name }) => name.value === field);
    return objects.length === 0 ? null : columns(objects.flatMap((one) => fieldsBelow(one, info.fragments)));
  });
}
