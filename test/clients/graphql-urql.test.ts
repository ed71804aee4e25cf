// CI: it generates types and compiles a client.
import type { Market } from '../support/market/market.js';
import type { Json } from '../support/service/graphql.js';
import { useWorld } from '../support/world.js';
import { type CacheClient, crowded, expectMutations, expectPages, plain } from './graphql-market.js';
import { newProject, type Project, removeProject } from './recipes.js';

const FILES = ['codegen.ts', 'src/fetch.ts', 'src/lists.ts', 'src/live.ts', 'src/urql.ts'];

/** A client with the cache of the recipe, for the shared steps. */
function cacheClient({ load }: Project, client: Json): CacheClient {
  const { gql } = load('@urql/core');
  const done = async (operation: Json): Promise<Json> => {
    const { data, error } = await operation.toPromise();
    if (error) throw error;
    return data;
  };
  const read = (text: string, variables: object, requestPolicy: string) =>
    done(client.query(gql(text), variables, { requestPolicy }));
  return {
    query: (text, variables) => read(text, variables, 'network-only'),
    mutate: (text, variables) => done(client.mutation(gql(text), variables)),
    cached: async (text, variables) => plain(await read(text, variables, 'cache-only')),
    async open(text, variables) {
      let shown = await read(text, variables, 'cache-first');
      return {
        data: () => shown,
        more: async (after) => {
          shown = await read(text, { ...variables, after }, 'cache-first');
        },
      };
    },
  };
}

describe('urql with graphcache', () => {
  const world = useWorld({ TRUST_PROXY: '1', RATE_LIMITS: 'off' });
  let project: Project;
  let market: Market;
  const newClient = () => cacheClient(project, project.load('src/urql').urql(market.ada.key));
  before(async () => {
    market = await crowded(world);
    project = await newProject(world.url, FILES);
    await project.compile();
  });
  after(() => removeProject(project));

  it('joins three pages of each list', async () => {
    await expectPages(world, market, project.load('src/lists').lists, newClient());
  });

  it('shows the figures of the service after every mutation', async () => {
    await expectMutations(world, market, newClient());
  });
});
