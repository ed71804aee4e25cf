import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { features } from '../src/features/features.js';
import type { JsonSchema } from '../src/server/json-schema.js';
import type { Document, DocumentedOperation, ResponseObject } from '../src/server/openapi/openapi.js';
import { root } from '../test/support/service/process.js';

const { paths, components, tags }: Document = JSON.parse(readFileSync(join(root, 'schema', 'openapi.json'), 'utf8'));
const operations: readonly DocumentedOperation[] = Object.values(paths).flatMap((item) => Object.values(item));
const responsesOf = ({ responses }: DocumentedOperation) => Object.entries(responses);
const parameters = operations.flatMap(({ operationId, parameters = [] }) =>
  parameters.map((parameter) => ({ ...parameter, at: `${operationId} ${parameter.name}` })),
);

describe('the names of the OpenAPI document', () => {
  it('are words of at most 20 letters, without numbers', () => {
    for (const name of [...Object.keys(components.schemas), ...Object.keys(components.responses)]) {
      expect(name)
        .to.match(/^[A-Z][a-z]+([A-Z][a-z]+)*$/)
        .and.have.length.of.at.most(20);
    }
    expect(components.schemas).to.include.all.keys('Agent', 'Trade', 'LeaderboardRow', 'FeedEvent', 'Failure');
  });

  it('include every tag of an operation, which exactly one feature declares', () => {
    const used = new Set(operations.flatMap((operation) => operation.tags));
    const declared = features.flatMap((feature) => Object.keys(feature.tags ?? {}));
    expect(new Set(declared).size).to.equal(declared.length);
    expect(tags.map(({ name }) => name))
      .to.deep.equal(declared)
      .and.have.members([...used]);
  });

  it('include one response per status that is no success', () => {
    const used = new Map<string, string>();
    for (const operation of operations) {
      for (const [status, response] of responsesOf(operation).filter(([code]) => code >= '300')) {
        expect(response, `${operation.operationId} ${status}`).to.have.property('$ref');
        const { $ref } = response as { readonly $ref: string };
        expect(used.get(status) ?? $ref, `${operation.operationId} ${status}`).to.equal($ref);
        used.set(status, $ref);
      }
    }
    const named = Object.keys(components.responses).map((name) => `#/components/responses/${name}`);
    expect([...used.values()]).to.have.members(named);
  });

  it('cover the failures of each operation, and an example of each error', () => {
    for (const operation of operations) {
      const failures = responsesOf(operation).flatMap(([status]) => (status >= '400' ? [status] : []));
      expect(Object.keys(operation['x-errors']), operation.operationId).to.deep.equal(failures);
    }
    const listed = operations.flatMap((operation) => Object.values(operation['x-errors']).flat());
    expect(new Set(listed)).to.deep.equal(new Set(Object.keys(components.examples)));
    for (const [code, { value }] of Object.entries(components.examples)) expect(value.code).to.equal(code);
  });

  it('cover every object in an answer', () => {
    const unnamed: string[] = [];
    const walk = (schema: JsonSchema, at: string): void => {
      for (const [name, property] of Object.entries(schema.properties ?? {})) visit(property, `${at}.${name}`);
    };
    const visit = (schema: JsonSchema, at: string): void => {
      if (schema.properties) unnamed.push(at);
      for (const key of ['items', 'anyOf', 'oneOf']) {
        for (const part of [schema[key] ?? []].flat()) visit(part as JsonSchema, at);
      }
    };
    for (const operation of operations) {
      for (const [, response] of responsesOf(operation)) {
        walk((response as ResponseObject).content?.['application/json'].schema ?? {}, operation.operationId);
      }
    }
    for (const [name, schema] of Object.entries(components.schemas)) walk(schema, name);
    expect(unnamed).to.deep.equal([]);
  });
});

describe('the answers in the OpenAPI document', () => {
  /** The schemas of objects in all answers and components. `at` is the place that a failed test shows. */
  const objects: { readonly at: string; readonly schema: JsonSchema }[] = [];
  const collect = (value: unknown, at: string): void => {
    if (typeof value !== 'object' || value === null) return;
    const schema = value as JsonSchema;
    if (schema.properties) objects.push({ at, schema });
    for (const [name, part] of Object.entries(value)) collect(part, `${at}.${name}`);
  };
  before(() => {
    for (const operation of operations) collect(responsesOf(operation), operation.operationId);
    collect(components.schemas, 'components');
  });

  it('are open, so that a new field breaks no client that checks them', () => {
    expect(objects).to.have.length.above(60);
    expect(objects.filter(({ schema }) => schema.additionalProperties === false).map(({ at }) => at)).to.deep.equal([]);
  });

  it('have the walletAddress of every agent, and deprecate other names of the same address', () => {
    const agents = objects.filter(({ schema: { properties = {} } }) => 'agentId' in properties && 'name' in properties);
    expect(agents.map(({ at }) => at.split('.').at(-1))).to.include.members([
      'Agent',
      'AgentCard',
      'TopAgent',
      'TrendAgent',
      'FollowedAgent',
      'Holder',
      'LeaderboardRow',
    ]);
    for (const { at, schema } of agents) {
      expect(schema.properties, at).to.include.keys('walletAddress');
      expect(schema.required, at).to.include('walletAddress');
      for (const name of ['id', 'address']) {
        const other = schema.properties?.[name];
        if (other) expect(other.deprecated, `${at} ${name}`).to.equal(true);
      }
    }
  });
});

describe('the parameters of the OpenAPI document', () => {
  it('are deprecated if, and only if, they are aliases', () => {
    const aliases = parameters.filter(({ description }) => description?.startsWith('Alias of '));
    expect(aliases.map(({ name }) => name)).to.have.members(['sortBy', 'type', 'agent']);
    expect(parameters.filter(({ deprecated }) => deprecated)).to.deep.equal(aliases);
  });
});
