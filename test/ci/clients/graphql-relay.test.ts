import { expect } from 'chai';
import { FaultyLine } from '../../support/chain/faulty-line.js';
import type { TestAgent } from '../../support/market/agents.js';
import type { Market } from '../../support/market/market.js';
import type { Json } from '../../support/service/graphql.js';
import { useWorld } from '../../support/world.js';
import { EVENTS, expectDropped, expectLiveList, expectResume, subscribed } from './graphql-line.js';
import { crowded, expectNoWarnings, expectPages, type List, listsOf, required } from './graphql-market.js';
import { newProject, type Project, removeProjects } from './recipes.js';

const FILES = [
  'relay.config.json',
  'src/fetch.ts',
  'src/key.ts',
  'src/live.ts',
  'src/relay.ts',
  'src/holders.ts',
  'src/relay-feed.ts',
];

const ARGUMENTS = '@argumentDefinitions(first: { type: "Int", defaultValue: 1 }, after: { type: "String" })';
/** Selections by which a query reaches the type that has a list. */
const owners: Readonly<Record<string, string>> = {
  Agent: 'agent(address: $ada) { ...FRAGMENT }',
  Me: 'me { ...FRAGMENT }',
  Season: 'season(number: 2) { ...FRAGMENT }',
  Query: '...FRAGMENT',
};

/**
 * Text of a file with one fragment per list, with which Relay pages the list. The recipe has such a fragment only for `holders`.
 */
function listsFile(lists: Readonly<Record<string, readonly string[]>>): string {
  const documents = Object.entries(lists).flatMap(([type, names]) =>
    names.map((name) => {
      const list = `${type.toLowerCase()}${name}`;
      const owner = owners[type]?.replace('FRAGMENT', `lists_${list}`);
      return `
export const ${list}Page = graphql\`query lists${list}PageQuery${type === 'Agent' ? '($ada: String!)' : ''} { ${owner} }\`;
export const ${list} = graphql\`fragment lists_${list} on ${type} @refetchable(queryName: "lists${list}Query") ${ARGUMENTS} {
  ${name}(${required[name] ?? ''}first: $first, after: $after) @connection(key: "lists_${list}_${name}") { edges { node { id } } } }\`;`;
    }),
  );
  return `import { graphql } from 'relay-runtime';\n${documents.join('\n')}`;
}

/** Reads a fragment of a query from the store, as a component with `usePaginationFragment` does. */
function pagedFragment({ load }: Project, environment: Json, query: Json, variables: object, path: string | undefined) {
  const runtime: Json = load('relay-runtime');
  const read = (fragment: Json) => {
    const operation = runtime.createOperationDescriptor(runtime.getRequest(query), variables);
    const page = environment.lookup(operation.fragment).data;
    const selector = runtime.getSelector(runtime.getFragment(fragment), path ? page[path] : page);
    return { selector, data: environment.lookup(selector).data };
  };
  return {
    load: () => runtime.fetchQuery(environment, query, variables).toPromise(),
    data: (fragment: Json) => read(fragment).data,
    /** Fetches the next page with the query that relay-compiler wrote for the fragment. */
    more(fragment: Json, list: string) {
      const { paginationRequest, paginationMetadata, identifierField } = runtime.getPaginationMetadata(
        runtime.getFragment(fragment),
        'test',
      );
      const { selector, data: shown } = read(fragment);
      const { endCursor } = shown[list].pageInfo;
      const next = runtime.getPaginationVariables('forward', 1, endCursor, selector.variables, {}, paginationMetadata);
      const variables = { ...next, ...(identifierField && { id: shown[identifierField] }) };
      return runtime.fetchQuery(environment, paginationRequest, variables).toPromise();
    },
  };
}

