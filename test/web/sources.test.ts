import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect } from 'chai';
import { buildSchema, getOperationAST, NoDeprecatedCustomRule, parse, specifiedRules, validate } from 'graphql';
import { dashboardQueries } from '../../src/features/dashboard/dashboard.js';
import { costOf } from '../../src/server/graphql/cost.js';
import { exampleOf, groupsOf, isOpen, type OpenApi } from '../../web/src/pages/developers/reference/openapi.js';
import { addListedAgent } from '../support/market/rows.js';
import { answerOf } from '../support/service/graphql.js';
import { root } from '../support/service/process.js';
import { webSources } from '../support/sources.js';
import { useWorld } from '../support/world.js';

const schema = buildSchema(readFileSync(join(root, 'schema/schema.graphql'), 'utf8'));

const queries = dashboardQueries().map((text) => {
  const document = parse(text);
  return { text, document, name: getOperationAST(document)?.name?.value ?? '' };
});

describe('the requests of the dashboard', () => {
  const world = useWorld({ RATE_LIMITS: 'off' });

  it('have GraphQL documents with names of their own, all written by the build', () => {
    const operations = webSources.flatMap(({ text }) => [...text.matchAll(/\bgraphql\(\s*`\s*(?:query|mutation|subscription) /g)]);
    expect(queries).to.have.length(operations.length).above(25);
    const names = new Set(queries.map(({ name }) => name));
    expect(names.delete(''), 'a query without a name').to.equal(false);
    expect(names.size, 'queries with names of their own').to.equal(queries.length);
  });

  for (const { text, document, name } of queries) {
    it(`match the schema, cost at most 700 points, and are known to the service by their hash: ${name}`, async () => {
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

  it('are known by their hash, not by a query that is a hash', async () => {
    const query = createHash('sha256').update(String(queries[0]?.text)).digest('hex');
    const { errors } = answerOf(await world.ask('POST', '/graphql', { body: { query } }));
    expect(errors[0]?.extensions.code).to.equal('GRAPHQL_PARSE_FAILED');
  });

  it('are accepted if the page for developers offers to send them', async () => {
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

const folder = join(root, 'web/src/pages');
const sheets = readdirSync(folder, { recursive: true, encoding: 'utf8' })
  .filter((path) => path.endsWith('.css'))
  .map((path) => ({ path: `web/src/pages/${path}`, text: readFileSync(join(folder, path), 'utf8') }));

/** The selectors of the rules in a style sheet, without the conditions of media queries. */
const selectorsOf = (text: string): string[] =>
  text
    .replaceAll(/\/\*.*?\*\//gs, '')
    .split(/[{}]/)
    .filter((part) => /^[^;@]*$/.test(part))
    .flatMap((part) => part.split(/,(?![^(]*\))/))
    .map((part) => part.trim())
    .filter((part) => part.startsWith('.') || /^[a-z]/.test(part));

/** The classes that an element needs to match a selector. Classes in `:not()` are left out. */
const classesOf = (selector: string): string[] =>
  [...selector.replaceAll(/:not\([^)]*\)/g, '').matchAll(/\.([a-z][\w-]*)/gi)].map(([, name = '']) => name);

/** The CSS classes that a source file gives to elements. */
const givenIn = (text: string): Set<string> => {
  const values = [...text.matchAll(/\bclass=("[^"]*"|\{(?:`[^`]*`|[^}`])*\})/g)].map(([, value = '']) => value);
  const strings = values.flatMap((value) => value.match(/"[^"]*"|'[^']*'|`[^`]*`/g) ?? []);
  return new Set(strings.flatMap((value) => value.replaceAll(/\$\{[^}]*\}/g, ' ').match(/[\w-]+/g) ?? []));
};

describe('the sources of the dashboard', () => {
  const allowed = ['src/values/money.ts', 'src/values/curve.ts'];

  it('import nothing of the service but the curve and amounts of ether', () => {
    const wrong = webSources.flatMap(({ path, imports }) =>
      imports
        .filter((target) => /^(src|client)\//.test(target) && !allowed.includes(target))
        .map((target) => `${path} -> ${target}`),
    );
    expect(wrong).to.deep.equal([]);
  });

  it('never interpret a text as HTML', () => {
    const html = /innerHTML|outerHTML|insertAdjacentHTML|document\.write|srcdoc|DOMParser/i;
    expect(webSources.filter(({ text }) => html.test(text)).map(({ path }) => path)).to.deep.equal([]);
  });

  // The style sheet of a page stays loaded when the reader opens another page, so its rules must not match elements of
  // other pages.
  for (const { path, text } of sheets) {
    it(`style no element of other pages: ${path}`, () => {
      const importers = webSources.filter(({ imports }) => imports.includes(path)).map((source) => dirname(source.path));
      expect(importers).to.not.deep.equal([]);
      const own = [dirname(path), ...importers];
      const others = webSources.filter(
        (source) => source.path.endsWith('.tsx') && !own.some((folder) => dirname(source.path).startsWith(folder)),
      );
      const { shared = [], ...pages } = Object.groupBy(others, ({ path }) =>
        path.startsWith('web/src/pages/') ? String(path.split('/')[3]) : 'shared',
      );
      const given = Object.values(pages).map((page = []) => givenIn([...page, ...shared].map((source) => source.text).join('\n')));
      const leaks = selectorsOf(text).filter((selector) =>
        given.some((names) => classesOf(selector).every((name) => names.has(name))),
      );
      expect(leaks).to.deep.equal([]);
    });
  }
});
