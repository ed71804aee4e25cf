// The rules of graphql-eslint for the schema: schema-recommended, those for Relay, and the exceptions.
import graphql from '@graphql-eslint/eslint-plugin';

const { 'flat/schema-recommended': recommended, 'flat/schema-relay': relay } = graphql.configs;
const rule = (name) => `@graphql-eslint/${name}`;
const [, naming] = recommended.rules[rule('naming-convention')];

export default [
  {
    files: ['schema/schema.graphql'],
    plugins: { '@graphql-eslint': graphql },
    languageOptions: {
      parser: graphql.parser,
      parserOptions: { graphQLConfig: { schema: 'schema/schema.graphql' } },
    },
    rules: {
      ...recommended.rules,
      ...relay.rules,
      // Everything is described, not only types and the fields of the roots.
      [rule('require-description')]: [
        'error',
        {
          types: true,
          DirectiveDefinition: true,
          EnumValueDefinition: true,
          FieldDefinition: true,
          InputValueDefinition: true,
        },
      ],
      // These values are the words of REST, which its specification fixes.
      [rule('naming-convention')]: [
        'error',
        {
          ...naming,
          EnumValueDefinition: { style: 'UPPER_CASE', ignorePattern: '^(claimed|pending_claim|external|managed)$' },
        },
      ],
      // Fields such as Trade.trader and Trend.trendScore have the words of their field.
      [rule('no-typename-prefix')]: 'off',
      // Lists page forward only.
      [rule('relay-arguments')]: ['error', { includeBoth: false }],
      // Connections have nodes, too, and short lists are plain. node finds what is looked up alone, not each entry of a list.
      [rule('relay-edge-types')]: ['error', { listTypeCanWrapOnlyEdgeType: false, shouldImplementNode: false }],
      // Caches store these inside the object or the answer that has them.
      [rule('strict-id-in-types')]: [
        'error',
        {
          exceptions: {
            suffixes: ['Connection', 'Edge', 'State'],
            types: [
              ...['PageInfo', 'Registration', 'RecordedTrade', 'Deletion', 'WalletTickets'],
              ...['Price', 'Quote', 'UnsignedTransaction', 'Refusal', 'NameAvailability', 'PnlLeaderboard', 'PnlStanding'],
              ...['LinkSign', 'StandingWithoutLinks'],
            ],
          },
        },
      ],
    },
  },
];
