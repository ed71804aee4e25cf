import { expect } from 'chai';
import { buildSchema, execute, parse, validate } from 'graphql';
import { CompiledQuery } from '../../../../src/server/graphql/compiled.js';
import type { GraphContext } from '../../../../src/server/graphql/context.js';

const schema = buildSchema(`
  interface Named { name: String! }
  type Agent implements Named { name: String!, price: Float, owner: Agent, greeting(to: String = "all"): String }
  type Word { length: Int }
  type Season implements Named { name: String! }
  type Query { word: Word, agent: Agent, named: Named, text: String, count: Int!, agents: [Agent], strict: [Agent!]!, matrix: [[Int!]] }
`);
const named = schema.getType('Named');
if (named && 'resolveType' in named) named.resolveType = ({ kind }: { kind: string }) => kind;

const document = parse(`{ agent { name price owner { name greeting } greeting(to: "you") } named { name ... on Agent { price } }
  text count agents { name price __proto__: name } strict { name } matrix word { length } }`);
const context = {} as GraphContext;

/** Values of the root fields with which graphql-js reports no error. */
const whole = {
  agent: {
    name: 'ada',
    price: 1.5,
    owner: Promise.resolve({ name: 'eve', greeting: null }),
    prefix: 'to ',
    greeting({ to }: { to: string }) {
      return this.prefix + to;
    },
  },
  named: { kind: 'Agent', name: 'bob', price: null },
  text: undefined,
  count: 3,
  agents: [{ name: 'a' }, Promise.resolve({ name: 'b', price: 2 }), null],
  strict: new Set([{ name: 'c' }]),
  word: { length: 7 },
  matrix: [[1, Promise.resolve(2)], null, []],
};

/**
 * The answers of graphql-js and of the compiled query if the root fields have these values. If a value is a function, the field
 * returns its result. null means that graphql-js reports errors, so the compiled query must give up.
 */
async function answers(values: object): Promise<[expected: string, answer: string]> {
  for (const field of Object.values(schema.getQueryType()?.getFields() ?? {})) {
    field.resolve = () => {
      const value = values[field.name as keyof typeof values] as unknown;
      return typeof value === 'function' ? value() : value;
    };
  }
  const { data, errors } = await execute({ schema, document, contextValue: context });
  const answer = await new CompiledQuery(schema, document, undefined).prepare({})?.(context);
  return [JSON.stringify(errors ? null : data), JSON.stringify(answer)];
}

const reject = () => Promise.reject(new Error('rejected'));
const fail = () => {
  throw new Error('thrown');
};

describe('a plan of a query', () => {
  it('gives the answer of graphql-js, with the keys in the same order', async () => {
    expect(validate(schema, document)).to.deep.equal([]);
    const [expected, answer] = await answers(whole);
    expect(answer)
      .to.equal(expected)
      .and.include('"greeting":"to you"')
      .and.include('"matrix":[[1,2],null,[]],"word":{"length":7}');
    const [asynchronous, other] = await answers({ ...whole, text: async () => 'late', count: async () => 4 });
    expect(other).to.equal(asynchronous).and.include('"text":"late","count":4');
  });

  const failures: Readonly<Record<string, object>> = {
    'a resolver that throws after one that rejects': { agent: reject, named: fail },
    'a resolver that rejects with no error': { text: () => Promise.reject('no error') },
    'a method that throws': { agent: { name: 'a', greeting: fail } },
    'a getter that throws': { agent: Object.defineProperty({}, 'name', { get: fail }) },
    'an error as a value': { agent: new Error('value') },
    'an error as an item of a list': { agents: [new Error('item')] },
    'null for a field that is never null': { count: null },
    'undefined for an item that is never null': { strict: [undefined] },
    'null for a field of an object that is never null': { agent: { name: null } },
    'a value that the scalar refuses': { count: 'many' },
    'a promise of a value that the scalar refuses': { count: async () => 'many' },
    'text instead of a list': { matrix: ['12'] },
    'an object instead of a list': { agents: {} },
    'a type that does not exist': { named: { kind: 'Nobody', name: 'a' } },
    'a type that does not implement the interface': { named: { kind: 'Query', name: 'a' } },
    'an object without a type': { named: { name: 'a' } },
  };
  for (const [what, values] of Object.entries(failures)) {
    it(`leaves the query to graphql-js because of ${what}`, async () => {
      expect(await answers({ ...whole, ...values })).to.deep.equal(['null', 'null']);
    });
  }

  it('leaves the query to graphql-js because of text instead of an object, whose properties graphql-js ignores', async () => {
    const [expected, answer] = await answers({ ...whole, word: 'ada' });
    expect(expected).to.include('"word":{"length":null}');
    expect(answer).to.equal('null');
  });

  it('handles all rejections, also of items after one that has failed', async () => {
    const unhandled: unknown[] = [];
    const add = (reason: unknown) => unhandled.push(reason);
    process.on('unhandledRejection', add);
    try {
      const fields = schema.getQueryType()?.getFields() ?? {};
      const resolvers: Readonly<Record<string, () => unknown>> = {
        agent: reject,
        agents: () => [{ name: null }, reject(), reject()],
        strict: fail,
      };
      for (const field of Object.values(fields)) field.resolve = resolvers[field.name] ?? (() => null);
      const three = parse('{ agent { name } agents { name } strict { name } }');
      expect(await new CompiledQuery(schema, three, undefined).prepare({})?.(context)).to.equal(null);
      await new Promise(setImmediate);
      expect(unhandled).to.deep.equal([]);
    } finally {
      process.removeListener('unhandledRejection', add);
    }
  });

  it('waits for its running resolvers before it leaves the query to graphql-js', async () => {
    const { promise, resolve } = Promise.withResolvers<null>();
    const settled: string[] = [];
    for (const field of Object.values(schema.getQueryType()?.getFields() ?? {})) {
      field.resolve = field.name === 'agent' ? () => promise.then(() => settled.push('agent')) : fail;
    }
    const execution = new CompiledQuery(schema, document, undefined).prepare({})?.(context);
    const end = execution?.then((data) => settled.push(`end ${data}`));
    await new Promise(setImmediate);
    expect(settled).to.deep.equal([]);
    resolve(null);
    await end;
    expect(settled).to.deep.equal(['agent', 'end null']);
  });
});
