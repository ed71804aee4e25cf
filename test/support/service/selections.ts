import { graphqlFields, type Resource, type ResourceFields, restFields, type View } from '../../../src/server/resources/field.js';

// Selections with which tests ask GraphQL for the fields that REST shows, too, so that they can compare both answers. They are made
// from the declarations of the resources.

/** A selection of those fields of a resource that REST shows, too. */
const allOf = (resource: Resource): string =>
  [...graphqlFields(resource.fields as ResourceFields)]
    .flatMap(([name, field]) => (field.shown.rest === false ? [] : name + below(field.graphqlType.of)))
    .join(' ');
/** The selection of the fields of an object type. Empty for a scalar. */
const below = (of: unknown): string =>
  typeof of === 'object' && of !== null && 'fields' in of ? ` { ${allOf(of as Resource)} }` : '';

/** A selection of the fields that a view and a resource share, under their names in REST. */
export const shared = (view: View, resource: Resource): string => {
  const graphql = [...graphqlFields(resource.fields as ResourceFields)];
  return restFields(view.fields as ResourceFields)
    .flatMap(([name, field]) => {
      const found = graphql.find(([, one]) => one === field);
      return found ? [`${name}: ${found[0]}${below(field.graphqlType.of)}`] : [];
    })
    .join(' ');
};
