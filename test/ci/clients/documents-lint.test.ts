import { expect } from 'chai';
import { run } from './recipes.js';

const DOCUMENT = './schema/openapi.json';

describe('the committed documents of the API', () => {
  it('have no finding of Redocly with the rules recommended-strict', async () => {
    const found = JSON.parse(await run('bin/tool', 'redocly', 'lint', DOCUMENT, '--format', 'json'));
    expect(found.totals).to.deep.equal({ errors: 0, warnings: 0, ignored: 0 });
  });

  it('have no finding of Spectral with its rules for OpenAPI', async () => {
    const found = JSON.parse(await run('bin/tool', 'spectral', 'lint', DOCUMENT, '--format', 'json', '--quiet'));
    expect(found).to.deep.equal([]);
  });

  it('have no finding of graphql-eslint with schema-recommended, the rules for Relay and required descriptions', async () => {
    await run('bin/tool', 'eslint', '--config', 'tools/graphql-eslint.config.mjs', 'schema/schema.graphql');
  });
});
