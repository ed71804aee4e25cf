import { hash } from 'node:crypto';
import { expect } from 'chai';
import { getOperationAST, parse, validate } from 'graphql';
import { graphqlSchema } from '../../../../src/features/graphql.js';
import { CompiledQuery } from '../../../../src/server/graphql/compiled.js';
import type { GraphContext } from '../../../../src/server/graphql/context.js';
import { Documents } from '../../../../src/server/graphql/documents.js';

const schema = graphqlSchema();

const ALIASES = Array.from({ length: 60 }, (_, n) => `a${n}`);

/** Stores a document as Apollo Server does. Returns its hash. */
async function store(documents: Documents, text: string): Promise<string> {
  const sha256 = hash('sha256', text, 'hex');
  await documents.documentStore.set(`schema:${sha256}`, parse(text));
  return sha256;
}

/** Counts executions of a document, as the engine does. Returns for each of them whether it got a compiled query. */
function execute(documents: Documents, sha256: string, times: number, variables = {}): boolean[] {
  const name = getOperationAST(parse(documents.byHash(sha256)?.text ?? ''))?.name?.value;
  return Array.from({ length: times }, () => documents.execution(sha256, name, variables) !== undefined);
}

describe('the documents of clients', () => {
  it('are compiled at their third execution', async () => {
    const documents = new Documents(schema, []);
    const sha256 = await store(documents, 'query A { agents { nodes { name } } } query B { agents { totalCount } }');
    const known = documents.byHash(sha256);
    // The executions of A and B count together. Each field of a compiled query counts as 10 characters: A has 3 fields, B has 2.
    const sizes = ['A', 'A', 'A', 'B', 'A'].map((name) => {
      const execute = documents.execution(sha256, name, {});
      return [execute !== undefined, (known?.size ?? 0) - (known?.text.length ?? 0) - 1];
    });
    expect(sizes).to.deep.equal([
      [false, 0],
      [false, 0],
      [true, 30],
      [true, 50],
      [true, 50],
    ]);
  });

  it('are not compiled if each is executed only once', async () => {
    const documents = new Documents(schema, []);
    for (let n = 0; n < 1000; n++) {
      const sha256 = await store(documents, `query Q${n} { agents(first: 1) { nodes { name } } }`);
      expect(execute(documents, sha256, 1)).to.deep.equal([false]);
    }
  });

  it('are evicted together with their compiled code, whose size counts', async () => {
    const documents = new Documents(schema, []);
    const wide = (n: number) => `query Q${n} { ${ALIASES.map((alias) => `${alias}: agents { nodes { name } }`).join(' ')} }`;
    const stored: string[] = [];
    const isStored = (sha256: string) => documents.byHash(sha256) !== undefined;
    for (let n = 0; n < 130; n++) stored.push(await store(documents, wide(n)));
    expect(stored.filter(isStored)).to.have.length(130);
    for (const sha256 of stored) {
      if (isStored(sha256)) expect(execute(documents, sha256, 3)).to.deep.equal([false, false, true]);
    }
    // The compiled query of a document has 180 fields, each of which counts as 10 characters of the 300,000 that the cache holds.
    expect(stored.filter(isStored)).to.have.length(Math.floor(300_000 / (wide(100).length + 1 + 1800)));
    const others = Array.from({ length: 500 }, (_, n) => store(documents, `query Other${n} { agents { totalCount } }`));
    await Promise.all(others);
    expect(stored.filter(isStored)).to.deep.equal([]);
  });

  it('have at most four plans, one for each combination of conditions', async () => {
    const documents = new Documents(schema, []);
    const text = `query ($a: Boolean!, $b: Boolean!, $c: Boolean!) {
      agents { a: totalCount @skip(if: $a) ...F } trending { totalCount } }
      fragment F on AgentConnection { b: totalCount @include(if: $b) c: totalCount @skip(if: $c) }`;
    const sha256 = await store(documents, text);
    // The number of fields in all plans of the query. A plan has only the fields that its conditions leave in.
    const sizeWith = (a: boolean, b: boolean, c: boolean) => {
      expect(execute(documents, sha256, 3, { a, b, c })[2]).to.equal(true);
      return ((documents.byHash(sha256)?.size ?? 0) - text.length - 1) / 10;
    };
    expect(sizeWith(false, true, false)).to.equal(6);
    expect(sizeWith(true, false, true)).to.equal(6 + 3);
    expect(sizeWith(false, true, false)).to.equal(6 + 3);
    expect(sizeWith(true, true, true)).to.equal(6 + 3 + 4);
    expect(sizeWith(true, true, false)).to.equal(6 + 3 + 4 + 5);
    // The fifth combination evicts the plan of the first, which has 6 fields.
    expect(sizeWith(false, false, false)).to.equal(3 + 4 + 5 + 5);
  });

  const many = ALIASES.map((alias) => `${alias}: name`).join(' ');
  const left: Readonly<Record<string, string>> = {
    'a field that depends on the caller': '{ feed { nodes { ... on StatusEvent { isLiked } } } }',
    'a field that changes something': 'query ($read: Boolean = true) { heartbeat(markRead: $read) { __typename } }',
    'a plan that would be too long': `{ feed { nodes { agent { feed { nodes { agent { feed { nodes {
      agent { ${many} } } } } } } } } } }`,
    'a mutation': 'mutation { dropClaim { __typename } }',
  };
  for (const [what, text] of Object.entries(left)) {
    it(`are left to graphql-js because of ${what}`, async () => {
      expect(validate(schema, parse(text))).to.deep.equal([]);
      const documents = new Documents(schema, []);
      expect(execute(documents, await store(documents, text), 4)).to.deep.equal([false, false, false, false]);
    });
  }

  it('are left to graphql-js for one execution if a variable is invalid, or null where null is refused', async () => {
    const text = 'query ($first: Int, $after: String) { agents(first: $first, after: $after) { __typename } }';
    const query = new CompiledQuery(schema, parse(text), undefined);
    expect(query.prepare({ first: 'many' })).to.equal(undefined);
    // Returns null before it executes anything. An execution would fail, because the context is undefined.
    expect(await query.prepare({ first: null })?.(undefined as unknown as GraphContext)).to.equal(null);
  });
});
