import { expect } from 'chai';
import * as holdings from '../../../../src/features/agents/lists/resource.js';
import * as agents from '../../../../src/features/agents/resource.js';
import * as trades from '../../../../src/features/trading/resource.js';
import type { View } from '../../../../src/server/resources/field.js';
import { success } from '../../../support/market/agents.js';
import { answerOf, type Json } from '../../../support/service/graphql.js';
import { shared } from '../../../support/service/selections.js';
import { ask } from '../../../support/world.js';

/** The fields of a view for a query, without aliases that equal the name of their field: a query may only have a few aliases. */
const fields = (view: object, resource: Parameters<typeof shared>[1]) =>
  shared(view as View, resource).replace(/\b(\w+): \1\b/g, '$1');

const AGENT = `query ($wallet: String!) { agent(address: $wallet) {
  ${fields(agents.agentProfile, agents.agent)}
  listed: holdings(first: 50) { nodes { ${fields(holdings.holding, holdings.holding)} } }
  made: trades(first: 5) { nodes { ${fields(trades.trade, trades.trade)} } }
  told: feed(first: 100) { nodes { id } totalCount }
} }`;

/** Checks that REST and GraphQL show the same values of every agent. Returns the number of agents and of compared values. */
export async function compareApis(url: string): Promise<{ agents: number; values: number }> {
  const list: Json[] = [];
  for (let page = 1; ; page++) {
    const { agents: found } = await rest(url, `/api/agents?limit=100&page=${page}&sort=newest`);
    list.push(...found);
    if (found.length < 100) break;
  }
  const ids: string[] = [];
  for (let after = ''; ; ) {
    const query = `{ agents(sort: NEWEST, first: 50${after}) { nodes { id } pageInfo { hasNextPage endCursor } } }`;
    const { nodes, pageInfo } = (await graphql(url, query)).agents;
    ids.push(...nodes.map(({ id }: Json) => id));
    if (!pageInfo.hasNextPage) break;
    after = `, after: "${pageInfo.endCursor}"`;
  }
  expect(ids).to.deep.equal(list.map(({ id }) => id));
  let values = 0;
  for (const { walletAddress: wallet } of list) {
    const { agent: graph } = await graphql(url, AGENT, { wallet });
    const { agent } = await rest(url, `/api/agents/${wallet}`);
    const { listed, made, told, ...profile } = graph;
    values += same(profile, agent, wallet);
    values += same(listed.nodes, (await rest(url, `/api/agents/${wallet}/holdings`)).holdings, wallet);
    values += same(made.nodes, (await rest(url, `/api/agents/${wallet}/trades`)).trades, wallet);
    const { feed, total } = await rest(url, `/api/feed?agent=${wallet}&limit=100`);
    expect(told.totalCount, `feed of ${wallet}`).to.equal(total);
    expect(told.nodes.map(({ id }: Json) => id)).to.deep.equal(feed.map(({ id }: Json) => id));
    values += feed.length;
  }
  return { agents: list.length, values };
}

/**
 * Compares the values of GraphQL with those of the same names in REST. A missing value in REST equals null,
 * because REST leaves out some values that are null.
 */
function same(graph: Json, fromRest: Json, wallet: string): number {
  if (Array.isArray(graph)) {
    expect(graph.length, `entries of ${wallet}`).to.equal(fromRest.length);
    return graph.reduce((sum, one, i) => sum + same(one, fromRest[i], wallet), 0);
  }
  for (const [name, value] of Object.entries(graph)) {
    expect(value, `${name} of ${wallet}`).to.deep.equal(fromRest[name] ?? null);
  }
  return Object.keys(graph).length;
}

const rest = async (url: string, path: string): Promise<Json> => success(await ask(url, 'GET', path));

async function graphql(url: string, query: string, variables: object = {}): Promise<Json> {
  const { data, errors } = answerOf(await ask(url, 'POST', '/graphql', { body: { query, variables } }));
  expect(errors).to.deep.equal([]);
  return data;
}
