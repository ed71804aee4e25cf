// CI: it compiles a program, and cuts a subscription.
import { cpSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect } from 'chai';
import { buildSchema, isInterfaceType, isObjectType } from 'graphql';
import { cuttable } from '../client/support/cuttable.js';
import { SleepClock, scriptedFetch } from '../client/support/scripted.js';
import { clockOf } from '../client/support/traders.js';
import { newAgent, writePost } from '../support/market/agents.js';
import { addListedAgent } from '../support/market/rows.js';
import { eventually, root } from '../support/service/process.js';
import { useWorld } from '../support/world.js';
import { useProject } from './project.js';
import { run } from './run.js';

const schema = buildSchema(readFileSync(join(root, 'schema/schema.graphql'), 'utf8'));

/** Apollo Client delivers an error of a subscription as its last result. */
type Observer = { readonly next: (result: { readonly data?: object; readonly error?: unknown }) => void };
/** What this test uses of Apollo Client, whose types the main installation does not have. */
type Client = {
  readonly cache: {
    readonly config: { readonly possibleTypes: object; readonly typePolicies: Record<string, Policy> };
  };
  query<T>(options: object): Promise<{ readonly data: T }>;
  watchQuery(options: object): Watched;
  subscribe(options: object): { subscribe(observer: Observer): { unsubscribe(): void } };
};
type Policy = { readonly fields: Readonly<Record<string, { keyArgs(args: object): string[] }>> };
type Watched = {
  subscribe(observer: object): { unsubscribe(): void };
  fetchMore(options: object): Promise<unknown>;
};
type Page = {
  readonly agents: { edges: { node: { name: string } }[]; pageInfo: { endCursor: string; hasNextPage: boolean } };
};

