import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { newAgent } from '../../support/market/agents.js';
import { addListedAgent, addTrade } from '../../support/market/rows.js';
import { root } from '../../support/service/process.js';
import { useWorld } from '../../support/world.js';
import { newProject, removeProjects, run } from './recipes.js';

const DOCUMENT = './schema/openapi.json';

type Generator = {
  /** The program of tools/ and its arguments. It writes the client to `api` in the given folder. */
  readonly command: (folder: string, url: string) => readonly string[];
  /** The part of the test program that imports the client and defines how it reads. */
  readonly client: string;
};

const generators: Readonly<Record<string, Generator>> = {
  'openapi-typescript': {
    command: (folder) => [DOCUMENT, '-o', join(folder, 'api.ts')],
    client: `
      import type { components, operations } from './api';
      type Failure = components['schemas']['Failure'];
      type FeedEvent = components['schemas']['FeedEvent'];
      type Answer<O extends keyof operations> = operations[O] extends {
        responses: { 200: { content: { 'application/json': infer A } } };
      } ? A : never;
      const read = async <T>(path: string, query: object = {}): Promise<T> =>
        (await (await fetch(url + path + '?' + new URLSearchParams(Object.entries(query).map(([k, v]) => [k, String(v)])))).json()) as T;
      const agents = (query: NonNullable<operations['getAgents']['parameters']['query']>) =>
        read<Answer<'getAgents'>>('/api/agents', query);
      const trades = (address: string, query: NonNullable<operations['getAgentsByAddressTrades']['parameters']['query']>) =>
        read<Answer<'getAgentsByAddressTrades'>>('/api/agents/' + address + '/trades', query);
      const feed = () => read<Answer<'getFeed'>>('/api/feed');
      const failure = (address: string) => read<Failure>('/api/agents/' + address);`,
  },
  'openapi-ts': {
    command: (folder) => ['-i', DOCUMENT, '-o', join(folder, 'api'), '--no-log-file', '--silent'],
    client: `
      import { client } from './api/client.gen';
      import { getAgents, getAgentsByAddress, getAgentsByAddressTrades, getFeed } from './api/sdk.gen';
      import type { Failure, FeedEvent, GetAgentsByAddressTradesData, GetAgentsData } from './api/types.gen';
      client.setConfig({ baseUrl: url });
      const throwOnError = true;
      const agents = async (query: GetAgentsData['query']) => (await getAgents({ query, throwOnError })).data;
      const trades = async (address: string, query: GetAgentsByAddressTradesData['query']) =>
        (await getAgentsByAddressTrades({ path: { address }, query, throwOnError })).data;
      const feed = async () => (await getFeed({ throwOnError })).data;
      const failure = async (address: string): Promise<Failure> => {
        const { error } = await getAgentsByAddress({ path: { address } });
        if (error === undefined) throw new Error('no failure');
        return error;
      };`,
  },
  orval: {
    command: (folder, url) => {
      const output = { target: join(folder, 'api.ts'), client: 'fetch', baseUrl: url };
      const config = join(folder, 'orval.config.mjs');
      writeFileSync(config, `export default ${JSON.stringify({ curvet: { input: join(root, DOCUMENT), output } })};`);
      return ['--config', config];
    },
    client: `
      import { getAgents, getAgentsByAddress, getAgentsByAddressTrades, getFeed } from './api';
      import type { Failure, FeedEvent, GetAgentsByAddressTradesParams, GetAgentsParams } from './api';
      const ok = <R extends { status: number; data: unknown }>(response: R): Extract<R, { status: 200 }>['data'] => {
        if (response.status !== 200) throw new Error(String(response.status));
        return response.data;
      };
      const agents = async (query: GetAgentsParams) => ok(await getAgents(query));
      const trades = async (address: string, query: GetAgentsByAddressTradesParams) =>
        ok(await getAgentsByAddressTrades(address, query));
      const feed = async () => ok(await getFeed());
      const failure = async (address: string): Promise<Failure> => {
        const response = await getAgentsByAddress(address);
        if (response.status !== 404) throw new Error(String(response.status));
        return response.data;
      };`,
  },
};

/** A program that uses a generated client: it filters by a boolean, pages until the list ends, and reads types and a code. */
const PROGRAM = `
  async function main() {
    let page = 1;
    const names: string[] = [];
    for (;;) {
      const { agents: list, pagination } = await agents({ verified: false, page, limit: 2 });
      names.push(...list.map(({ name }) => name));
      // A service that repeats a page ends here, and the test fails.
      if (!pagination.hasMore || page === 9) break;
      page += 1;
    }
    const { trades: list, total } = await trades('scout', { side: 'made' });
    const hashes = list.map(({ txHash }) => txHash);
    const events: readonly FeedEvent[] = (await feed()).feed;
    const amounts: number[] = events.map((event) => (event.type === 'BOUGHT' ? event.amount : 0));
    const { code } = await failure('nobody');
    console.log(JSON.stringify({ page, names, hashes, total, code, events: amounts.length }));
  }
  void main();`;

describe('a client that is generated from the OpenAPI document', () => {
  const world = useWorld({ RATE_LIMITS: 'off' });
  const made: string[] = [];
  // The agents of the market, the newest first, as the list shows them.
  const names = ['Agent 4', 'Agent 3', 'Agent 2', 'Agent 1', 'Scout'];
  before(async () => {
    const scout = await newAgent(world, { name: 'Scout' });
    for (let i = 0; i < 7; i++) {
      const trade = { trader: scout.wallet, agent: scout.wallet, blockNumber: 10_000_000 + i };
      made.unshift((await addTrade(world, trade)).txHash);
    }
    for (const name of names.slice(0, 4).reverse()) await addListedAgent(world, { name });
  });
  after(removeProjects);

  for (const [name, { command, client }] of Object.entries(generators)) {
    it(`by ${name} compiles with strict options, and reads a list until its end`, async () => {
      const use = `const url = ${JSON.stringify(world.url)};${client}${PROGRAM}`;
      const project = await newProject(world.url, [], { 'use.ts': use }, (folder) =>
        run('bin/tool', name, ...command(folder, world.url)),
      );
      const printed = JSON.parse(await run('bin/node', join(project.folder, 'out', 'use.js')));
      removeProjects();
      // 5 agents, 2 per page, are 3 pages. Without a key, the service answers the newest 5 of the 7 trades.
      const read = { page: 3, names, hashes: made.slice(0, 5), code: 'AGENT_NOT_FOUND' };
      expect(printed).to.deep.include(read);
    });
  }
});
