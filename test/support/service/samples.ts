import { readConfig } from '../../../src/config/config.js';
import { PLANNER, SCOUT } from '../../../src/features/examples.js';
import { endpoints } from '../../../src/features/features.js';
import type { Endpoint, ExampleCall } from '../../../src/server/operation.js';
import { askAs, newAgent, type TestAgent, tradeOnChain, writePost } from '../market/agents.js';
import { addSeason, randomWallet } from '../market/rows.js';
import type { World } from '../world.js';

// Makes a request to every endpoint from the example in its declaration.

/** Settings that turn on the endpoints that are off by default. */
export const EXTRA = { KEY_REPLACEMENT: 'on' } as const;
export const declared = endpoints(readConfig(EXTRA));
export const nameOf = ({ method, path }: Endpoint): string => `${method} ${path}`;

export const QUERY = {
  /** The maximum `limit` of the lists that do not allow 100 rows. */
  largest: {
    'GET /api/search': 50,
    'GET /api/trending': 50,
    'GET /api/agents/{address}/trades': 50,
    'GET /api/agents/me/trades': 50,
  } as Readonly<Record<string, number>>,
  /** Parameters that accept any short text. Ids among them are only looked up, so any text is valid. */
  freeTexts: [
    'name',
    'code',
    'agentId',
    'search',
    'thesis',
    'GET /api/feed before',
    ...['{address}', 'me'].map((agent) => `GET /api/agents/${agent}/trades before`),
  ],
};

type Values = Readonly<Record<string, unknown>>;
type Sample = {
  readonly path: string;
  readonly query: Record<string, string>;
  readonly body: Values | undefined;
};

/** The request of an example, split into path, query and body as the endpoint declares its fields. */
export function sampleOf({ params, query, body, path, example }: Endpoint, request = example?.request): Sample {
  const given = Object.entries(request ?? {});
  const among = (fields: Endpoint['body']): Values => Object.fromEntries(given.filter(([name]) => name in (fields?.shape ?? {})));
  const inPath = Object.entries(among(params));
  return {
    // A parameter of the path without an example value becomes `x`.
    path: inPath.reduce<string>((text, [name, value]) => text.replace(`{${name}}`, String(value)), path).replace(/\{\w+\}/, 'x'),
    query: among(query) as Record<string, string>,
    body: body ? among(body) : undefined,
  };
}

export const examplesOf = ({ example, moreExamples = [] }: Endpoint): readonly ExampleCall[] => [
  ...(example ? [example] : []),
  ...moreExamples,
];

export const urlOf = (path: string, query: Record<string, string>): string => {
  const text = String(new URLSearchParams(query));
  return text === '' ? path : `${path}?${text}`;
};

/** The objects that the examples name: the agent Scout with a post, and two purchases of its tickets, one with a thesis. */
export type Scene = { readonly scout: TestAgent; readonly post: string; readonly bought: string; readonly thesis: string };

export async function createScene(world: World): Promise<Scene> {
  const scout = await newAgent(world, { name: 'Scout' });
  const planner = await newAgent(world, { name: 'Planner' });
  const post = await writePost(world, scout, 'Hello');
  const { hash } = await planner.trader.buy(scout.wallet, 2);
  const reasoned = await tradeOnChain(planner, 'buy', scout, 1);
  const { trade } = await askAs(world, planner, 'POST', '/api/tickets/buy', { ...reasoned, thesis: 'Up' });
  await addSeason(world, 1, -1, 1);
  return { scout, post, bought: hash, thesis: (trade as { id: string }).id };
}

/**
 * The example request of an endpoint, as the agent of `wallet` sends it. Every read succeeds. Writes get far enough to count in
 * their limits, and can be repeated. Only the deletion of the agent cannot.
 */
export function requestOf(
  one: Endpoint,
  { scout, post, bought, thesis }: Scene,
  { world, wallet, given }: { readonly world: World; readonly wallet: string; readonly given?: Values },
) {
  const examples: Values = { address: wallet, ...one.example?.request };
  /**
   * Values in place of the example's. They name objects of the scene or nothing that exists, so that the request can be repeated.
   */
  const own: Readonly<Record<string, Values>> = {
    'POST /api/agents': { name: 'Nobody', walletAddress: randomWallet() },
    'POST /api/agents/key': { walletAddress: scout.wallet, signedAt: world.clock.now().toISOString() },
    'POST /api/feed/{id}/like': { id: post },
    'POST /api/feed/{id}/repost': { id: post },
    'POST /api/tickets/buy': { txHash: bought },
    'POST /api/tickets/sell': { txHash: bought },
    'POST /api/agents/verify': { verificationCode: scout.code },
    'GET /api/agents/claim-info': { code: scout.code },
    'GET /api/agents/{address}/pnl': { address: wallet },
    'GET /api/theses/{id}': { id: thesis },
  };
  const text = JSON.stringify({ ...examples, ...own[nameOf(one)], ...given })
    .replaceAll(SCOUT, scout.wallet)
    .replaceAll(PLANNER, wallet);
  const { path, query, body } = sampleOf(one, JSON.parse(text));
  return { url: urlOf(path, query), body };
}
