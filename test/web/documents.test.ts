import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { buildSchema, type DocumentNode, Kind, parse, validate, visit } from 'graphql';
import { costOf } from '../../src/faces/graphql/engine/cost.js';
import { root } from '../support/service/process.js';

const schema = buildSchema(readFileSync(join(root, 'schema/schema.graphql'), 'utf8'));

const sources = readdirSync(join(root, 'web/src'), { recursive: true, encoding: 'utf8' })
  .filter((path) => /\.tsx?$/.test(path))
  .map((path) => ({ path, text: readFileSync(join(root, 'web/src', path), 'utf8') }));

/** The texts of all documents in the sources of the dashboard. */
const texts = sources.flatMap(({ path, text }) =>
  [...text.matchAll(/\bgraphql\(\s*`([^`]*)`/g)].map(([, document = '']) => ({ path, document })),
);
const parsed = texts.map(({ path, document }) => ({ path, document: parse(document) }));
const fragments = new Map(
  parsed.flatMap(({ document }) =>
    document.definitions.flatMap((node) => (node.kind === Kind.FRAGMENT_DEFINITION ? [[node.name.value, node]] : [])),
  ),
);

/** The document with the fragments that it uses, directly or through other fragments. */
function complete(document: DocumentNode): DocumentNode {
  const used = new Map(document.definitions.map((node) => [node, node]));
  const add = (node: DocumentNode | NonNullable<ReturnType<typeof fragments.get>>): void => {
    visit(node, {
      FragmentSpread({ name }) {
        const fragment = fragments.get(name.value);
        if (!fragment || used.has(fragment)) return;
        used.set(fragment, fragment);
        add(fragment);
      },
    });
  };
  add(document);
  return { ...document, definitions: [...used.values()] };
}

const operations = parsed
  .map(({ path, document }) => ({ path, document: complete(document) }))
  .flatMap(({ path, document }) =>
    document.definitions.flatMap((node) =>
      node.kind === Kind.OPERATION_DEFINITION ? [{ path, document, name: node.name?.value ?? '' }] : [],
    ),
  );

describe('the GraphQL documents of the dashboard', () => {
  it('are found in the sources', () => {
    expect(operations.map(({ name }) => name)).to.include.members(['Market', 'Search', 'LiveFeed', 'Agent']);
    const written = sources.flatMap(({ text }) => [...text.matchAll(/\bgraphql\(\s*`/g)]);
    expect(texts).to.have.length(written.length);
  });

  for (const { path, document, name } of operations) {
    it(`match the schema, and cost at most 700 points: ${name} (${path})`, () => {
      expect(validate(schema, document).map(({ message }) => message)).to.deep.equal([]);
      // An agent's price chart over the whole time is the largest request.
      const cost = costOf(schema, document, name, { first: 150 });
      expect(cost).to.be.at.most(name === 'Candles' ? 1000 : 700);
    });
  }

  it('have names of their own', () => {
    const names = operations.map(({ name }) => name);
    expect(new Set(names).size).to.equal(names.length);
    expect(names).to.not.include('');
  });
});
