import { expect } from 'chai';
import { readConfig } from '../../../src/config/config.js';
import { endpoints } from '../../../src/features/features.js';
import { startSeason } from '../../../src/features/seasons/lifecycle.js';
import { scoreNow } from '../../../src/features/seasons/score.js';
import { catchUp } from '../../../src/index/ingest.js';
import { DAY_MS } from '../../../src/values/time.js';
import { query } from '../service/graphql.js';
import { callTool, mcpClient } from '../service/mcp.js';
import { ask, type World } from '../world.js';
import { askAs, claim, follow, freshIp, newAgent, tradeOnChain, writePost } from './agents.js';

// Creates an agent with one marked text of every kind, and reads every answer of REST, GraphQL and MCP that could contain a mark.

export const MARKS = {
  avatar: 'https://pictures.example/marked.png',
  description: 'MarkedDescription',
  bio: 'MarkedBio',
  thesis: 'MarkedThesis',
  post: 'MarkedPost',
} as const;
export type Mark = keyof typeof MARKS;

export type Cast = Awaited<ReturnType<typeof newCast>>;

/**
 * Creates an author and a reader. The author has a market with a foreign holder, holds and follows the reader, and appears in
 * every list.
 */
export async function newCast(world: World) {
  const [author, reader] = [await newAgent(world), await newAgent(world)];
  const { avatar: avatarUrl, description, bio, thesis } = MARKS;
  await askAs(world, author, 'PATCH', '/api/agents/me', { avatarUrl, description, bio });
  await claim(world, author, 'marked');
  await follow(world, author, reader);
  await follow(world, reader, author);
  const bought = await tradeOnChain(author, 'buy', reader, 2);
  const { trade } = await askAs(world, author, 'POST', '/api/tickets/buy', { ...bought, thesis });
  await reader.trader.buy(author.wallet, 1);
  expect(await catchUp(world.deps, await world.deps.chain.blockNumber())).to.equal(true);
  const post = await writePost(world, author, MARKS.post);
  await askAs(world, reader, 'POST', `/api/feed/${post}/like`, { liked: true });
  const midnight = new Date(Math.floor(world.clock.now().getTime() / DAY_MS) * DAY_MS);
  await startSeason(world.deps, { startAt: midnight, endAt: new Date(midnight.getTime() + 7 * DAY_MS) });
  world.clock.advance(1000);
  await scoreNow(world.deps);
  return { author, reader, post, claimCode: author.code, txHash: bought.txHash, tradeId: (trade as { id: string }).id };
}

/** Query strings of GET endpoints: parameters that an endpoint requires, and others that change what it lists. */
const queries: Readonly<Record<string, readonly string[]>> = {
  '/api/agents': ['', '?sort=price', '?sort=holders', '?sort=supply', '?sort=volume', '?verified=true'],
  '/api/agents/{address}/trades': ['', '?side=received'],
  '/api/agents/me/trades': ['', '?side=received'],
  '/api/agents/availability': ['?name=Free'],
  '/api/agents/claim-info': ['?code=CODE'],
  '/api/agent-wallet/balance': ['?agentId=AGENT_ID'],
  '/api/agent-wallet/info': ['?agentId=AGENT_ID'],
  '/api/feed': ['', '?type=STATUS', '?type=BOUGHT', '?sort=likes', '?agent=WALLET', '?agentAddress=READER'],
  '/api/price': ['?agent=WALLET'],
  '/api/search': ['?q=AGENT_ID'],
  '/api/tickets/quote': ['?action=buy&agent=READER&amount=1&walletAddress=WALLET'],
};

/** Paths of all GET endpoints below /api with their query strings, for the author and for the reader. */
function readsOf({ author, reader, claimCode, tradeId }: Cast): string[] {
  const filled = (path: string, wallet: string) =>
    path
      .replace('{address}', wallet)
      .replace('/theses/{id}', `/theses/${tradeId}`)
      .replace('CODE', claimCode)
      .replace('AGENT_ID', author.agentId)
      .replace('WALLET', author.wallet)
      .replace('READER', reader.wallet);
  const paths = endpoints(readConfig({}))
    .filter(({ method, path }) => method === 'GET' && path.startsWith('/api/'))
    .flatMap(({ path }) => (queries[path] ?? ['']).map((rest) => path + rest));
  const files = [author, reader].map(({ wallet }) => `/agents/${wallet}/registration.json`);
  return [...new Set(paths.flatMap((path) => [filled(path, author.wallet), filled(path, reader.wallet)])), ...files];
}

const AGENT = 'id avatarUrl description bio';
const FEED = `nodes { __typename id agent { ${AGENT} } ... on StatusEvent { text }
  ... on BoughtEvent { thesis trader { ${AGENT} } } ... on SoldEvent { thesis trader { ${AGENT} } } }`;

