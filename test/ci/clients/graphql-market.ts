import { expect } from 'chai';
import { askAs, claim, follow, newAgent, tradeOnChain } from '../../support/market/agents.js';
import { type Market, populate } from '../../support/market/market.js';
import { addSeason } from '../../support/market/rows.js';
import { newTrader } from '../../support/market/traders.js';
import { data, type Json } from '../../support/service/graphql.js';
import { declared } from '../../support/service/samples.js';
import { runSql } from '../../support/store.js';
import type { World } from '../../support/world.js';
import { EVENTS } from './graphql-line.js';
import type { Project } from './recipes.js';

// Steps that the tests of all GraphQL clients share: a page of a dashboard, what each mutation does to it, and every list.

/** Fills a market in which every list of Ada, and every list of the market, has at least three rows. */
export async function crowded(world: World): Promise<Market> {
  const market = await populate(world);
  const { ada, bob, eve } = market;
  await claim(world, bob, 'other');
  for (const name of ['Crowd Cy', 'Crowd Di', 'Crowd Ed']) {
    const one = await newAgent(world, { name, referredBy: 'ada' });
    for (const [who, whom] of [
      [one, ada],
      [ada, one],
    ] as const) {
      await follow(world, who, whom);
      await askAs(world, who, 'POST', '/api/tickets/buy', { ...(await tradeOnChain(who, 'buy', whom, 1)), thesis: 'Crowded' });
    }
  }
  await addSeason(world, 3, 10, 20);
  // Three wallets are linked with Ada.
  await runSql(
    world.deps,
    `insert into linked_wallet (wallet, cluster, leads, links)
     select wallet, 9, false, 3 from agent where agent_id in ('ada', 'bob', 'crowd_cy', 'crowd_di')`,
  );
  await runSql(
    world.deps,
    `insert into agent_season_points (season, agent, price_points, total_points, rank, computed_at)
       values (2, $1, 0.25, 1, 3, $2)`,
    [eve.wallet, world.clock.now()],
  );
  await runSql(
    world.deps,
    `insert into thesis_record (author, is_stale, figures, lower_bound, luck, rank, beyond_luck)
       select other.wallet, false, figures, 1, 0.5, place, false from thesis_record, (values ($1, 2), ($2, 3)) as other (wallet, place)`,
    [ada.wallet, eve.wallet],
  );
  return market;
}

/** Selection of a list: each row with its cursor and the given fields. */
const rows = (list: string, fields = 'id', pageInfo = 'hasNextPage') =>
  `${list} { edges { cursor node { ${fields} } } pageInfo { ${pageInfo} } }`;

/** Fragments with what the page of a dashboard shows of an agent (A), a post (P), and the agent that reads it (M). */
const shown = `
  fragment A on Agent {
    id name status bio socialHandle totalSupply ticketPrice holderCount followerCount followingCount referralCount referredBy
    claimedAt referredAt
    txCount24h volume24hWei ${rows('holders(first: 5)', 'id amount')} ${rows('holdings(first: 5)', 'id amount')}
    ${rows('trades(first: 5)')} ${rows('followers(first: 5)')} ${rows('following(first: 5)')} ${rows('feed(first: 5)')} }
  fragment P on StatusEvent { id text likeCount repostCount isLiked isReposted }
  fragment M on Me { id verificationCode totalHoldings stats { id totalTickets tradeCount followingCount referralCount }
    notifications(first: 5) { totalUnread edges { cursor node { id read } } pageInfo { hasNextPage } } }`;

/** Adds the fragments of the page that a document uses. */
const withShown = (text: string): string =>
  [text, ...shown.split(/(?=^ *fragment)/m).filter((one) => text.includes(`...${one.trim().split(' ')[1]}`))].join('\n');

/** The query of the page: the agents Ada and Bob, a post, and the agent of the key. */
export const PAGE = withShown(`query Page($ada: String!, $bob: String!, $post: ID!) {
  ada: agent(address: $ada) { ...A } bob: agent(address: $bob) { ...A } post: node(id: $post) { id ...P } me { ...M } }`);

/** A list field, and the GraphQL type that has it. */
export type List = readonly [type: string, name: string];

/** What the shared steps need of a client. It sends the API key of Ada. */
export type CacheClient = {
  /** Reads from the service, and stores the answer in the cache. */
  query(text: string, variables: object): Promise<Json>;
  mutate(text: string, variables: object): Promise<Json>;
  /** Reads from the cache only. Null if the cache lacks a part of the answer. */
  cached(text: string, variables: object): Promise<Json>;
  /** Removes a deleted agent from the cache, if the client does not do that by itself. */
  forget?(deletedId: string): void;
  /** Reads the first page of a list. `more` reads the page after a cursor. Only Relay needs `list`, to find its own query. */
  open(text: string, variables: object, list: List): Promise<{ data(): Json; more(after: string): Promise<unknown> }>;
};

