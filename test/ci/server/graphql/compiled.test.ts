import { hash } from 'node:crypto';
import { expect } from 'chai';
import { defaultFieldResolver, getNamedType, isInterfaceType, isNonNullType, isObjectType, parse } from 'graphql';
import { AppError } from '../../../../src/errors/errors.js';
import { graphqlSchema } from '../../../../src/features/graphql.js';
import type { Actor } from '../../../../src/keys.js';
import { authenticate } from '../../../../src/server/authenticate.js';
import { Documents } from '../../../../src/server/graphql/documents.js';
import { Engine } from '../../../../src/server/graphql/engine.js';
import { isCacheable } from '../../../../src/server/graphql/types/object-types.js';
import type { Sql } from '../../../../src/store/sql.js';
import { type Market, populate } from '../../../support/market/market.js';
import { type RandomDocument, randomDocument } from '../../../support/market/random-documents.js';
import { replacing } from '../../../support/parts.js';
import { query } from '../../../support/service/graphql.js';
import { useWorld } from '../../../support/world.js';

const IP = '192.0.2.1';
const schema = graphqlSchema();

describe('compiled queries', () => {
  const world = useWorld({ TRUST_PROXY: '1', RATE_LIMITS: 'off' });
  let market: Market;
  let actor: Actor | null;
  /**
   * `compiled` counts the executions that had a compiled query, `answered` those that it answered. graphql-js answers the others:
   * the first two of each document, because a query is compiled at its third execution, and those with errors.
   */
  const count = { compiled: 0, answered: 0 };
  const { execution } = Documents.prototype;

  before(async () => {
    market = await populate(world);
    actor = await authenticate(world.deps, market.bob.key, IP);
    Documents.prototype.execution = function (...given) {
      const execute = execution.apply(this, given);
      if (execute === undefined) return undefined;
      count.compiled += 1;
      return async (context) => {
        const data = await execute(context);
        if (data) count.answered += 1;
        return data;
      };
    };
  });
  beforeEach(() => Object.assign(count, { compiled: 0, answered: 0 }));
  after(() => {
    Documents.prototype.execution = execution;
  });

  /**
   * Answers a document without the cache of answers. Errors have the order in which resolvers end, so they are sorted. If a
   * non-null field fails in several rows, only the first error is reported, so `row` replaces the indices in its path.
   */
  async function answerOf(engine: Engine, { text, variables }: RandomDocument): Promise<string> {
    const call = { actor, ip: IP, request: { query: text, variables } };
    const outcome = await engine.live(call, { mayWrite: false });
    if (outcome.kind !== 'answer') throw new Error('not an answer');
    const { errors = [], ...result } = outcome.result;
    const withoutRow = (step: string | number) => (typeof step === 'number' ? 'row' : step);
    const texts = errors.map((error) => JSON.stringify({ ...error, path: error.path?.map(withoutRow) })).sort();
    return JSON.stringify(texts.length > 0 ? { errors: texts, ...result } : result);
  }

  it('have the answers of graphql-js to 500 random documents over the whole schema, also if resolvers fail', async () => {
    // No document selects these fields, because their values change between two executions.
    const without = new Set(['markRead', 'Query.liveSequence']);
    const selected = new Set<string>();
    const engines = [new Engine(world.deps, schema), new Engine(world.deps, failingSchema())];
    for (const engine of engines) await engine.start();
    const expected = { compiled: 0, answered: 0 };
    let failed = 0;
    // A document that was drawn before is skipped: its query is already compiled, so the expected counts would be wrong.
    const texts = new Set<string>();
    while (texts.size < 500) {
      const document = randomDocument(schema, { samples: samplesOf(market), without, selected });
      if (texts.has(document.text)) continue;
      texts.add(document.text);
      const isCompiled = isCacheable(schema, parse(document.text));
      for (const engine of engines) {
        const answer = await answerOf(engine, document);
        const hasErrors = answer.includes('"errors"');
        if (hasErrors) failed += 1;
        // The third and the fourth of four executions.
        if (isCompiled) expected.compiled += 2;
        if (isCompiled && !hasErrors) expected.answered += 2;
        const what = `${document.text} ${JSON.stringify(document.variables)}`;
        for (let times = 2; times <= 4; times++) expect(await answerOf(engine, document), what).to.equal(answer);
        expect(count, what).to.deep.equal(expected);
      }
    }
    const missing = reachableFields().filter((name) => !selected.has(name) && !without.has(name));
    // A random choice of documents leaves out a few fields.
    expect(missing.length, missing.join()).to.be.below(30);
    expect(failed).to.be.above(200);
    expect(expected.answered).to.be.above(600);
  });

  const variables = { least: '0.0001', after: null, agent: 'bob', yes: true };
  const confusing: Readonly<Record<string, string>> = {
    'a condition above a fragment':
      '{ agents @include(if: false) { ...F } agents { totalCount } } fragment F on AgentConnection { nodes { id } }',
    'a fragment with and without a condition':
      '{ agents { ...F @include(if: false) ...F } } fragment F on AgentConnection { totalCount }',
    'conditions that variables decide': `query ($yes: Boolean!, $no: Boolean = false) { agents { nodes { name } }
        agents @skip(if: $yes) { totalCount nodes { id } }
        agents @include(if: $yes) { nodes { isClaimed ticketPrice @skip(if: $no) } } }`,
    'an alias that is the name of a prototype': '{ agents { nodes { __proto__: name constructor: id toString: id then: name } } }',
    'aliases with underscores': '{ agents { a_b: nodes { c: name } a: nodes { b_c: id b: __typename } } }',
    'fields of a type and its interface in several fragments': `{ feed { nodes { id agent { name }
        ... on TradeEvent { agent { id } trader { name } } ... on Node { id } ...E } } }
        fragment E on FeedEvent { createdAt agent { name walletAddress } }`,
    'literals in lists': '{ nodes(ids: ["nothing", "Season:2"]) { __typename id } search(q: "ada") { totalCount } }',
    'questions about the schema': `{ __typename __type(name: "Agent") { name interfaces { name } }
        __schema { queryType { name fields(includeDeprecated: true) { name type { kind ofType { name } } } } } }`,
    'variables of every kind, null and defaults': `query ($least: Eth, $most: Eth = "1", $sort: AgentSort = PRICE,
        $after: String, $first: Int, $agent: AgentRef!, $before: DateTime = "2100-01-01T00:00:00Z") {
        agents(minPrice: $least, maxPrice: $most, sort: $sort, after: $after, first: $first) { nodes { name } }
        candles(agent: $agent, before: $before) { close } }`,
  };
  for (const [what, text] of Object.entries(confusing)) {
    it(`have the answer of graphql-js to ${what}`, async () => {
      const engine = new Engine(world.deps, schema);
      await engine.start();
      const expected = await answerOf(engine, { text, variables });
      expect(expected).to.include('"data"').and.not.include('"errors"');
      for (let times = 2; times <= 4; times++) expect(await answerOf(engine, { text, variables })).to.equal(expected);
      expect(count).to.deep.equal({ compiled: 2, answered: 2 });
    });
  }

  it('leave an error to graphql-js, so that it is INTERNAL and logged once without values at each execution', async () => {
    const { sql } = world.deps;
    const faults: Record<string, Sql> = {
      'a resolver that rejects': async (text, ...values) => {
        const isList = text.includes('description');
        if (isList) throw Object.assign(new Error('the reason'), { code: '22007', params: ['written-by-the-caller'] });
        return sql(text, ...values);
      },
      'a getter that throws': async (...call) => {
        const rows = await sql(...call);
        return rows.map((row) => ({ ...(row as object), supply: 'wrong' })) as never;
      },
    };
    for (const [what, faulty] of Object.entries(faults)) {
      Object.assign(count, { compiled: 0, answered: 0 });
      const text = `query ${what.replaceAll(' ', '')} { agents { nodes { description ticketPrice } } }`;
      const uncached = { headers: { 'cache-control': 'no-cache' } };
      const expected = await query(world, text, uncached);
      for (let times = 2; times <= 10; times++) {
        const logged = world.logged.length;
        await replacing(world, { sql: faulty as Sql }, async () => {
          const { data, errors } = await query(world, text, uncached);
          expect(data, what).to.deep.equal({ agents: null });
          expect(
            errors.map(({ extensions, path }) => [extensions.code, path?.[0]]),
            what,
          ).to.deep.equal([['INTERNAL', 'agents']]);
        });
        const lines = world.logged.slice(logged).filter(({ level }) => Number(level) > 30);
        expect(lines, what).to.have.length(1);
        expect(JSON.stringify(lines)).to.not.include('written-by-the-caller');
      }
      // The third to the tenth execution.
      expect(count, what).to.deep.equal({ compiled: 8, answered: 0 });
      expect((await query(world, text, uncached)).data, what).to.deep.equal(expected.data);
      expect(count.answered, what).to.equal(1);
    }
  });
});