/** GraphQL documents that select every text and picture of an agent, through every relation that leads to it. */
const documentsOf = ({ author, reader, claimCode, txHash }: Cast): Record<string, string> => ({
  agent: `{ agent(address: "${author.wallet}") { ${AGENT} feed { ${FEED} }
    trades(first: 5) { nodes { thesis } } theses(first: 5) { nodes { thesis } } } }`,
  relations: `{ agent(address: "${reader.wallet}") { holders(first: 3) { nodes { agent { ${AGENT} } } }
    followers(first: 3) { nodes { agent { ${AGENT} } } } following(first: 3) { nodes { agent { ${AGENT} } } }
    holdings(first: 3) { nodes { agent { ${AGENT} } } } } }`,
  lists: `{ agents(first: 5) { nodes { ${AGENT} } } leaderboard(first: 5) { nodes { agent { ${AGENT} } } }
    search(q: "${author.agentId}", first: 5) { nodes { ${AGENT} } } topAgents { ${AGENT} }
    trending(first: 5) { nodes { agent { ${AGENT} } } } seasonLeaderboard(first: 5) { nodes { agent { ${AGENT} } } }
    claimInfo(code: "${claimCode}") { agent { ${AGENT} } } }`,
  feed: `{ feed(first: 10) { ${FEED} } }`,
  likedFeed: `{ feed(first: 10, sort: LIKES) { ${FEED} } }`,
  trades: `{ trades(first: 10) { nodes { thesis agent { ${AGENT} } trader { ${AGENT} } } }
    trade(txHash: "${txHash}") { thesis trader { ${AGENT} } } }`,
  me: `{ me { agent { ${AGENT} } } notifications { notifications { message data } }
    heartbeat { me { agent { ${AGENT} } } trending { agent { ${AGENT} } } } }`,
});

/** Calls of every MCP tool that reads, with arguments that list the author. */
export const callsOf = ({ author, reader }: Cast): [tool: string, args: Record<string, unknown>][] => [
  ['search_agents', { query: author.agentId }],
  ['get_agent', { agent: author.wallet }],
  ['get_agent', { agent: reader.wallet }],
  ['list_agents', {}],
  ['get_trending', {}],
  ['get_leaderboard', {}],
  ['get_feed', {}],
  ['get_feed', { type: 'BOUGHT' }],
  ['get_feed', { type: 'STATUS' }],
  ['get_feed', { sort: 'likes' }],
  ['get_season', {}],
  ['get_candles', { agent: author.wallet }],
  ['get_price', { agent: author.wallet }],
  ['quote_trade', { action: 'buy', agent: reader.wallet, amount: 1 }],
  ['get_pnl', { agent: author.wallet }],
  ['get_pnl_history', { agent: author.wallet }],
  ['get_pnl_leaderboard', {}],
  ['get_theses', { agent: author.wallet }],
  ['get_possible_links', { agent: author.wallet }],
  ['get_thesis_leaderboard', {}],
  ['get_trades', { agent: author.wallet }],
  ['get_trades', { agent: author.wallet, side: 'received' }],
  ['heartbeat', {}],
];

/**
 * Reads all answers, as nobody, as the author and as the reader. Returns the marks that each answer contains, by the name of the
 * answer. Answers without a mark are left out.
 */
export async function marksSeen(world: World, cast: Cast, url = world.url): Promise<Record<string, Mark[]>> {
  const seen: Record<string, Mark[]> = {};
  const note = (name: string, body: unknown) => {
    const text = JSON.stringify(body);
    const found = (Object.keys(MARKS) as Mark[]).filter((mark) => text.includes(MARKS[mark]));
    if (found.length > 0) seen[name] = found;
  };
  const callers = { nobody: undefined, author: cast.author.key, reader: cast.reader.key };
  for (const [caller, key] of Object.entries(callers)) {
    for (const path of readsOf(cast)) {
      const { status, body } = await ask(url, 'GET', path, { key, headers: freshIp() });
      // Callers other than the author may be refused what only the author may read.
      const isForAuthor = key !== cast.author.key && (status === 401 || status === 403);
      if (!isForAuthor) expect(status, `${path} by ${caller}: ${JSON.stringify(body)}`).to.equal(200);
      note(`${caller} ${path}`, body);
    }
    for (const [name, text] of Object.entries(documentsOf(cast))) {
      if (name === 'me' && key === undefined) continue;
      const { data, errors } = await query({ ...world, ask: (...args) => ask(url, ...args) }, text, { key });
      expect(errors, `${name}: ${JSON.stringify(errors)}`).to.deep.equal([]);
      note(`${caller} graphql ${name}`, data);
    }
    const client = await mcpClient({ url }, key === undefined ? {} : { key });
    for (const [tool, args] of callsOf(cast)) {
      const { failed, body } = await callTool(client, tool, args);
      // Without a key, the tools that need a key fail.
      if (key !== undefined) expect(failed, `${tool} by ${caller}: ${JSON.stringify(body)}`).to.equal(false);
      const given = Object.entries(args).map(([name, value]) => `${name}=${value}`);
      note(`${caller} mcp ${[tool, ...given].join(' ')}`, body);
    }
    await client.close();
  }
  const { body } = await ask(url, 'GET', `/claim/${cast.claimCode}`, { headers: freshIp() });
  note('claim page', body);
  return seen;
}

/** All marks that occur in the given answers of `marksSeen`. */
export const marksIn = (seen: Record<string, Mark[]>): Mark[] => [...new Set(Object.values(seen).flat())].sort();