/** Adapts Apollo Client to the steps that all clients share. */
export function apolloClient({ load }: Project, client: Json) {
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
    subscribe(onEvent: (event: Json) => void, variables = {}) {
      const events = client.subscribe({ query: gql(EVENTS), variables });
      const subscription = events.subscribe(({ data }: Json) => onEvent(data.feedEvent));
      return () => subscription.unsubscribe();
    },
  } satisfies CacheClient & { subscribe: unknown };
}

type Mutation = { readonly text: string; readonly variables?: () => object | Promise<object> };

/**
 * Mutations that cannot be sent as the sample of their operation has them, because they need a trade on the chain, another wallet or
 * an existing post. They select the fields that the test shows, so that the caches of the clients update these.
 */
function special(world: World, { ada, bob }: Market, post: string): Readonly<Record<string, Mutation>> {
  const traded = (side: 'buy' | 'sell'): Mutation => ({
    text: `mutation Trade($input: TradeInput!) { ${side === 'buy' ? 'recordBuy' : 'recordSell'}(input: $input) {
      position { id amount } trade { id agent { ...A } trader { ...A me { ...M } } } } }`,
    variables: async () => ({ input: await tradeOnChain(ada, side, bob, 1) }),
  });
  const onPost = (name: string): Mutation => ({
    text: `mutation OnPost($post: ID!) { toggle${name}(postId: $post) { event { ...P } } }`,
    variables: () => ({ post }),
  });
  return {
    toggleFollow: {
      text: `mutation Follow($bob: Address!) { toggleFollow(targetAddress: $bob) {
        agent { ...A } follower { ...A me { ...M } } } }`,
      variables: () => ({ bob: bob.wallet }),
    },
    toggleLike: onPost('Like'),
    toggleRepost: onPost('Repost'),
    recordBuy: traded('buy'),
    recordSell: traded('sell'),
    markNotificationsRead: { text: 'mutation Read { markNotificationsRead { ...M } }' },
    updateMe: {
      text: `mutation Update { updateMe(input: { bio: "New", referredBy: "bob" }) { ...A referrer { ...A } } }`,
    },
    dropClaim: { text: 'mutation Drop { dropClaim { ...A me { ...M } } }' },
    verifyAgent: {
      text: `mutation Verify($code: String!, $url: String!) { verifyAgent(verificationCode: $code, tweetUrl: $url) {
        ...A me { ...M } } }`,
      variables: async () => ({
        code: ada.code,
        url: await world.deps.dev?.publish('owner', `My code is ${ada.code}`),
      }),
    },
    registerAgent: {
      text: `mutation Register($input: RegisterAgentInput!) { registerAgent(input: $input) {
        agent { id referrer { ...A me { ...M } } } } }`,
      variables: async () => {
        const trader = await newTrader(world.chain);
        await trader.register('Newcomer');
        return { input: { name: 'Newcomer', walletAddress: trader.wallet, referredBy: 'ada' } };
      },
    },
  };
}

/** Fields that the page shows of the object that a mutation returns, by the type of the object. */
const returned: Readonly<Record<string, string>> = {
  Agent: '...A me { ...M }',
  StatusEvent: '...P agent { ...A }',
  Me: '...M',
};

/**
 * Every mutation except deleteAgent. Those that are not in `special` are their samples. All return the fields that the page shows.
 */
async function mutations(world: World, market: Market, post: string): Promise<Readonly<Record<string, Mutation>>> {
  const own = special(world, market, post);
  const { __schema } = await data(world, '{ __schema { mutationType { fields { name type { name } } } } }');
  const others = __schema.mutationType.fields
    .filter(({ name }: Json) => name !== 'deleteAgent' && !(name in own))
    .map(({ name, type }: Json) => {
      const samples = declared.map(({ samples }) => samples?.graphql ?? '');
      // 11 is the length of `mutation { `. The character after the name must not continue it: `like` must not find `likePost`.
      const sample = samples.find((text) => text.startsWith(`mutation { ${name}`) && !/\w/.test(text[11 + name.length] ?? ''));
      const shown = returned[type.name];
      if (!sample || !shown) throw new Error(`${name} needs steps of its own`);
      // The mutation of the sample, with a name, and with the fields of the page in place of the fields that the sample selects.
      const text = sample.replace(/^mutation /, `mutation ${name} `).replace(/ \{ [^{}]* \} \}$/, ` { ${shown} } }`);
      return [name, { text }];
    });
  return { ...own, ...Object.fromEntries(others) };
}

