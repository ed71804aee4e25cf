import { type DocumentNode, type GraphQLSchema, isObjectType, TypeInfo, visit, visitWithTypeInfo } from 'graphql';
import { Extensions } from 'type-graphql';

/**
 * Marks a field whose answer is never kept: it depends on who asks, it counts or changes something, or it has to be the
 * chain's own word of this moment.
 */
export const NeverKept = Extensions({ kept: 'never' });

/** Whether a valid document asks for such a field. */
export function asksForNeverKept(schema: GraphQLSchema, document: DocumentNode): boolean {
  const types = new TypeInfo(schema);
  let found = false;
  const look = () => {
    if (types.getFieldDef()?.extensions.kept === 'never') found = true;
  };
  visit(document, visitWithTypeInfo(types, { Field: look }));
  return found;
}

/** `Type.field` of all that are marked. */
export const neverKept = (schema: GraphQLSchema): string[] =>
  Object.values(schema.getTypeMap())
    .filter(isObjectType)
    .flatMap((type) =>
      Object.values(type.getFields())
        .filter(({ extensions }) => extensions.kept === 'never')
        .map(({ name }) => `${type.name}.${name}`),
    );
