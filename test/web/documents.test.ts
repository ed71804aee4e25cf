import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { buildSchema, getOperationAST, NoDeprecatedCustomRule, parse, specifiedRules, validate } from 'graphql';
import { dashboardQueries } from '../../src/features/dashboard/dashboard.js';
import { costOf } from '../../src/server/graphql/cost.js';
import { answerOf } from '../support/service/graphql.js';
import { root } from '../support/service/process.js';
import { useWorld } from '../support/world.js';

const schema = buildSchema(readFileSync(join(root, 'schema/schema.graphql'), 'utf8'));

const sources = readdirSync(join(root, 'web/src'), { recursive: true, encoding: 'utf8' })
  .filter((path) => /\.tsx?$/.test(path))
  .map((path) => readFileSync(join(root, 'web/src', path), 'utf8'));

const queries = dashboardQueries().map((text) => {
  const document = parse(text);
  return { text, document, name: getOperationAST(document)?.name?.value ?? '' };
});

describe('the GraphQL documents of the dashboard', () => {
  const world = useWorld({ RATE_LIMITS: 'off' });

  it('are all written by the build', () => {
    const operations = sources.flatMap((text) => [
      ...text.matchAll(/\bgraphql\(\s*`\s*(?:query|mutation|subscription) /g),
    ]);
    expect(queries).to.have.length(operations.length).above(25);
  });

  for (const { text, document, name } of queries) {
    it(`match the schema, cost at most 700 points, and are known to the service by their hash: ${name}`, async () => {
      const rules = [...specifiedRules, NoDeprecatedCustomRule];
      expect(validate(schema, document, rules).map(({ message }) => message)).to.deep.equal([]);
      // An agent's price chart over the whole time is the largest request.
      expect(costOf(schema, document, name, { first: 150 })).to.be.at.most(name === 'Candles' ? 1000 : 700);
      const sha256Hash = createHash('sha256').update(text).digest('hex');
      const body = { extensions: { persistedQuery: { version: 1, sha256Hash } } };
      const { errors } = answerOf(await world.ask('POST', '/graphql', { body }));
      expect(errors.map(({ extensions }) => extensions.code)).to.not.include('PERSISTED_QUERY_NOT_FOUND');
    });
  }

  it('are known by their hash, not by a query that is a hash', async () => {
    const query = createHash('sha256').update(String(queries[0]?.text)).digest('hex');
    const { errors } = answerOf(await world.ask('POST', '/graphql', { body: { query } }));
    expect(errors[0]?.extensions.code).to.equal('GRAPHQL_PARSE_FAILED');
  });

  it('have names of their own', () => {
    const names = queries.map(({ name }) => name);
    expect(new Set(names).size).to.equal(names.length);
    expect(names).to.not.include('');
  });
});
