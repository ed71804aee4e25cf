import { type DocumentNode, type GraphQLSchema, TypeInfo, visit, visitWithTypeInfo } from 'graphql';
import { Extensions } from 'type-graphql';

/**
 * Marks a field whose answer must not be cached: it depends on the caller, it counts or changes something, or it reads the
 * current state of the chain.
 */
export const Uncacheable = Extensions({ cache: 'never' });

/** Whether a valid document selects an uncacheable field. */
export function hasUncacheableField(schema: GraphQLSchema, document: DocumentNode): boolean {
  const types = new TypeInfo(schema);
  let found = false;
  const look = () => {
    if (types.getFieldDef()?.extensions.cache === 'never') found = true;
  };
  visit(document, visitWithTypeInfo(types, { Field: look }));
  return found;
}
