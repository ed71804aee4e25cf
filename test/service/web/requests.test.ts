import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { buildSchema, getOperationAST, NoDeprecatedCustomRule, parse, specifiedRules, validate } from 'graphql';
import { webSources } from '../../../lint/sources.js';
import { dashboardQueries } from '../../../src/features/dashboard/dashboard.js';
import { costOf } from '../../../src/server/graphql/cost.js';
import { exampleOf, groupsOf, isOpen, type OpenApi } from '../../../web/src/pages/developers/reference/openapi.js';
import { addListedAgent } from '../../support/market/rows.js';
import { answerOf } from '../../support/service/graphql.js';
import { root } from '../../support/service/process.js';
import { useWorld } from '../../support/world.js';

const schema = buildSchema(readFileSync(join(root, 'schema/schema.graphql'), 'utf8'));

const queries = dashboardQueries().map((text) => {
  const document = parse(text);
  return { text, document, name: getOperationAST(document)?.name?.value ?? '' };
});

describe('the requests of the dashboard', () => {
  const world = useWorld({ RATE_LIMITS: 'off' });

  it('have unique names, and are all collected by the build', () => {
    const operations = webSources.flatMap(({ text }) => [...text.matchAll(/\bgraphql\(\s*`\s*(?:query|mutation|subscription) /g)]);
    expect(queries).to.have.length(operations.length).above(25);
    const names = new Set(queries.map(({ name }) => name));
    expect(names.delete(''), 'a query without a name').to.equal(false);
    expect(names.size, 'queries with names of their own').to.equal(queries.length);
  });

  for (const { text, document, name } of queries) {
    it(`match the schema, cost no more than allowed, and are known to the service by their hash: ${name}`, async () => {
      const rules = [...specifiedRules, NoDeprecatedCustomRule];
      expect(validate(schema, document, rules).map(({ message }) => message)).to.deep.equal([]);
      // `Candles` reads a price chart over the whole time. It is the largest query, so it may cost more. Only this query has the
      // variable `first`, of at most 150 candles.
      expect(costOf(schema, document, name, { first: 150 })).to.be.at.most(name === 'Candles' ? 1000 : 700);
      const sha256Hash = createHash('sha256').update(text).digest('hex');
      const body = { extensions: { persistedQuery: { version: 1, sha256Hash } } };
      const { errors } = answerOf(await world.ask('POST', '/graphql', { body }));
      expect(errors.map(({ extensions }) => extensions.code)).to.not.include('PERSISTED_QUERY_NOT_FOUND');
    });
  }

  it('are not found by a hash that is sent as the text of a query', async () => {
    const query = createHash('sha256').update(String(queries[0]?.text)).digest('hex');
    const { errors } = answerOf(await world.ask('POST', '/graphql', { body: { query } }));
    expect(errors[0]?.extensions.code).to.equal('GRAPHQL_PARSE_FAILED');
  });

  it('are valid if the page for developers offers them', async () => {
    const openapi: OpenApi = JSON.parse(readFileSync(join(root, 'schema', 'openapi.json'), 'utf8'));
    const offered = groupsOf(openapi)
      .flatMap(({ endpoints }) => endpoints)
      .filter(isOpen);
    const { wallet } = await addListedAgent(world, { agentId: 'ada' }, { agentId: 'ada', supply: 9 });
    expect(offered).to.have.length.above(20);
    for (const endpoint of offered) {
      const path = exampleOf(endpoint, wallet);
      expect((await world.ask('GET', path)).status, path).to.not.equal(400);
    }
  });
});
