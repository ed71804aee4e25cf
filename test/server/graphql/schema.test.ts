import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { graphqlSchema } from '../../../src/graphql.js';
import { schemaText } from '../../../src/server/graphql/schema.js';
import { freshIp } from '../../support/market/agents.js';
import { root } from '../../support/service/process.js';
import { useWorld } from '../../support/world.js';

for (const keyReplacement of [false, true]) {
  describe(`the GraphQL schema of a service with KEY_REPLACEMENT=${keyReplacement ? 'on' : 'off'}`, () => {
    const world = useWorld({ TRUST_PROXY: '1', KEY_REPLACEMENT: keyReplacement ? 'on' : 'off' });
    const read = (headers: Record<string, string> = {}) =>
      fetch(`${world.url}/graphql/schema.graphql`, { headers: { ...freshIp(), ...headers } });

    it(`is served as text with an ETag${keyReplacement ? '' : ', as in schema/schema.graphql'}`, async () => {
      const answer = await read();
      expect(answer.status).to.equal(200);
      expect(answer.headers.get('content-type')).to.equal('text/plain; charset=utf-8');
      const text = await answer.text();
      const committed = () => readFileSync(join(root, 'schema', 'schema.graphql'), 'utf8');
      expect(text).to.equal(keyReplacement ? schemaText(graphqlSchema({ keyReplacement })) : committed());
      expect(text.includes('replaceKey')).to.equal(keyReplacement);
      const etag = answer.headers.get('etag') ?? '';
      expect((await read({ 'if-none-match': etag })).status).to.equal(304);
    });
  });
}