/** Values for the arguments of the random documents. Some of them are invalid, so that errors are compared, too. */
const samplesOf = ({ ada, bob, eve, bought }: Market) => ({
  Address: [ada.wallet, eve.wallet],
  AgentRef: ['bob', 'Ada', eve.wallet, 'nobody'],
  Boolean: [true, false],
  DateTime: ['2100-01-01T00:00:00Z'],
  Eth: ['0.001', '2'],
  Float: [1, 2.5],
  Hash: [bought, `0x${'1'.repeat(64)}`],
  Int: [1, 2, 0],
  address: [ada.wallet, 'nobody'],
  after: ['nonsense'],
  agentId: ['ada', 'bob', 'nobody'],
  code: [bob.code, 'nothing'],
  first: [1, 2, 3],
  id: [ada.wallet, 'Season:2', `Trade:${bought}`, 'nothing'],
  ids: [ada.wallet, 'Season:2', 'nothing'],
  name: ['Ada', 'New name'],
  q: ['ada', 'e b', 'a'],
  search: ['a'],
  thesis: ['Cheap'],
});

/** The fields that a query can select, as `Type.field`. */
function reachableFields(): string[] {
  const names = new Set<string>();
  const add = (type: unknown): void => {
    if (isInterfaceType(type)) for (const one of schema.getPossibleTypes(type)) add(one);
    if (!isObjectType(type) && !isInterfaceType(type)) return;
    for (const { name, type: below } of Object.values(type.getFields())) {
      if (names.has(`${type.name}.${name}`)) continue;
      names.add(`${type.name}.${name}`);
      add(getNamedType(below));
    }
  };
  add(schema.getQueryType());
  return [...names];
}

