// Writes the GraphQL schema as a TypeScript type, from which gql.tada derives the types of the dashboard's documents. The
// command line of gql.tada needs the JavaScript API of TypeScript 5, which TypeScript 7 does not have.
import { buildSchema, type IntrospectionQuery, introspectionFromSchema } from 'graphql';

export function introspectionType(schemaText: string): string {
  const { __schema } = introspectionFromSchema(buildSchema(schemaText), { descriptions: false });
  const { queryType, mutationType, subscriptionType, types } = __schema;
  const used = types.filter(({ name }) => !name.startsWith('__'));
  const named = (type: { readonly name: string } | null | undefined) => (type ? { name: type.name } : null);
  const lines = used.map((type) => `      ${JSON.stringify(slim(type))},`);
  return [
    '// Generated from schema/schema.graphql by `npm run generate`. Do not edit.',
    'export type introspection = {',
    '  __schema: {',
    `    queryType: ${JSON.stringify(named(queryType))};`,
    `    mutationType: ${JSON.stringify(named(mutationType))};`,
    `    subscriptionType: ${JSON.stringify(named(subscriptionType))};`,
    '    types: [',
    ...lines,
    '    ];',
    '    directives: [];',
    '  };',
    '};',
    '',
  ].join('\n');
}

type IntrospectionType = IntrospectionQuery['__schema']['types'][number];

/** Fields of Query that are null if there is nothing to show. */
const MAY_BE_NULL = ['activeSeason', 'node', 'trade'];

/** The type Query with all fields but `MAY_BE_NULL` made non-null, as pages see it: if a field has an error, the request fails. */
const asInPages = (type: IntrospectionType): unknown => {
  if (type.kind !== 'OBJECT' || type.name !== 'Query') return type;
  const present = (field: (typeof type.fields)[number]) => ({
    ...field,
    type: { kind: 'NON_NULL', ofType: field.type },
  });
  const isPresent = ({ name, type: { kind } }: (typeof type.fields)[number]) => kind !== 'NON_NULL' && !MAY_BE_NULL.includes(name);
  return { ...type, fields: type.fields.map((field) => (isPresent(field) ? present(field) : field)) };
};

/** The type without the properties that have no effect on the types of documents. */
const slim = (type: IntrospectionType): unknown =>
  JSON.parse(
    JSON.stringify(asInPages(type), (name, value) =>
      ['isDeprecated', 'deprecationReason', 'specifiedByURL', 'isOneOf', 'description'].includes(name) ? undefined : value,
    ),
  );
