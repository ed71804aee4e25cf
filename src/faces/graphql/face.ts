import type { Deps } from '../../deps.js';
import { features } from './features.js';
import { createFace } from './http/server.js';
import { graphqlSchema } from './schema.js';

/** Creates the GraphQL face with all features. */
export const graphqlFace = (deps: Deps) =>
  createFace(deps, graphqlSchema({ keyReplacement: deps.config.KEY_REPLACEMENT === 'on' }), features.readPayloads);