const failures: (() => unknown)[] = [
  () => {
    throw new Error('thrown');
  },
  () => Promise.reject(new AppError('AGENT_NOT_FOUND')),
  () => new Error('returned'),
  () => null,
];

/** A schema where some fields fail. The place in an answer decides whether and how a field fails, so repeated executions agree. */
function failingSchema() {
  const failing = graphqlSchema({ KEY_REPLACEMENT: 'on' });
  for (const type of Object.values(failing.getTypeMap())) {
    if (!isObjectType(type) || type.name.startsWith('__')) continue;
    for (const field of Object.values(type.getFields())) {
      const { resolve } = field;
      // The other fields stay without a resolver, so that the default resolver is tested, too.
      if (resolve === undefined && numberOf(`${type.name}.${field.name}`) % 4 > 0) continue;
      field.resolve = (source, args, context, info) => {
        const isNeverNull = isNonNullType(field.type);
        // The choice leaves out the indices of the path, which only graphql-js passes. It also leaves out the row for a non-null
        // field: graphql-js reports only the first row that fails, so all rows must fail in the same way.
        const row = isNeverNull ? {} : (source?.row ?? {});
        const places: unknown[] = Object.values(row).filter((value) => typeof value === 'string');
        for (let place: typeof info.path | undefined = info.path; place; place = place.prev) {
          if (typeof place.key === 'string') places.push(place.key);
        }
        const fail = failures[numberOf(places.join()) % 100];
        // graphql-js leaves some rejections in a list unhandled if one of the items throws, so non-null fields never throw.
        if (fail) return isNeverNull ? Promise.resolve().then(fail) : fail();
        return (resolve ?? defaultFieldResolver)(source, args, context, info);
      };
    }
  }
  return failing;
}

const numberOf = (text: string): number => Buffer.from(hash('sha256', text, 'hex'), 'hex').readUInt32BE();
