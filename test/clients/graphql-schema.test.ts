// CI: it runs a linter.
import { run } from './run.js';

describe('the GraphQL schema', () => {
  it('has no finding of graphql-eslint: schema-recommended, the rules for Relay, and a description of everything', async () => {
    await run('bin/tool', 'eslint', '--config', 'tools/graphql-eslint.config.mjs', 'schema/schema.graphql');
  });
});
