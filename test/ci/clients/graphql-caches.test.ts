import { expect } from 'chai';
import { FaultyLine } from '../../support/chain/faulty-line.js';
import { scriptedFetch } from '../../support/client/scripted.js';
import type { Market } from '../../support/market/market.js';
import type { Json } from '../../support/service/graphql.js';
import { eventually } from '../../support/service/process.js';
import { useWorld, type World } from '../../support/world.js';
import { EVENTS, expectDropped, expectLiveList, expectResume, holdTimers } from './graphql-line.js';
import {
  apolloClient,
  type CacheClient,
  crowded,
  expectMutations,
  expectNoWarnings,
  expectPages,
  listsOf,
  plain,
} from './graphql-market.js';
import { newProject, type Project, removeProjects } from './recipes.js';

const FILES = [
  'codegen.ts',
  ...'fetch key lists live apollo urql feed apollo-feed urql-feed'.split(' ').map((name) => `src/${name}.ts`),
];

/** A file of a dashboard that reads with the generated types. It compiles only if amounts and times are text. */
const TYPED = `
  import type { ApolloClient } from '@apollo/client';
  import { graphql } from './gql';
  const AGENT = graphql(\`query Typed($agent: String!) {
    agent(address: $agent) { id ticketPrice createdAt 
      feed(first: 9) { edges { node { id type ... on TradeEvent { price } } } } } }\`);
  type Same<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false;
  export async function typed(client: ApolloClient, agent: string) {
    const { data } = await client.query({ query: AGENT, variables: { agent } });
    if (!data?.agent) throw new Error('no agent');
    const { ticketPrice, createdAt, feed } = data.agent;
    const exact: [Same<typeof ticketPrice, string>, Same<typeof createdAt, string>] = [true, true];
    // @ts-expect-error: a variable has the type of its argument.
    const wrong = () => client.query({ query: AGENT, variables: { agent: 1 } });
    const prices = feed.edges.flatMap(({ node: event }) => ('price' in event ? [BigInt(event.price)] : []));
    return { price: BigInt(ticketPrice), trades: prices.length, exact, wrong };
  }`;

