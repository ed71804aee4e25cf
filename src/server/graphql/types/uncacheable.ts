import { type DocumentNode, type GraphQLSchema, TypeInfo, visit, visitWithTypeInfo } from 'graphql';
import { Extensions } from 'type-graphql';

/**
 * Marks a field whose answer must not be cached: it depends on the caller, it counts or changes something, or it reads the
 * current state of the chain.
 */
export const Uncacheable = Extensions({ cache: 'never' });

/** Whether a document changes nothing, and selects no uncacheable field. */
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
