import { ensureData } from '../dataset/databases.js';
import type { Request } from '../support/load.js';
import { startPeer, startProduct } from '../support/product.js';
import type { Line, Options, Row } from '../support/result.js';
import { cpuNote, type Figures, inWords, measure } from '../support/rounds.js';
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
/** Header with which the service bypasses its cache. */
const fresh = { 'cache-control': 'no-cache' };

/** The nested list, executed for each request. */
export const uncached = asked(ours, fresh);

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

const WORK = 'GraphQL: 20 agents × 5 trades × trader';

export const graphql: Row = {
  name: 'graphql',
  title: '20 agents × 5 trades × trader, beside PostGraphile 5 and Apollo with its defaults',
  explanation:
    'the processor time of the server is far below that of PostGraphile; what limits requests per second is the second core, which the database shares with the load: two statements a request. Compiled queries, columns by look-ahead and keys only where a cursor is asked for are in; one statement instead of two would save a tenth at most, sending the answer as bytes gained nothing',
  async measure(options: Options): Promise<Omit<Line, 'row'>[]> {
    const database = await ensureData(options.server, options.quick ? 'quick' : 'small', options.say);
    return stopAll(async (started) => {
      const product = started(await startProduct(database));
      const postgraphile = started(await startPeer('postgraphile.mjs', database));
      const apollo = started(await startPeer('apollo', database));
      const same = valuesOf;
      const [service, postgraphileFigures, apolloFigures, cached] = await measure(
        [
          { name: 'Curvet', server: product, request: uncached, same },
          { name: 'PostGraphile 5', server: postgraphile, request: asked(postgraphileQuery), same },
          { name: 'Apollo and type-graphql', server: apollo, request: { ...asked(ours), path: '/' }, same },
          { name: 'Curvet, cached', server: product, request: asked(ours), same },
        ],
        database,
        options,
      );
      if (!service || !postgraphileFigures || !apolloFigures || !cached) throw new Error('not measured');
      const line = (
        [work, against]: readonly [string, string],
        figures: Figures,
        peer: Figures,
        value: number,
      ): Omit<Line, 'row'> => ({
        work,
        against,
        product: inWords(figures),
        peer: inWords(peer),
        value: figures.perSecond / peer.perSecond,
        target: { at: 'least', value, unit: 'times' },
        note: cpuNote(figures, peer),
      });
      return [
        line([`${WORK}, nothing cached`, 'PostGraphile 5 (Amber)'], service, postgraphileFigures, 1.3),
        line([`${WORK}, nothing cached`, 'Apollo with its defaults, type-graphql'], service, apolloFigures, 2.5),
        line([`${WORK}, with the cache`, 'PostGraphile 5 (Amber)'], cached, postgraphileFigures, 10),
      ];
    });
  },
};
