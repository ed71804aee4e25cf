import { spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { buildSchema, NoDeprecatedCustomRule, parse, specifiedRules, validate } from 'graphql';
import { Curvet } from '../../../../client/src/curvet.js';
import { PLANNER, SCOUT } from '../../../../src/features/examples.js';
import { graphqlExamples } from '../../../../src/features/guides/graphql-examples.js';
import type { JsonSchema } from '../../../../src/server/json-schema.js';
import type { Document, DocumentedOperation, ResponseObject } from '../../../../src/server/openapi/openapi.js';
import { newAgent, type TestAgent } from '../../../support/market/agents.js';
import { addSeason, addThesis, randomWallet } from '../../../support/market/rows.js';
import { childEnvironment } from '../../../support/processes.js';
import { root } from '../../../support/service/process.js';
import { useWorld } from '../../../support/world.js';

const committed: Document = JSON.parse(readFileSync(join(root, 'schema', 'openapi.json'), 'utf8'));
const fieldsOf = ({ responses }: DocumentedOperation): Readonly<Record<string, JsonSchema>> =>
  (responses['200'] as ResponseObject | undefined)?.content?.['application/json'].schema.properties ?? {};
const operations = Object.entries(committed.paths).flatMap(([path, item]) =>
  Object.entries(item).map(([method, operation]) => ({
    name: `${method.toUpperCase()} ${path}`,
    id: operation.operationId,
    samples: operation['x-codeSamples'],
    // An operation that returns a list of a page. The arrays in the answers about the contract and the guides are no such lists.
    isList:
      method === 'get' &&
      !['Contract', 'Guides'].includes(operation.tags[0] ?? '') &&
      Object.values(fieldsOf(operation)).some(({ type }) => type === 'array'),
  })),
);
const samplesIn = (lang: string) =>
  operations.flatMap(({ name, id, samples }) => {
    const source = samples.find((one) => one.lang === lang)?.source;
    return source === undefined ? [] : [{ name, id, source }];
  });
const reads = ({ name }: { readonly name: string }) => name.startsWith('GET ');

describe('the examples of the operations', () => {
  const world = useWorld({ TRUST_PROXY: '1', RATE_LIMITS: 'off' });
  let scout: TestAgent;
  let planner: TestAgent;
  let thesis: string;
  /** An example with the URL, the agents, the thesis, the code and the key of this world in place of those in the documentation. */
  const here = (source: string) =>
    source
      .replaceAll('https://curvet.example', world.url)
      .replaceAll(SCOUT, scout.wallet)
      .replaceAll(PLANNER, planner.wallet)
      .replaceAll('hYc8Vb2nT0q1xkzv3m7uLQ', thesis)
      .replaceAll('CURVET-7K2Q', scout.code)
      .replaceAll('your key', planner.key);

  before(async () => {
    scout = await newAgent(world, { name: 'Scout' });
    planner = await newAgent(world, { name: 'Planner' });
    // The trade is not in the feed, and no trade of Scout: their examples would read a second page after a page with rows.
    thesis = (await addThesis(world, 'Up', { trader: planner.wallet, agent: randomWallet() })).eventId;
    await addSeason(world, 1, -1, 1);
  });

  it('begin with curl, and have GraphQL for every list', () => {
    for (const { id, samples, isList } of operations) {
      expect([id, samples[0].label]).to.deep.equal([id, 'curl']);
      if (isList) expect(samples.some(({ lang }) => lang === 'GraphQL')).to.equal(true, id);
    }
    expect(operations.filter(({ isList }) => isList)).to.have.length.above(15);
  });

  for (const { name, source } of samplesIn('Shell').filter(reads)) {
    it(`in curl get the status 200 for ${name}`, async () => {
      const [, path = ''] = /^curl 'https:\/\/curvet\.example([^']*)'/.exec(source) ?? [];
      const key = source.includes('x-api-key') ? { key: planner.key } : {};
      const { status } = await world.ask('GET', here(path), key);
      expect(status).to.equal(200);
    });
  }

  it('have a call of the client for every operation that its methods send', () => {
    const methods = readFileSync(join(root, 'client', 'src', 'resources.ts'), 'utf8');
    const sent = new Set([...methods.matchAll(/'([A-Z]+ \/[^']*)'/g)].map(([, name = '']) => name));
    expect(sent.size).to.be.above(25);
    // A client method with `{address}` sends the operations with `/me/`, too, so it counts for both.
    const isSent = (name: string) => sent.has(name) || sent.has(name.replace('/me/', '/{address}/'));
    const shown = new Set(samplesIn('TypeScript').map(({ name }) => name));
    expect([...sent, ...operations.map(({ name }) => name)].filter((name) => isSent(name) && !shown.has(name))).to.be.empty;
  });

  it('in TypeScript compile', () => {
    const folder = join(root, 'dist', `samples-${process.pid}`);
    mkdirSync(folder);
    try {
      const files = samplesIn('TypeScript').map(({ id, source }) => {
        writeFileSync(join(folder, `${id}.ts`), `${source}\n`);
        return `${id}.ts`;
      });
      const compilerOptions = { module: 'NodeNext', target: 'ES2023', types: ['node'], strict: true, noEmit: true };
      writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions, files }));
      writeFileSync(join(folder, 'package.json'), '{ "type": "module" }');
      const tsc = join(root, 'node_modules', 'typescript', 'bin', 'tsc');
      const { status, stdout } = spawnSync(process.execPath, [tsc, '-p', folder], {
        encoding: 'utf8',
        env: childEnvironment(),
      });
      expect([status, stdout]).to.deep.equal([0, '']);
    } finally {
      rmSync(folder, { recursive: true });
    }
  });

  for (const { name, source } of samplesIn('TypeScript').filter(reads)) {
    it(`in TypeScript send the request ${name}`, async () => {
      const sent: string[] = [];
      class Recording extends Curvet {
        constructor(options: ConstructorParameters<typeof Curvet>[0]) {
          const record: typeof globalThis.fetch = (input, init) => {
            sent.push(`${init?.method ?? 'GET'} ${new URL(String(input)).pathname}`);
            return fetch(input, init);
          };
          super({ ...options, fetch: record });
        }
      }
      const printed: unknown[] = [];
      const program = here(source).replace(/^import .*$/m, '');
      const run = new Function('Curvet', 'console', `return (async () => {${program}})()`);
      await run(Recording, { log: (value: unknown) => printed.push(value) });
      expect(printed).to.have.lengthOf(1);
      expect(sent).to.have.lengthOf(1);
      expect(sent[0]).to.match(new RegExp(`^${name.replace(/\{\w+\}/g, '[^/]+')}$`));
    });
  }

  it('in GraphQL and in the editor are valid in the schema, without deprecated fields', () => {
    const rules = [...specifiedRules, NoDeprecatedCustomRule];
    const schema = buildSchema(readFileSync(join(root, 'schema', 'schema.graphql'), 'utf8'));
    for (const text of [...samplesIn('GraphQL').map(({ source }) => source), ...graphqlExamples.map(({ query }) => query)]) {
      expect(validate(schema, parse(text), rules).map(String), text).to.deep.equal([]);
    }
  });

  for (const { name, source } of samplesIn('GraphQL').filter(reads)) {
    it(`in GraphQL get an answer without errors for ${name}`, async () => {
      const { body } = await world.ask('POST', '/graphql', { body: { query: here(source) }, key: planner.key });
      expect(body.errors).to.equal(undefined);
      for (const value of Object.values(body.data as object)) expect(value).not.to.equal(null);
    });
  }
});
