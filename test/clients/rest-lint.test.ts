// CI: it runs two linters.
import { expect } from 'chai';
import { run } from './run.js';

const DOCUMENT = './schema/openapi.json';

describe('the OpenAPI document', () => {
  it('has no finding of Redocly with the rules recommended-strict', async () => {
    const found = JSON.parse(await run('bin/tool', 'redocly', 'lint', DOCUMENT, '--format', 'json'));
    expect(found.totals).to.deep.equal({ errors: 0, warnings: 0, ignored: 0 });
  });

  it('has no finding of Spectral with its rules for OpenAPI', async () => {
    expect(
      JSON.parse(await run('bin/tool', 'spectral', 'lint', DOCUMENT, '--format', 'json', '--quiet')),
    ).to.deep.equal([]);
  });
});
