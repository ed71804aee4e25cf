import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { FaultyLine } from '../../support/chain/faulty-line.js';
import { patientClock, SleepClock, scriptedFetch } from '../../support/client/scripted.js';
import type { Market } from '../../support/market/market.js';
import { data, type Json } from '../../support/service/graphql.js';
import { eventually, root } from '../../support/service/process.js';
import { useWorld } from '../../support/world.js';
import { EVENTS, expectDropped, expectResume, subscribed } from './graphql-line.js';
import { apolloClient, crowded, expectPages, listsOf } from './graphql-market.js';
import { newProject, type Project, removeProjects } from './recipes.js';

/** Source files of `curvet-client/apollo`: its module, and everything that it imports. */
const SOURCES = [
  'apollo',
  'errors',
  'generated/api',
  'generated/messages',
  'http/clock',
  'http/event-stream',
  'http/rate-limit',
  'http/service-url',
  'http/transport',
];

describe('curvet-client/apollo', () => {
  const world = useWorld({ TRUST_PROXY: '1', RATE_LIMITS: 'off' });
  let market: Market;
  let line: FaultyLine;
  let project: Project;
  /** A client that is compiled with the types of Apollo Client, which the main installation does not have. */
  function newClient(options: object = {}): Json {
    const { ApolloClient } = project.load('@apollo/client');
    const { curvetCache, curvetLink } = project.load('src/apollo');
    const link = curvetLink({ baseUrl: line.url, clock: patientClock, apiKey: market.ada.key, ...options });
    return new ApolloClient({ cache: curvetCache(), link });
  }
  before(async () => {
    market = await crowded(world);
    line = await FaultyLine.to(world.url);
    const sources = SOURCES.map((name) => [`src/${name}.ts`, readFileSync(join(root, `client/src/${name}.ts`), 'utf8')]);
    project = await newProject(line.url, [], Object.fromEntries(sources));
  });
  after(async () => {
    removeProjects();
    await line?.close();
  });

  it('knows the interfaces of the schema', async () => {
    const { __schema } = await data(world, '{ __schema { types { kind name possibleTypes { name } } } }');
    const interfaces = __schema.types.filter(({ kind }: Json) => kind === 'INTERFACE');
    const { possibleTypes } = newClient().cache.config;
    expect(Object.keys(possibleTypes)).to.have.members(interfaces.map(({ name }: Json) => name));
    for (const { name, possibleTypes: types } of interfaces) {
      expect(possibleTypes[name], name).to.have.members(types.map((type: Json) => type.name));
    }
  });

  it('joins three pages of each list, and keeps lists in other orders apart', async () => {
    const client = newClient();
    await expectPages(world, market, await listsOf(world), apolloClient(project, client));
    const { keyArgs } = client.cache.config.typePolicies.Query.fields.agents;
    expect(keyArgs({ first: 9, after: 'x', markRead: true, sort: 'NEWEST' })).to.deep.equal(['sort']);
  });

  it('repeats a request after Retry-After, but not if the wait is long', async () => {
    const refusal = (status: number, seconds: string) => ({
      status,
      headers: { 'retry-after': seconds },
      body: { errors: [] },
    });
    const STATS = { __typename: 'MarketStats', id: 'MarketStats' };
    const answer = { headers: { 'content-type': 'application/json' }, body: { data: { marketStats: STATS } } };
    const query = { query: project.load('@apollo/client').gql('{ marketStats { id } }'), fetchPolicy: 'no-cache' };
    const clock = new SleepClock();
    const passing = scriptedFetch(refusal(429, '7'), refusal(503, '5'), answer);
    const { data } = await newClient({ clock, fetch: passing.fetch, apiKey: 'key' }).query(query);
    expect(data).to.deep.equal({ marketStats: STATS });
    expect(clock.slept.map((wait) => Math.floor(wait / 1000))).to.deep.equal([7, 5]);
    expect(passing.sent.map(({ headers }) => headers.get('x-api-key'))).to.deep.equal(['key', 'key', 'key']);
    // A long wait and a 500 are not repeated. A 503 is repeated 4 times.
    for (const [status, seconds, attempts] of [
      [429, '900', 1],
      [500, '5', 1],
      [503, '5', 5],
    ] as const) {
      const failing = scriptedFetch(refusal(status, seconds));
      const error = await newClient({ clock, fetch: failing.fetch })
        .query(query)
        .catch((thrown: unknown) => thrown);
      expect(error).to.include({ name: 'ServerError', statusCode: status });
      expect(failing.sent).to.have.length(attempts);
    }
  });

  for (const from of ['its start', 'a sequence']) {
    it(`resumes a subscription from ${from} after a broken connection`, async () => {
      let chunks = 0;
      const fetch: typeof globalThis.fetch = async (input, init) => {
        const response = await globalThis.fetch(input, init);
        const counted = new TransformStream({ transform: (chunk, to) => void (++chunks && to.enqueue(chunk)) });
        return new Response(response.body?.pipeThrough(counted), response);
      };
      const { subscribe } = apolloClient(project, newClient({ fetch }));
      await expectResume(world, line, market, async (onEvent) => {
        const { liveSequence: after } = await data(world, '{ liveSequence }');
        const stop = subscribe(onEvent, from === 'a sequence' ? { after } : {});
        // The first chunk is the position of the stream. Without it, the client cannot resume.
        await eventually(() => chunks > 0, 'the stream has no position');
        return stop;
      });
    });
  }

  it('drops a key that is refused', async () => {
    const { gql } = project.load('@apollo/client');
    const query = gql('{ agents { edges { node { id name } } } }');
    await expectDropped(world, (apiKey) => {
      const client = newClient({ apiKey });
      return () => client.query({ query, fetchPolicy: 'network-only' });
    });
    await expectDropped(world, (apiKey) => {
      const client = newClient({ apiKey });
      const live = ({ query: text }: Json, sink: Json) => {
        const next = ({ error }: Json) => sink.error(error);
        const subscription = client.subscribe({ query: gql(text) }).subscribe({ next });
        return () => subscription.unsubscribe();
      };
      return () => subscribed(world, live);
    });
  });

  it('ends a subscription with the code of its error, if a new attempt does not help', async () => {
    // No event has this sequence yet. The service answers that its events are forgotten.
    const options = { query: project.load('@apollo/client').gql(EVENTS), variables: { after: '999999999' } };
    const { error } = await new Promise<Json>((resolve) => {
      newClient().subscribe(options).subscribe({ next: resolve });
    });
    expect(error).to.include({ code: 'EVENTS_FORGOTTEN', status: 410 });
  });
});
