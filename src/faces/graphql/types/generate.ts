import 'reflect-metadata';
import type { GraphQLInterfaceType, GraphQLSchema } from 'graphql';
import { GraphQLJSONObject } from 'graphql-scalars';
import { Field, Float, ID, Int, InterfaceType, ObjectType } from 'type-graphql';
import {
  type GraphqlTable,
  graphqlFields,
  type Resource,
  type Field as ResourceField,
  type RowOf,
  type Table,
} from '../../../server/resources/field.js';
import type { GraphqlType, ScalarName } from '../../../server/resources/types.js';
import { Address, DateTime, Eth, Hash, Wei } from './scalars.js';
import { Uncacheable } from './uncacheable.js';

/** Interface of the types whose objects node and nodes find. */
@InterfaceType('Node', {
  description: 'Object that the fields node and nodes find by its id.',
  resolveType: (node: object) => node.constructor.name,
})
export abstract class NodeInterface {
  @Field(() => ID, { description: 'Id, unique over all types.' })
  readonly id!: string;
}

/** Object of a generated type. Each field is computed from the row when the query selects it. */
export class Node<Row = unknown> {
  constructor(readonly row: Row) {}
}

/** Returns a function that makes a node of this type from a row. */
export const nodeOf =
  <Row, N>(Type: new (row: Row) => N) =>
  (row: Row): N =>
    new Type(row);

type NodeType<R extends Resource> = new <Row extends RowOf<GraphqlTable<R['fields']>>>(row: Row) => Node<Row>;

const scalars: Readonly<Record<ScalarName, object>> = {
  Address,
  Boolean,
  DateTime,
  Eth,
  Float,
  Hash,
  ID,
  Int,
  JSONObject: GraphQLJSONObject,
  String,
  Wei,
};

/** Registers an object type for each resource with type-graphql. `resources` must include the type of every field. */
export function objectTypes<const R extends Readonly<Record<string, Resource>>>(
  resources: R,
): { readonly [K in keyof R]: NodeType<R[K]> } {
  const types = new Map<string, new (row: never) => Node>();
  const typeOf = (name: string) => {
    const type = types.get(name);
    if (type === undefined) throw new Error(`${name} is not registered`);
    return type;
  };
  const typeFunction = ({ of, list }: GraphqlType) => {
    const type = typeof of === 'string' ? scalars[of] : 'values' in of ? of.values : typeOf(of.name);
    return list ? [type] : type;
  };
  const nodeIn = ({ of, list }: GraphqlType): ((value: unknown) => unknown) | undefined => {
    if (typeof of === 'string' || 'values' in of) return undefined;
    const { name, typeNameOf = () => name } = of as Resource;
    const node = (row: unknown) => (row == null ? null : new (typeOf(typeNameOf(row as never)))(row as never));
    return list ? (rows) => (rows as readonly unknown[] | null)?.map(node) : node;
  };

  for (const resource of Object.values(resources)) {
    const parent = resource.implements && typeOf(resource.implements.name);
    const Type = class extends ((parent ?? Node) as typeof Node) {};
    Object.defineProperty(Type, 'name', { value: resource.name });
    types.set(resource.name, Type);
    for (const [name, field] of graphqlFields(resource.fields as Table)) {
      const { graphql, graphqlType, description, faces } = field;
      const value = graphql as (row: unknown) => unknown;
      const node = nodeIn(graphqlType);
      Object.defineProperty(Type.prototype, name, {
        get: node
          ? function (this: Node) {
              return node(value(this.row));
            }
          : function (this: Node) {
              return value(this.row);
            },
      });
      const nullable = graphqlType.nullable === true;
      const exact = exactFieldOf(name, field, resource.fields as Table);
      const deprecationReason = faces.deprecated ?? (exact && `It is rounded. ${exact} is exact.`);
      const options = { description, nullable, ...(deprecationReason && { deprecationReason }) };
      Field(() => typeFunction(graphqlType) as never, options)(Type.prototype, name);
      if (faces.uncached || resource.isPrivate) Uncacheable(Type.prototype, name);
    }
    const { name, description, typeNameOf, isNode } = resource;
    const interfaces = [...(parent ? [parent] : []), ...(isNode ? [NodeInterface] : [])];
    const typeOptions = { description, implements: interfaces };
    if (typeNameOf) {
      InterfaceType(name, typeOptions)(Type);
    } else {
      ObjectType(name, { ...typeOptions, simpleResolvers: true })(Type);
    }
  }
  return Object.fromEntries(
    Object.entries(resources).map(([key, resource]) => [key, typeOf(resource.name)]),
  ) as unknown as {
    readonly [K in keyof R]: NodeType<R[K]>;
  };
}

/** The exact field that replaces a number of ETH, which is rounded. undefined for other fields. */
function exactFieldOf(name: string, { notes, graphqlType }: ResourceField<never>, table: Table): string | undefined {
  if (notes.unit !== 'eth' || graphqlType.of !== 'Float') return undefined;
  const base = name.replace(/Eth$/, '');
  const exact = [`${base}Wei`, base].find((other) => other !== name && other in table);
  if (exact === undefined) throw new Error(`${name} has no exact field`);
  return exact;
}

/** Sets `resolveType` of the interfaces. type-graphql does not find a type whose interface implements the interface. */
export function resolveInterfaces(schema: GraphQLSchema, resources: readonly Resource[]): void {
  for (const { name, typeNameOf } of resources) {
    if (typeNameOf === undefined) continue;
    (schema.getType(name) as GraphQLInterfaceType).resolveType = ({ row }: Node) => typeNameOf(row as never);
  }
}
