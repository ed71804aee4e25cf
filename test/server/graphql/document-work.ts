import { GraphQLInterfaceType, GraphQLObjectType, TypeInfo } from 'graphql';

/** `lookups`: reads of the fields of a type. `visits`: nodes of the document that a stage has visited with their types. */
export type DocumentWork = { lookups: number; visits: number };

/**
 * Counts what `work` does with GraphQL documents. Each stage looks up every field once or a few times, and validation visits
 * every node, so the counts say how much work a document causes, on any machine.
 */
export async function documentWork(work: () => unknown): Promise<DocumentWork> {
  const done = { lookups: 0, visits: 0 };
  const undo = [
    counted(GraphQLObjectType.prototype, 'getFields', () => done.lookups++),
    counted(GraphQLInterfaceType.prototype, 'getFields', () => done.lookups++),
    counted(TypeInfo.prototype, 'enter', () => done.visits++),
  ];
  try {
    await work();
  } finally {
    for (const each of undo) each();
  }
  return done;
}

/** Calls `count` at each call of the method. Returns a function that restores the method. */
function counted<Name extends string, T extends Record<Name, (...args: never[]) => unknown>>(
  prototype: T,
  name: Name,
  count: () => void,
): () => void {
  const original = prototype[name];
  Object.assign(prototype, {
    [name](...args: never[]) {
      count();
      return original.apply(this, args);
    },
  });
  return () => void Object.assign(prototype, { [name]: original });
}