/** Adapts urql, with the cache of the recipe, to the steps that all clients share. */
function urqlClient({ load }: Project, client: Json): CacheClient {
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

describe('a client of the recipes', () => {
  let line: FaultyLine | undefined;
  let project: Project;
  expectNoWarnings();
  after(async () => {
    removeProjects();
    await line?.close();
  });

  /** Compiles the recipes once. Later calls only redirect them to another test service. */
  async function prepare({ url }: World): Promise<void> {
    if (line) return line.redirect(url);
    line = await FaultyLine.to(url);
    project = await newProject(line.url, FILES, { 'src/typed.ts': TYPED });
  }

  describe('with Apollo Client', () => {
    const world = useWorld({ TRUST_PROXY: '1' });
    let market: Market;
    let client: Json;
    before(async () => {
      market = await crowded(world);
      await prepare(world);
      client = project.load('src/apollo').apollo(market.ada.key);
    });
    // A minute later, all query points are available again.
    beforeEach(() => world.clock.advance(60_000));

    it('has the types of graphql-codegen, which say that an amount is text', async () => {
      const { price, trades } = await project.load('src/typed').typed(client, market.bob.wallet);
      expect(price > 0n).to.equal(true);
      expect(trades).to.be.above(0);
    });

    it('joins three pages of each list', async () => {
      const { lists } = project.load('src/lists');
      expect(lists).to.deep.equal(await listsOf(world));
      await expectPages(world, market, lists, apolloClient(project, client));
    });

    /** Uses up the query points. A part of them returns after 5 seconds. Returns the wait that the service asks for. */
    async function useUpPoints(query: string): Promise<number> {
      const ask = () => world.ask('POST', '/graphql', { key: market.ada.key, body: { query } });
      await ask();
      world.clock.advance(55_000);
      let answer = await ask();
      while (answer.status === 200) answer = await ask();
      expect(answer.status).to.equal(429);
      return Number(answer.headers.get('retry-after')) * 1000;
    }

    it('waits as long as the service says, and asks again', async () => {
      const query = '{ agents(first: 100) { nodes { id name bio status avatarUrl } } }';
      const wait = await useUpPoints(query);
      const timers = holdTimers();
      const asked = client.query({ query: project.load('@apollo/client').gql(query) });
      await eventually(() => timers.held.length > 0, 'the client did not wait');
      // `useUpPoints` has asked 55 seconds after its first call, so points return 5 seconds later.
      expect([wait, ...timers.held.map(({ ms }) => ms)]).to.deep.equal([5000, 5000]);
      world.clock.advance(wait);
      timers.release();
      expect((await asked).data.agents.nodes).to.have.lengthOf(6);
    });

    it('drops a key that is refused', async () => {
      const query = project.load('@apollo/client').gql('{ agents { nodes { id name } } }');
      await expectDropped(world, (key) => {
        const other = project.load('src/apollo').apollo(key);
        return () => other.query({ query, fetchPolicy: 'network-only' });
      });
    });

    it('shows a refusal at once if the waits are longer than 10 seconds together', async () => {
      const { patientFetch } = project.load('src/fetch');
      // The `Retry-After` of each refusal, and the waits in milliseconds. The recipe waits at least a second each time.
      for (const [refusals, waits] of [
        [['900'], []],
        [['11'], []],
        [['a date'], []],
        [[undefined], []],
        [['10', '1'], [10_000]],
        [['6', '5'], [6000]],
        [Array(11).fill('0'), Array(10).fill(1000)],
      ] as const) {
        const { fetch } = globalThis;
        const headers = (wait?: string): Record<string, string> => (wait ? { 'retry-after': wait } : {});
        const scripted = scriptedFetch(...refusals.map((wait) => ({ status: 429, body: {}, headers: headers(wait) })));
        let status = 0;
        const held: number[] = [];
        globalThis.fetch = scripted.fetch;
        try {
          patientFetch(world.url).then((answer: Response) => {
            status = answer.status;
          });
          while (status === 0) {
            const timers = holdTimers();
            await eventually(() => status !== 0 || timers.held.length > 0);
            timers.release();
            held.push(...timers.held.map(({ ms }) => ms));
            expect(held, String(refusals)).to.deep.equal(waits.slice(0, held.length));
          }
        } finally {
          globalThis.fetch = fetch;
        }
        expect([status, scripted.sent.length]).to.deep.equal([429, refusals.length]);
      }
    });

    it('stops waiting when the page aborts its request', async () => {
      const query = '{ agents(first: 100) { nodes { id name bio } } }';
      await useUpPoints(query);
      const { patientFetch } = project.load('src/fetch');
      const page = new AbortController();
      const headers = { 'x-api-key': market.ada.key, 'content-type': 'application/json' };
      const request = { method: 'POST', headers, body: JSON.stringify({ query }), signal: page.signal };
      const timers = holdTimers();
      let thrown: unknown;
      patientFetch(`${world.url}/graphql`, request).catch((error: unknown) => {
        thrown = error;
      });
      await eventually(() => timers.held.length > 0, 'the request did not wait');
      const closed = new Error('the page was closed');
      page.abort(closed);
      // The timer is still held. When this later request is answered, the aborted one has ended.
      await world.ask('GET', '/health');
      expect(thrown).to.equal(closed);
      timers.release();
    });

    it('sends the text of a query once', async () => {
      const { fetch } = globalThis;
      const sent: boolean[] = [];
      globalThis.fetch = async (input, init) => {
        const request = new Request(input, init);
        sent.push('query' in ((await request.clone().json()) as object));
        return fetch(request);
      };
      const query = project.load('@apollo/client').gql('query Once { agents { nodes { id name bio } } }');
      for (let i = 0; i < 2; i++) await client.query({ query, fetchPolicy: 'network-only' });
      globalThis.fetch = fetch;
      // The client sends the hash of a query. Only a service that does not know it gets the text, in a second request.
      expect(sent).to.deep.equal([false, true, false]);
    });

    it('resumes a subscription after a broken connection', async () => {
      await expectResume(world, line as FaultyLine, market, apolloClient(project, client).subscribe);
    });

    it('inserts live events into a list, each once and in its place', async () => {
      const { FEED } = project.load('src/feed');
      const variables = { first: 3 };
      const edges = () => client.readQuery({ query: FEED, variables }).feed.edges;
      await expectLiveList(world, line as FaultyLine, {
        follow: (onError) => project.load('src/apollo-feed').followFeed(client, variables.first, onError),
        shown: () => edges().map(({ node }: Json) => node.id),
        async more() {
          const page = client.watchQuery({ query: FEED, variables });
          const { endCursor } = client.readQuery({ query: FEED, variables }).feed.pageInfo;
          await page.fetchMore({ variables: { after: endCursor } });
        },
      });
    });

    it('shows the figures of the service after every mutation', async () => {
      await expectMutations(world, market, apolloClient(project, client));
    });
  });

  describe('with urql and graphcache', () => {
    const world = useWorld({ TRUST_PROXY: '1', RATE_LIMITS: 'off' });
    let market: Market;
    const newClient = () => urqlClient(project, project.load('src/urql').urql(market.ada.key));
    before(async () => {
      market = await crowded(world);
      await prepare(world);
    });

    it('joins three pages of each list', async () => {
      await expectPages(world, market, project.load('src/lists').lists, newClient());
    });

    it('reads answers that have no id, without a warning', async () => {
      const { wallet } = market.ada;
      const answer = await newClient().query(
        `query Answers($bob: AgentRef!, $ada: Address!) {
          price(agent: $bob) { priceEth } nameAvailability(name: "Free") { available }
          quote(agent: $bob, action: BUY, amount: 1, walletAddress: $ada) { totalCost refusal { code } transaction { to } }
          agentWallet(agentId: "ada") { id balance { id tickets { amount } } } }`,
        { ada: wallet, bob: market.bob.wallet },
      );
      expect(answer.agentWallet.balance.tickets.length).to.be.above(0);
    });

    it('drops a key that is refused', async () => {
      await expectDropped(world, (key) => {
        const other = urqlClient(project, project.load('src/urql').urql(key));
        return () => other.query('{ agents { edges { node { id name } } } }', {});
      });
    });

    it('resumes a subscription after a broken connection', async () => {
      const { gql } = project.load('@urql/core');
      const client = project.load('src/urql').urql(market.ada.key);
      await expectResume(world, line as FaultyLine, market, (onEvent) => {
        const events = client.subscription(gql(EVENTS), {});
        const subscription = events.subscribe(({ data }: Json) => onEvent(data.feedEvent));
        return () => subscription.unsubscribe();
      });
    });

    it('inserts live events into a list, each once and in its place', async () => {
      const { FEED } = project.load('src/feed');
      const { followFeed, insertEvent } = project.load('src/urql-feed');
      const client = project.load('src/urql').urql(market.ada.key, { feedEvent: insertEvent });
      const feed = () => client.readQuery(FEED, { first: 3 }).data.feed;
      await expectLiveList(world, line as FaultyLine, {
        follow: (onError) => followFeed(client, 3, onError),
        shown: () => feed().edges.map(({ node }: Json) => node.id),
        more: () => client.query(FEED, { first: 3, after: feed().pageInfo.endCursor }).toPromise(),
      });
    });

    it('shows the figures of the service after every mutation', async () => {
      await expectMutations(world, market, newClient());
    });
  });
});
