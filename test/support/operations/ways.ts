import type { GraphQLField } from 'graphql';
import { graphqlSchema } from '../../../src/features/graphql.js';
import type { Json } from '../service/graphql.js';
import { callTool, mcpClient } from '../service/mcp.js';
import { EXTRA } from '../service/samples.js';
import type { World } from '../world.js';
import { argumentsOf, type Input, requestOf, type Write } from './writes.js';

/** A call of a write. `once` is its idempotency key. */
export type Call = {
  readonly input: Input;
  readonly key?: string | undefined;
  readonly once?: string | undefined;
  readonly headers: Record<string, string>;
  /** Whether a tool gets its arguments in reverse order. @default false */
  readonly isReversed?: boolean;
};

/**
 * The answer to a call, in the same form for each API. `text` has all that a replay must repeat: the result and, over REST, the status
 * and some headers. `code` is that of a refusal.
 */
export type Answered = {
  readonly body: Json;
  readonly text: string;
  readonly code: string | undefined;
  readonly replayed: boolean;
};

/** A way to call a write: an endpoint, a mutation or a tool. */
export type Way = {
  readonly name: string;
  readonly api: 'REST' | 'GraphQL' | 'MCP';
  /** `selection` is for a mutation only. @default the selection of the table */
  call(world: World, call: Call, selection?: string): Promise<Answered>;
};

export const mutations = (graphqlSchema(EXTRA).getMutationType()?.getFields() ?? {}) as Readonly<
  Record<string, GraphQLField<unknown, unknown>>
>;

/** A document with one mutation that gets all its arguments from variables of the same names. */
export function documentOf(name: string, selection: string): string {
  const args = mutations[name]?.args ?? [];
  const variables = args.map((arg) => `$${arg.name}: ${arg.type}`).join(', ');
  const values = args.map((arg) => `${arg.name}: $${arg.name}`).join(', ');
  return `mutation (${variables}) { ${name}(${values}) { ${selection} } }`;
}

const overRest = (write: Write, endpoint: string): Way => ({
  name: endpoint,
  api: 'REST',
  async call(world, { input, key, once, headers }) {
    const { path, ...init } = requestOf(write, endpoint, input);
    const sent = { ...headers, ...(key && { 'x-api-key': key }), ...(once && { 'idempotency-key': once }) };
    const answer = await fetch(world.url + path, { ...init, headers: sent });
    const text = await answer.text();
    const body = JSON.parse(text);
    const kept = [answer.status, answer.headers.get('content-type'), answer.headers.get('cache-control'), text].join('\n');
    return { body, text: kept, code: body.code, replayed: answer.headers.get('idempotent-replayed') === 'true' };
  },
});

const overGraphql = (write: Write): Way => ({
  name: `the mutation ${write.mutation}`,
  api: 'GraphQL',
  async call(world, { input, key, once, headers }, selection = write.selection) {
    const variables = { ...argumentsOf(write, input), ...(once && { idempotencyKey: once }) };
    const query = documentOf(write.mutation, selection);
    const answer = await world.ask('POST', '/graphql', { key, headers, body: { query, variables } });
    const { data, errors, extensions } = answer.body as Json;
    const replayed = answer.headers.get('idempotent-replayed') === 'true';
    if (String(extensions?.idempotentReplayed ?? '') !== (replayed ? write.mutation : ''))
      throw new Error('the header and the extension disagree about the replay');
    const body = data?.[write.mutation];
    // A wrong API key is refused before GraphQL sees the request, in the form of REST.
    const code = errors?.[0]?.extensions.code ?? answer.body.code;
    return { body, text: JSON.stringify(body), code, replayed };
  },
});

const overMcp = ([tool, argumentsFor]: NonNullable<Write['tool']>): Way => ({
  name: `the tool ${tool}`,
  api: 'MCP',
  async call(world, { input, key, once, headers, isReversed = false }) {
    const client = await mcpClient(world, { headers, ...(key && { key }) });
    const given = Object.entries({ ...argumentsFor(input), ...(once && { idempotencyKey: once }) });
    const args = Object.fromEntries(isReversed ? given.reverse() : given);
    const { body, meta } = await callTool(client, tool, args);
    await client.close();
    return { body, text: JSON.stringify(body), code: body.code, replayed: meta['curvet/idempotent-replayed'] === true };
  },
});

/** All ways to call a write. */
export const waysOf = (write: Write): readonly Way[] => [
  ...write.endpoints.map((endpoint) => overRest(write, endpoint)),
  overGraphql(write),
  ...(write.tool ? [overMcp(write.tool)] : []),
];
