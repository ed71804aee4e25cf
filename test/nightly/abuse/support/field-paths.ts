import {
  type GraphQLArgument,
  type GraphQLField,
  type GraphQLObjectType,
  getNamedType,
  isAbstractType,
  isEnumType,
  isInputObjectType,
  isLeafType,
  isNonNullType,
  isObjectType,
} from 'graphql';
import { schema } from './graphql-documents.js';

type Field = GraphQLField<unknown, unknown>;
/** Writes the value of an argument as a literal, by the name of the argument and the name of its type. */
export type LiteralOf = (argument: string, type: string) => string;

export type FieldPath = {
  /** Names of the type and of the field, such as `Agent.fullPnl`. */
  readonly name: string;
  /** The field of the root type where the document begins. */
  readonly root: Field;
  readonly document: string;
};

/**
 * Returns a document for every field of every type that a root type reaches, by a shortest path. For
 * `Agent.agentId` it is `{ agent(address: "…") { agentId } }`.
 */
export function fieldPaths(operation: 'query' | 'mutation', literalOf: LiteralOf): FieldPath[] {
  const rootType = (operation === 'query' ? schema.getQueryType() : schema.getMutationType()) as GraphQLObjectType;
  const paths: FieldPath[] = [];
  type Step = {
    readonly type: GraphQLObjectType;
    readonly root: Field | undefined;
    readonly around: (inner: string) => string;
  };
  const queue: Step[] = [{ type: rootType, root: undefined, around: (inner) => `${operation} { ${inner} }` }];
  const seen = new Set([rootType.name]);
  // The loop appends each type that it finds, and visits it later: breadth first, so each type gets a shortest path.
  for (const { type, root, around } of queue) {
    for (const field of Object.values(type.getFields())) {
      const of = getNamedType(field.type);
      const call = `${field.name}${argumentsOf(field, literalOf)}`;
      const start = root ?? field;
      paths.push({ name: `${type.name}.${field.name}`, root: start, document: around(`${call}${leavesOf(of)}`) });
      for (const next of isAbstractType(of) ? schema.getPossibleTypes(of) : isObjectType(of) ? [of] : []) {
        if (seen.has(next.name)) continue;
        seen.add(next.name);
        const inside = (inner: string) => (isAbstractType(of) ? `__typename ... on ${next.name} { ${inner} }` : inner);
        queue.push({ type: next, root: start, around: (inner) => around(`${call} { ${inside(inner)} }`) });
      }
    }
  }
  return paths;
}

/** The text of the arguments of a field: those that are required, and those that name an agent. */
function argumentsOf({ args }: Field, literalOf: LiteralOf): string {
  const given = args.filter(({ name, type }) => isNonNullType(type) || /^(agent|address|agentId)$/.test(name));
  // A query for an agent takes either its address or its agentId, so `agentId` is left out if there is `address`.
  const one = given.filter(({ name }) => name !== 'agentId' || !given.some((other) => other.name === 'address'));
  const texts = one.filter(({ defaultValue }) => defaultValue === undefined).map((argument) => textOf(argument, literalOf));
  return texts.length === 0 ? '' : `(${texts.join(', ')})`;
}

function textOf({ name, type }: Pick<GraphQLArgument, 'name' | 'type'>, literalOf: LiteralOf): string {
  const of = getNamedType(type);
  if (isEnumType(of)) return `${name}: ${of.getValues()[0]?.name}`;
  if (!isInputObjectType(of)) return `${name}: ${literalOf(name, of.name)}`;
  const required = Object.values(of.getFields()).filter((field) => isNonNullType(field.type));
  return `${name}: { ${required.map((field) => textOf(field, literalOf)).join(', ')} }`;
}

/** The selection set that a field needs if its type has fields. `__typename` is enough to reach the field. */
const leavesOf = (of: ReturnType<typeof getNamedType>): string => (isLeafType(of) ? '' : ' { __typename }');
