import { graphqlFields, type Resource, type ResourceFields, restFields, type View } from '../../../src/server/resources/field.js';

// Makes selections for GraphQL queries from the declarations of the resources.

/** A selection of those fields of a resource that REST shows, too. */
const allOf = (resource: Resource): string =>
  [...graphqlFields(resource.fields as ResourceFields)]
    .flatMap(([name, field]) => (field.shown.rest === false ? [] : name + below(field.graphqlType.of)))
    .join(' ');
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
