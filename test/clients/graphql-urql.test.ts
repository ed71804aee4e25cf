// CI: it generates types and compiles a client.
import { FaultyLine } from '../support/chain/faulty-line.js';
import type { Market } from '../support/market/market.js';
import type { Json } from '../support/service/graphql.js';
import { useWorld } from '../support/world.js';
import { EVENTS, expectResume } from './graphql-line.js';
import { type CacheClient, crowded, expectMutations, expectNoWarnings, expectPages, plain } from './graphql-market.js';
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
  let line: FaultyLine;
  let project: Project;
  let market: Market;
  const newClient = () => cacheClient(project, project.load('src/urql').urql(market.ada.key));
  expectNoWarnings();
  before(async () => {
    line = await FaultyLine.to(world.url);
    market = await crowded(world);
    project = await newProject(line.url, FILES);
    await project.compile();
  });
  after(async () => {
    removeProject(project);
    await line?.close();
  });

  it('joins three pages of each list', async () => {
    await expectPages(world, market, project.load('src/lists').lists, newClient());
  });

  it('resumes a subscription after a broken connection', async () => {
    const { gql } = project.load('@urql/core');
    const client = project.load('src/urql').urql(market.ada.key);
    await expectResume(world, line, [market.eve, market.bob], (onEvent) => {
      const events = client.subscription(gql(EVENTS), {});
      const subscription = events.subscribe(({ data }: Json) => onEvent(data.feedEvent));
      return () => subscription.unsubscribe();
    });
  });

  it('shows the figures of the service after every mutation', async () => {
    await expectMutations(world, market, newClient());
  });
});
