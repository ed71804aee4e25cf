import { ApolloServer, type ApolloServerPlugin } from '@apollo/server';
import { InMemorySpanExporter, SimpleSpanProcessor, TracerProvider } from '@opentelemetry/sdk-trace';
import { expect } from 'chai';
import { registerTracing } from '../../../../src/tracing/tracing.js';
import { freshIp } from '../../../support/market/agents.js';
import { query } from '../../../support/service/graphql.js';
import { overSocket, overStream } from '../../../support/service/live.js';
import { eventually } from '../../../support/service/process.js';
import { useWorld } from '../../../support/world.js';

describe('Apollo Server', () => {
  const seen: string[] = [];
  const { start } = ApolloServer.prototype;
  before(() => {
    // Stands for an environment in which Apollo Server would report the schema to Apollo. The service must not send anything.
    process.env.APOLLO_SCHEMA_REPORTING = 'true';
    const plugin: ApolloServerPlugin = {
      requestDidStart: async () => ({
        async didResolveOperation({ operation, operationName }) {
          seen.push(`${operation?.operation} ${operationName}`);
        },
      }),
    };
    ApolloServer.prototype.start = function () {
      this.addPlugin(plugin);
      return start.call(this);
    };
  });
  after(() => {
    ApolloServer.prototype.start = start;
    delete process.env.APOLLO_SCHEMA_REPORTING;
  });
  const world = useWorld({ TRUST_PROXY: '1', RATE_LIMITS: 'off' });
  beforeEach(() => void seen.splice(0));

  const operations = {
    query: 'query Q { __typename }',
    mutation: 'mutation M { post(text: "Hello") { id } }',
    subscription: 'subscription S { feedEvent { id } }',
  };

  it('gets every query, mutation and subscription over HTTP', async () => {
    for (const text of Object.values(operations)) await query(world, text);
    expect(seen).to.deep.equal(['query Q', 'mutation M', 'subscription S']);
  });

  for (const [name, subscribe] of Object.entries({ WebSocket: overSocket, 'Server-Sent Events': overStream })) {
    it(`gets every query, mutation and subscription over ${name}`, async () => {
      for (const text of Object.values(operations)) {
        const subscriber = await subscribe(world.url, text, { headers: freshIp() });
        const { got, errors } = subscriber;
        if (text !== operations.subscription) {
          await eventually(() => got.length + errors.length > 0, `no answer to ${text}`);
        }
        subscriber.cut();
      }
      expect(seen).to.deep.equal(['query Q', 'mutation M', 'subscription S']);
    });
  }

  it('creates a span with the operation name for each request, even a cached one, and marks refusals', async () => {
    const exporter = new InMemorySpanExporter();
    const end = registerTracing(new TracerProvider({ spanProcessors: [new SimpleSpanProcessor({ exporter })] }));
    try {
      const text = 'query Named { agents { totalCount } }';
      for (const each of [text, text, 'query Wrong { unknown }']) await query(world, each, { headers: freshIp() });
      await query(world, text, { headers: { ...freshIp(), accept: 'image/png' } });
    } finally {
      end();
    }
    const spans = exporter
      .getFinishedSpans()
      .filter(({ name }) => name.startsWith('graphql'))
      // The status code 2 marks a span as failed.
      .map(({ name, attributes, status }) => `${name} ${attributes['graphql.operation.name']} ${status.code === 2}`);
    const expected = [
      'graphql query Named false',
      'graphql query Named false',
      'graphql query Wrong true',
      'graphql undefined true',
    ];
    expect(spans).to.deep.equal(expected);
  });
});
