import {
  type GraphQLFieldResolver,
  type GraphQLSchema,
  type GraphQLTypeResolver,
  isInterfaceType,
  isObjectType,
} from 'graphql';
import { getMetadataStorage } from 'type-graphql';
import type { GraphContext } from './context.js';

type Storage = ReturnType<typeof getMetadataStorage>;
type Params = NonNullable<Storage['queries'][number]['params']>;
type Method = (...values: unknown[]) => unknown;
type Declared = { readonly target: unknown; readonly methodName: string; readonly params?: Params };

/**
 * Has the schema call the methods of the resolvers themselves. What type-graphql puts around each call serves
 * middlewares, guards and validation, none of which is used here: it copies the parent and the arguments into
 * instances and makes promises of what is at hand, hundreds of times for one list.
 */
export function callDirectly(schema: GraphQLSchema): void {
  const storage = getMetadataStorage();
  const query = schema.getQueryType()?.name;
  for (const declared of storage.queries) if (query) replace(schema, query, declared.schemaName, declared);
  for (const declared of storage.fieldResolvers) {
    if (declared.kind !== 'external') continue;
    const owner = declared.getObjectType?.();
    const type = [...storage.objectTypes, ...storage.interfaceTypes].find(({ target }) => target === owner);
    if (type) replace(schema, type.name, declared.schemaName ?? declared.methodName, declared);
  }
  for (const { name, resolveType } of storage.interfaceTypes) {
    const type = schema.getType(name);
    if (isInterfaceType(type) && resolveType) type.resolveType = resolveType as GraphQLTypeResolver<unknown, unknown>;
  }
}

/** On the type, and on all that implement it where it is an interface. */
function replace(schema: GraphQLSchema, typeName: string, field: string, declared: Declared): void {
  const type = schema.getType(typeName);
  const types = isInterfaceType(type) ? schema.getPossibleTypes(type) : isObjectType(type) ? [type] : [];
  const resolve = resolverOf(declared);
  for (const { name, ...one } of types.map((each) => ({ name: each.name, fields: each.getFields() }))) {
    const known = one.fields[field];
    if (known === undefined) throw new Error(`${name} has no field ${field}`);
    known.resolve = resolve;
  }
}

function resolverOf({ target, methodName, params = [] }: Declared): GraphQLFieldResolver<unknown, GraphContext> {
  const owner = new (target as new () => Record<string, Method>)();
  const method = owner[methodName] as Method;
  const read = [...params].sort((a, b) => a.index - b.index).map(readerOf);
  return (root, args, context, info) => {
    try {
      return method.apply(
        owner,
        read.map((value) => value(root, args, context, info)),
      );
    } catch (error) {
      // The compiler would report twice what is thrown at once.
      return Promise.reject(error);
    }
  };
}

function readerOf(param: Params[number]): GraphQLFieldResolver<unknown, GraphContext> {
  switch (param.kind) {
    case 'args':
      return (_root, args) => args;
    case 'arg':
      return (_root, args) => args[param.name];
    case 'context':
      return (_root, _args, context) => context;
    case 'root':
      return (root) => root;
    case 'info':
      return (_root, _args, _context, info) => info;
    default:
      throw new Error(`a resolver takes ${param.kind}, which nothing here reads`);
  }
}