/** Reads a list through its fragment in the file of `listsFile`. */
async function openList(project: Project, environment: Json, { wallet }: TestAgent, [type, name]: List) {
  const compiled = project.load('src/lists');
  const list = `${type.toLowerCase()}${name}`;
  const path = owners[type]?.split(/\W/)[0] || undefined;
  const variables = type === 'Agent' ? { ada: wallet } : {};
  const paged = pagedFragment(project, environment, compiled[`${list}Page`], variables, path);
  await paged.load();
  return {
    data: () => ({ list: paged.data(compiled[list])[name] }),
    more: () => paged.more(compiled[list], name),
  };
}

describe('Relay', () => {
  const world = useWorld({ TRUST_PROXY: '1', RATE_LIMITS: 'off' });
  let lists: Record<string, string[]>;
  let line: FaultyLine;
  let project: Project;
  let market: Market;
  let environment: Json;
  expectNoWarnings();
  before(async () => {
    line = await FaultyLine.to(world.url);
    market = await crowded(world);
    lists = await listsOf(world);
    const events = `import { graphql } from 'relay-runtime';
      export const events = graphql\`${EVENTS.replace('Events', 'eventsSubscription')}\`;`;
    project = await newProject(line.url, FILES, {
      'src/lists.ts': listsFile(lists),
      'src/events.ts': events,
    });
    environment = project.load('src/relay').relay(market.ada.key);
  });
  after(async () => {
    removeProjects();
    await line?.close();
  });

  it('joins three pages of each list', async () => {
    await expectPages(world, market, lists, {
      open: (_text, _first, list) => openList(project, environment, market.ada, list),
    });
  });

  it('reads the holders of an agent with the fragment of the document', async () => {
    const { page, holders } = project.load('src/holders');
    const paged = pagedFragment(project, environment, page, { agent: market.ada.wallet }, 'agent');
    await paged.load();
    expect(paged.data(holders).holders.edges).to.have.lengthOf(6);
  });

  it('drops a key that is refused', async () => {
    const { fetchQuery } = project.load('relay-runtime');
    const { page } = project.load('src/holders');
    await expectDropped(world, (key) => {
      const other = project.load('src/relay').relay(key);
      return () => fetchQuery(other, page, { agent: market.ada.wallet }).toPromise();
    });
  });

  it('resumes a subscription after a broken connection', async () => {
    const { requestSubscription } = project.load('relay-runtime');
    const { events: subscription } = project.load('src/events');
    await expectResume(world, line, market, (onEvent) => {
      const onNext = (answer: Json) => onEvent(answer.feedEvent);
      const { dispose } = requestSubscription(environment, { subscription, variables: {}, onNext });
      return dispose;
    });
  });

  it('inserts live events into a list, each once and in its place', async () => {
    const { followFeed, query, list } = project.load('src/relay-feed');
    const paged = pagedFragment(project, environment, query, { first: 3 }, undefined);
    await expectLiveList(world, line, {
      follow: (onError) => followFeed(environment, 3, onError),
      shown: () => paged.data(list).feed.edges.map(({ node }: Json) => node.id),
      more: () => paged.more(list, 'feed'),
    });
  });

  for (const transport of ['overSockets', 'overStreams']) {
    it(`resumes live events with ${transport}, and ends them at an error that a retry does not change`, async () => {
      const live = project.load('src/live')[transport];
      const failed = (error: unknown) => {
        throw error;
      };
      await expectResume(world, line, market, (onEvent) =>
        live()({ query: EVENTS }, { next: ({ data }: Json) => onEvent(data.feedEvent), error: failed, complete() {} }),
      );
      const { holdKey } = project.load('src/key');
      await expectDropped(world, (key) => {
        const events = live(holdKey(key));
        return () => subscribed(world, events);
      });
      // A wrong key, and a sequence that no event has yet: the service refuses both, and the client must not try again.
      for (const [key, after] of [['wrong'], [undefined, '999']]) {
        await new Promise((resolve) => {
          const refused = { next: resolve, error: resolve, complete() {} };
          live(holdKey(key))({ query: EVENTS, variables: { after } }, refused);
        });
      }
    });
  }
});