/** This mutation comes last, because the page shows the agent that it deletes. */
const GONE = 'mutation Delete($ada: Address!) { deleteAgent(address: $ada) { deletedId } }';
const ONE = 'query One($ada: String!) { agent(address: $ada) { id } }';

/** After each mutation, expects that the cache contains what the service answers, although the client has not read again. */
export async function expectMutations(world: World, market: Market, client: CacheClient): Promise<void> {
  const { ada, bob } = market;
  const { feed } = await data(world, '{ feed(type: STATUS, first: 1) { nodes { id } } }');
  const variables = { ada: ada.wallet, bob: bob.wallet, post: feed.nodes[0].id };
  const served = () => data(world, PAGE, { key: ada.key, variables });
  await client.query(PAGE, variables);
  const steps = Object.entries(await mutations(world, market, variables.post));
  for (const [name, { text, variables: given }] of steps) {
    const before = await client.cached(PAGE, variables);
    await client.mutate(withShown(text), (await given?.()) ?? {});
    const after = await client.cached(PAGE, variables);
    expect(after, name).to.deep.equal(await served());
    expect(after, `${name} changes nothing on the page`).to.not.deep.equal(before);
  }
  const { deleteAgent } = await client.mutate(GONE, { ada: ada.wallet });
  client.forget?.(deleteAgent.deletedId);
  expect((await client.cached(ONE, { ada: ada.wallet }))?.agent ?? null).to.equal(null);
}

/** Beginning of a query that reads a list, by the type that has the list. */
const owners = (ada: string): Readonly<Record<string, string>> => ({
  Query: '',
  Agent: `owner: agent(address: "${ada}") { id`,
  Me: 'owner: me { id',
  Season: 'owner: season(number: 2) { id',
});

/** The arguments that a list requires. */
export const required: Readonly<Record<string, string>> = {
  possibleLinks: 'agent: "ada", ',
  search: 'q: "crowd", ',
  socialActs: 'kind: FOLLOW, ',
};

/** Expects that a client joins three pages of one row to the same list as one page of three rows. */
export async function expectPages(
  world: World,
  { ada }: Market,
  lists: Readonly<Record<string, readonly string[]>>,
  client: Pick<CacheClient, 'open'>,
): Promise<void> {
  for (const [type, names] of Object.entries(lists)) {
    for (const name of names) {
      const owner = owners(ada.wallet)[type] as string;
      const list = rows(`list: ${name}(${required[name] ?? ''}first: $first, after: $after)`, 'id', 'endCursor hasNextPage');
      const text = `query Pages($first: Int!, $after: String) { ${owner} ${list} ${owner && '}'} }`;
      const listOf = (answer: Json) => (answer.owner ?? answer).list;
      const paged = await client.open(text, { first: 1 }, [type, name]);
      for (let more = 0; more < 2; more++) await paged.more(listOf(paged.data()).pageInfo.endCursor);
      const served = await data(world, text, { key: ada.key, variables: { first: 3 } });
      const ids = (answer: Json): string[] => listOf(answer).edges.map(({ node }: Json) => node.id);
      expect(ids(served), `${type}.${name} has three rows`).to.have.lengthOf(3);
      expect(ids(paged.data()), `${type}.${name}`).to.deep.equal(ids(served));
    }
  }
}

/** Every list of the schema that pages with `after`, by the GraphQL type that has it. */
export async function listsOf(world: World): Promise<Record<string, string[]>> {
  const { __schema } = await data(world, '{ __schema { types { name fields { name args { name } } } } }');
  const lists: Record<string, string[]> = {};
  for (const { name, fields } of __schema.types) {
    if (name === 'Subscription') continue;
    const names = (fields ?? []).filter(({ args }: Json) => args.some((one: Json) => one.name === 'after'));
    if (names.length > 0) lists[name] = names.map((field: Json) => field.name).sort();
  }
  return lists;
}

/** A copy of an answer without the fields `__typename`, which clients add. */
export const plain = (answer: Json): Json =>
  JSON.parse(JSON.stringify(answer, (name, value) => (name === '__typename' ? undefined : value)));

/** Expects that the clients of the calling suite print no warnings and no errors to the console. */
export function expectNoWarnings(): void {
  const { warn, error } = console;
  const printed: unknown[][] = [];
  before(() => Object.assign(console, { warn: collect, error: collect }));
  after(() => Object.assign(console, { warn, error }));
  afterEach(() => expect(printed.splice(0).join('\n')).to.equal(''));
  function collect(...values: unknown[]) {
    printed.push(values);
  }
}
