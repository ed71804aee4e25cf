import { GraphQLInterfaceType, GraphQLObjectType, TypeInfo } from 'graphql';

/** `lookups`: reads of the fields of a type. `visits`: nodes of the document that a stage has visited with their types. */
export type DocumentWork = { lookups: number; visits: number };

const COUNTED = [
  [GraphQLObjectType.prototype, 'getFields', 'lookups'],
  [GraphQLInterfaceType.prototype, 'getFields', 'lookups'],
  [TypeInfo.prototype, 'enter', 'visits'],
] as const;

/**
 * Counts what `work` does with GraphQL documents. Each stage looks up every field once or a few times, and validation visits
 * every node, so the counts say how much work a document causes, on any machine.
 */
export async function documentWork(work: () => unknown): Promise<DocumentWork> {
  const done = { lookups: 0, visits: 0 };
  const originals = COUNTED.map(([prototype, name]) => [prototype, { [name]: Reflect.get(prototype, name) }] as const);
  for (const [prototype, name, kind] of COUNTED) {
    const original = Reflect.get(prototype, name);
    const counted = function (this: unknown, ...args: unknown[]) {
      done[kind]++;
      return original.apply(this, args);
    };
    Object.assign(prototype, { [name]: counted });
  }
  try {
    await work();
  } finally {
    for (const [prototype, methods] of originals) Object.assign(prototype, methods);
  }
  return done;
}
