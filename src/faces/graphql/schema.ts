import type { GraphQLSchema } from 'graphql';
import { buildSchema } from './engine/schema.js';
import { features } from './features.js';

const schema = buildSchema(features);

/** The schema, which is built once. With `keyReplacement`, each call builds one that can replace keys. */
export const graphqlSchema = ({ keyReplacement = false } = {}): GraphQLSchema =>
  keyReplacement ? buildSchema(features, { keyReplacement }) : schema;
