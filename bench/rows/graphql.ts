import { ensureData } from '../dataset/databases.js';
import type { Request } from '../support/load.js';
import { startConstant, startPeer, startProduct } from '../support/product.js';
import type { Line, Options, Row } from '../support/result.js';
import { limitLine, measure, throughputLine } from '../support/rounds.js';
import { stopAll } from '../support/stops.js';

const ours = `query Market { agents(first: 20) { nodes { walletAddress name totalSupply holderCount
  trades(first: 5, side: RECEIVED) { nodes { type amount price createdAt trader { walletAddress name } } } } } }`;

const postgraphileQuery = `query Market { allAgents(first: 20, orderBy: [CREATED_AT_DESC, WALLET_DESC]) { nodes { wallet name
  market { supply holderCount }
  trades(first: 5, orderBy: [BLOCK_NUMBER_DESC, LOG_INDEX_DESC]) { nodes { type amount price blockTime
    madeBy { wallet name } } } } } }`;

const asked = (query: string, headers: Record<string, string> = {}): Request => ({
  path: '/graphql',
  body: JSON.stringify({ query }),
  headers: { accept: 'application/json', ...headers },
});
/** Header that makes the service bypass its cache. */
const fresh = { 'cache-control': 'no-cache' };

/** The nested list with the header that bypasses the cache, so that each request executes it. */
const uncached = asked(ours, fresh);

type Named = { wallet?: string; walletAddress?: string; name: string };
type Node = Named & {
  totalSupply?: number;
  holderCount?: number;
  market?: { supply: string; holderCount: number };
  trades: {
    nodes: {
      type: string;
      amount: number;
      price: string;
      createdAt?: string;
      blockTime?: string;
      trader?: Named;
      madeBy?: Named;
    }[];
  };
};

/** The values of an answer, independent of the names and the notation in a schema. */
function valuesOf(text: string): unknown {
  const { data, errors } = JSON.parse(text) as { data?: Record<string, { nodes: Node[] }>; errors?: unknown };
  const nodes = data?.agents?.nodes ?? data?.allAgents?.nodes;
  if (errors || nodes?.length !== 20) throw new Error(`not an answer: ${text.slice(0, 500)}`);
  const who = (named: Named | null | undefined) => (named ? [named.walletAddress ?? named.wallet, named.name] : null);
  return nodes.map((node) => [
    who(node),
    Number(node.totalSupply ?? node.market?.supply),
    node.holderCount ?? node.market?.holderCount,
    node.trades.nodes.map((trade) => [
      trade.type,
      trade.amount,
      String(trade.price),
      new Date(trade.createdAt ?? trade.blockTime ?? '').getTime(),
      who(trade.trader ?? trade.madeBy),
    ]),
  ]);
}

/** Target of the cached answer, as a share of the limit (`limitLine`). It is a bit under the lowest of three runs. */
const LEAST = 0.25;

const WORK = 'GraphQL: 20 agents × 5 trades × trader';

export const graphql: Row = {
  name: 'graphql',
  title: '20 agents × 5 trades × trader, beside PostGraphile 5, Apollo with its defaults and a constant answer',
  explanation:
    'a profile: writing to sockets takes a fifth, reading the answers of PostgreSQL a seventh, the garbage collector and the plan of the query an eighth each, and writing the answer as JSON a thirtieth. By CPU time, machines with other work gave 0.8 to 1.1 beside PostGraphile, and 1.8 to 2.5 beside Apollo',
  async measure(options: Options): Promise<Omit<Line, 'row'>[]> {
    const database = await ensureData(options.server, options.quick ? 'quick' : 'small', options.say);
    return stopAll(async (started) => {
      const product = started(await startProduct(database));
      const postgraphile = started(await startPeer('postgraphile.mjs', database));
      const apollo = started(await startPeer('apollo', database));
      const constant = started(await startConstant(product, asked(ours)));
      const same = valuesOf;
      const [service, postgraphileFigures, apolloFigures, cached, limit] = await measure(
        [
          { name: 'Curvet', server: product, request: uncached, same },
          { name: 'PostGraphile 5', server: postgraphile, request: asked(postgraphileQuery), same },
          { name: 'Apollo and type-graphql', server: apollo, request: { ...asked(ours), path: '/' }, same },
          { name: 'Curvet, cached', server: product, request: asked(ours), same },
          { name: 'a constant answer', server: constant, request: asked(ours), same },
        ],
        database,
        options,
      );
      if (!service || !postgraphileFigures || !apolloFigures || !cached || !limit) throw new Error('not measured');
      const uncachedWork = `${WORK}, nothing cached`;
      const beside = { work: uncachedWork, against: 'PostGraphile 5 (Amber)', least: 1.05 };
      const nested = throughputLine(beside, service, postgraphileFigures);
      const besideApollo = { work: uncachedWork, against: 'Apollo with its defaults, type-graphql', least: 2.3 };
      return [
        nested,
        throughputLine(besideApollo, service, apolloFigures),
        limitLine(`${WORK}, with the cache`, LEAST, cached, limit),
      ];
    });
  },
};
