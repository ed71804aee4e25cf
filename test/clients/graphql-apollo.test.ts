// CI: it generates types and compiles a client.
import { expect } from 'chai';
import { FaultyLine } from '../support/chain/faulty-line.js';
import type { Market } from '../support/market/market.js';
import type { Json } from '../support/service/graphql.js';
import { eventually } from '../support/service/process.js';
import { useWorld } from '../support/world.js';
import { EVENTS, expectResume, holdTimers } from './graphql-line.js';
import {
  type CacheClient,
  crowded,
  expectMutations,
  expectNoWarnings,
  expectPages,
  listsOf,
  plain,
} from './graphql-market.js';
import { newProject, type Project, removeProject } from './recipes.js';

const FILES = ['codegen.ts', 'src/fetch.ts', 'src/lists.ts', 'src/live.ts', 'src/apollo.ts'];

/** Two queries with different fields of the same objects. */
const PARTS = [
  `{ marketStats { ethUsd total { agents } } contract { address curve { divisor } rules { maxTicketsPerTrade } }
    agent(agentId: "ada") { pnl { totalPnlUsd } points { totalPoints } } }`,
  `{ marketStats { total { trades } day { trades } } contract { chainId curve { formula } gas { buyTickets } rules { minWithdrawal } }
    agent(agentId: "ada") { name pnl { totalPnlWei } points { pricePoints } } }`,
];

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
  const world = useWorld({ TRUST_PROXY: '1' });
  let line: FaultyLine;
  let project: Project;
  let market: Market;
  let client: Json;
  expectNoWarnings();
  before(async () => {
    line = await FaultyLine.to(world.url);
    market = await crowded(world);
    project = await newProject(line.url, FILES);
    await project.compile();
    client = project.load('src/apollo').apollo(market.ada.key);
  });
  // The points of the minute are full again.
  beforeEach(() => world.clock.advance(60_000));
  after(async () => {
    removeProject(project);
    await line?.close();
  });

  it('joins three pages of each list', async () => {
    const { lists } = project.load('src/lists');
    expect(lists).to.deep.equal(await listsOf(world));
    await expectPages(world, market, lists, cacheClient(project, client));
  });

  it('keeps the fields of two queries that read different parts of an object, with the default cache', async () => {
    const { ApolloClient, gql, HttpLink, InMemoryCache } = project.load('@apollo/client');
    const { possibleTypes } = project.load('src/possible-types.json');
    const plainClient = new ApolloClient({
      cache: new InMemoryCache({ possibleTypes }),
      link: new HttpLink({ uri: `${world.url}/graphql` }),
    });
    const answers: Json[] = [];
    for (const query of PARTS) answers.push((await plainClient.query({ query: gql(query) })).data);
    for (const [index, query] of PARTS.entries()) {
      expect(plainClient.readQuery({ query: gql(query) }), query).to.deep.equal(answers[index]);
    }
  });

  it('waits as long as the service says, and asks again', async () => {
    const { key } = market.ada;
    const query = '{ agents(first: 100) { nodes { id name bio status avatarUrl } } }';
    let answer = await world.ask('POST', '/graphql', { key, body: { query } });
    while (answer.status === 200) answer = await world.ask('POST', '/graphql', { key, body: { query } });
    const timers = holdTimers();
    const asked = client.query({ query: project.load('@apollo/client').gql(query) });
    await eventually(() => timers.held.length > 0, 'the client did not wait');
    const [{ ms } = { ms: 0 }] = timers.held;
    expect([answer.status, ms]).to.deep.equal([429, Number(answer.headers.get('retry-after')) * 1000]);
    world.clock.advance(ms);
    timers.release();
    expect((await asked).data.agents.nodes).to.have.lengthOf(6);
  });

  it('sends the text of a query once', async () => {
    const { fetch } = globalThis;
    const sent: boolean[] = [];
    globalThis.fetch = (input, init) => {
      sent.push('query' in JSON.parse(String(init?.body)));
      return fetch(input, init);
    };
    const query = project.load('@apollo/client').gql('query Once { agents { nodes { id name bio } } }');
    for (let i = 0; i < 2; i++) await client.query({ query, fetchPolicy: 'network-only' });
    globalThis.fetch = fetch;
    expect(sent).to.deep.equal([false, true, false]);
  });

  it('resumes a subscription after a broken connection', async () => {
    const { gql } = project.load('@apollo/client');
    await expectResume(world, line, [market.eve, market.bob], (onEvent) => {
      const events = client.subscribe({ query: gql(EVENTS) });
      const subscription = events.subscribe(({ data }: Json) => onEvent(data.feedEvent));
      return () => subscription.unsubscribe();
    });
  });

  it('shows the figures of the service after every mutation', async () => {
    await expectMutations(world, market, cacheClient(project, client));
  });
});
