// CI: it generates types and compiles a client.
import { expect } from 'chai';
import type { Market } from '../support/market/market.js';
import type { Json } from '../support/service/graphql.js';
import { useWorld } from '../support/world.js';
import { type CacheClient, crowded, expectMutations, expectPages, listsOf, plain } from './graphql-market.js';
import { newProject, type Project, removeProject } from './recipes.js';

const FILES = ['codegen.ts', 'src/fetch.ts', 'src/lists.ts', 'src/live.ts', 'src/apollo.ts'];

/** A client with the cache of the recipe, for the shared steps. */
function cacheClient({ load }: Project, client: Json): CacheClient {
  const { gql } = load('@apollo/client');
  return {
    query: async (text, variables) => (await client.query({ query: gql(text), variables })).data,
    mutate: async (text, variables) => (await client.mutate({ mutation: gql(text), variables })).data,
    cached: async (text, variables) => plain(client.readQuery({ query: gql(text), variables })),
    forget: (deletedId) => load('src/apollo').forget(client, deletedId),
    async open(text, variables) {
      const page = client.watchQuery({ query: gql(text), variables });
      const first = new Promise((resolve) => {
        page.subscribe((result: Json) => result.dataState === 'complete' && resolve(result));
      });
      await first;
      return {
        data: () => client.readQuery({ query: gql(text), variables }),
        more: (after) => page.fetchMore({ variables: { after } }),
      };
    },
  };
}

describe('Apollo Client', () => {
  const world = useWorld({ TRUST_PROXY: '1', RATE_LIMITS: 'off' });
  let project: Project;
  let market: Market;
  let client: Json;
  before(async () => {
    market = await crowded(world);
    project = await newProject(world.url, FILES);
    await project.compile();
    client = project.load('src/apollo').apollo(market.ada.key);
  });
  after(() => removeProject(project));

  it('joins three pages of each list', async () => {
    const { lists } = project.load('src/lists');
    expect(lists).to.deep.equal(await listsOf(world));
    await expectPages(world, market, lists, cacheClient(project, client));
  });

  it('shows the figures of the service after every mutation', async () => {
    await expectMutations(world, market, cacheClient(project, client));
  });
});