describe('curvet-client/apollo', () => {
  const world = useWorld({ TRUST_PROXY: '1', RATE_LIMITS: 'off' });
  const folder = useProject('apollo', ['@apollo/client', 'graphql', 'rxjs']);
  let gql: (text: string) => object;
  let newClient: (options?: object) => Client;
  before(async () => {
    const load = (path: string) => import(pathToFileURL(join(folder, 'node_modules', path)).href);
    const { ApolloClient, gql: parse } = await load('@apollo/client/core/index.js');
    const { curvetCache, curvetLink } = await load('curvet-client/dist/apollo.js');
    gql = parse;
    newClient = (options) =>
      new ApolloClient({
        cache: curvetCache(),
        link: curvetLink({ baseUrl: world.url, clock: clockOf(world), ...options }),
      });
  });

  it('has fewer than 100 lines, and compiles with the types of Apollo Client', async () => {
    const source = join(root, 'client/src');
    expect(readFileSync(join(source, 'apollo.ts'), 'utf8').split('\n')).to.have.length.below(101);
    cpSync(source, join(folder, 'src'), { recursive: true });
    rmSync(join(folder, 'src/apollo-client.d.ts'));
    const compilerOptions = {
      ...{ strict: true, noEmit: true, skipLibCheck: true, module: 'NodeNext', target: 'ES2023' },
      ...{ lib: ['ES2023', 'DOM', 'DOM.AsyncIterable'], types: [] },
    };
    const use = `
      import { ApolloClient } from '@apollo/client';
      import { curvetCache, curvetLink } from 'curvet-client/apollo';
      export const client: ApolloClient = new ApolloClient({ cache: curvetCache(), link: curvetLink({ baseUrl: '' }) });`;
    writeFileSync(join(folder, 'package.json'), '{ "type": "module" }');
    writeFileSync(join(folder, 'use.ts'), use);
    writeFileSync(
      join(folder, 'tsconfig.json'),
      JSON.stringify({ compilerOptions, files: ['src/apollo.ts', 'use.ts'] }),
    );
    await run('bin/node', 'node_modules/typescript/bin/tsc', '-p', folder);
  });

  it('knows the interfaces and the lists of the schema', () => {
    const types = Object.values(schema.getTypeMap());
    const possible = types.filter(isInterfaceType).map(({ name }) => {
      const { objects } = schema.getImplementations(schema.getType(name) as never);
      return [name, objects.map((type) => type.name).sort()];
    });
    const lists = types.filter(isObjectType).flatMap((type) => {
      const fields = Object.values(type.getFields()).filter(({ args }) => args.some(({ name }) => name === 'after'));
      return type.name === 'Subscription' || fields.length === 0
        ? []
        : [[type.name, fields.map(({ name }) => name).sort()]];
    });
    const { possibleTypes, typePolicies } = newClient().cache.config;
    const sorted = (value: object) =>
      JSON.parse(JSON.stringify(value, (_, part) => (Array.isArray(part) ? part.toSorted() : part)));
    const known = Object.entries(typePolicies).map(([type, { fields }]) => [type, Object.keys(fields)]);
    expect(sorted(possibleTypes)).to.deep.equal(Object.fromEntries(possible));
    expect(sorted(Object.fromEntries(known))).to.deep.equal(Object.fromEntries(lists));
    const { keyArgs } = typePolicies.Query?.fields.agents ?? {};
    expect(keyArgs?.({ first: 9, after: 'x', markRead: true, sort: 'NEWEST' })).to.deep.equal(['sort']);
  });

  it('appends the pages of a list, and keeps lists in other orders apart', async () => {
    for (let i = 0; i < 5; i++) await addListedAgent(world, { name: `Listed ${i}` });
    const client = newClient();
    const LIST = '{ edges { node { id name } } pageInfo { endCursor hasNextPage } }';
    const query = gql(`query Agents($after: String, $order: SortOrder!) {
      agents(first: 2, after: $after, sort: NEWEST, sortOrder: $order) ${LIST}
    }`);
    const all = async (order: 'ASC' | 'DESC') => {
      const whole = gql(`{ agents(first: 100, sort: NEWEST, sortOrder: ${order}) ${LIST} }`);
      return namesOf((await client.query<Page>({ query: whole, fetchPolicy: 'no-cache' })).data);
    };
    const namesOf = ({ agents }: Page) => agents.edges.map(({ node }) => node.name);
    const [newest, oldest] = [await all('DESC'), await all('ASC')];
    await client.query({ query, variables: { order: 'ASC' } });
    const watched = client.watchQuery({ query, variables: { order: 'DESC' } });
    let shown: Page | undefined;
    const watching = watched.subscribe({ next: ({ data }: { readonly data?: Page }) => (shown = data) });
    const length = () => shown?.agents.edges.length ?? 0;
    await eventually(() => length() === 2, 'the first page is missing');
    while (shown?.agents.pageInfo.hasNextPage) {
      const before = length();
      await watched.fetchMore({ variables: { after: shown.agents.pageInfo.endCursor } });
      await eventually(() => length() > before, 'the page was not appended');
    }
    expect(namesOf(shown as Page))
      .to.deep.equal(newest)
      .and.to.have.length.above(4);
    const { data } = await client.query<Page>({ query, variables: { order: 'ASC' }, fetchPolicy: 'cache-only' });
    expect(namesOf(data)).to.deep.equal(oldest.slice(0, 2));
    watching.unsubscribe();
  });

  it('repeats a request after Retry-After, but not if the wait is long', async () => {
    const refusal = (status: number, seconds: string) => ({
      status,
      headers: { 'retry-after': seconds },
      body: { errors: [] },
    });
    const STATS = { __typename: 'MarketStats', id: 'MarketStats' };
    const answer = { headers: { 'content-type': 'application/json' }, body: { data: { marketStats: STATS } } };
    const query = { query: gql('{ marketStats { id } }'), fetchPolicy: 'no-cache' };
    const clock = new SleepClock();
    const passing = scriptedFetch(refusal(429, '7'), refusal(503, '5'), answer);
    const { data } = await newClient({ clock, fetch: passing.fetch, apiKey: 'key' }).query({ query: query.query });
    expect(data).to.deep.equal({ marketStats: STATS });
    expect(clock.slept.map((wait) => Math.floor(wait / 1000))).to.deep.equal([7, 5]);
    expect(passing.sent.map(({ headers }) => headers.get('x-api-key'))).to.deep.equal(['key', 'key', 'key']);
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

  const CHANGES =
    'subscription ($after: ID) { feedEvent(after: $after) { sequence event { ... on StatusEvent { id text } } } }';
  type Change = { readonly feedEvent: { readonly sequence: string; readonly event: { readonly text?: string } } };

  async function post(text: string): Promise<void> {
    await writePost(world, await newAgent(world), text);
  }

  it('resumes a subscription after a break, and a later one from a sequence, without a loss or a duplicate', async () => {
    const line = cuttable();
    const client = newClient({ fetch: line.fetch });
    const changes: Change[] = [];
    const texts = () => changes.flatMap(({ feedEvent }) => feedEvent.event.text ?? []);
    const { started } = world.deps.subscriptions;
    const subscribe = (variables = {}) =>
      client.subscribe({ query: gql(CHANGES), variables }).subscribe({
        next({ data, error }) {
          if (error) throw error;
          changes.push(data as Change);
        },
      });
    const first = subscribe();
    await eventually(() => world.deps.subscriptions.started > started, 'the subscription did not begin');
    await post('before the break');
    await eventually(() => texts().length === 1);
    line.cut();
    await post('during the break');
    await eventually(() => texts().length === 2);
    expect(line.opened()).to.equal(2);
    first.unsubscribe();

    await post('without a subscription');
    const second = subscribe({ after: changes.at(-1)?.feedEvent.sequence });
    await eventually(() => texts().length === 3);
    line.cut();
    await post('after the second break');
    await eventually(() => texts().length === 4);
    second.unsubscribe();
    expect(texts()).to.deep.equal([
      'before the break',
      'during the break',
      'without a subscription',
      'after the second break',
    ]);
  });

  it('ends a subscription with the code of its error, if a new attempt does not help', async () => {
    const options = { query: gql(CHANGES), variables: { after: '999999999' } };
    const { error } = await new Promise<{ readonly error?: unknown }>((resolve) => {
      newClient().subscribe(options).subscribe({ next: resolve });
    });
    expect(error).to.include({ code: 'EVENTS_FORGOTTEN', status: 410 });
  });
});
