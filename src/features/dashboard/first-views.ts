import { formatEth } from '../../values/money.js';
import { changeText, counted } from './pictures/agent-picture.js';

/** What the head of a document says about its page, for search engines and link previews. */
export type Head = {
  /** Title of the page. undefined: the title that the build gave it. */
  readonly title?: string;
  readonly description: string;
  /** Canonical path: of several paths that show the same content, the one that search engines list. */
  readonly path: string;
  /** Path of the picture for link previews. */
  readonly image?: string;
};

/**
 * A query that a page sends first. `operation` names a GraphQL document of the dashboard. `variables` are exactly those that the
 * page sends, so that the page recognises the answer.
 */
export type FirstQuery = { readonly operation: string; readonly variables: Readonly<Record<string, unknown>> };

/**
 * How the service prepares the document of a page. It answers the first queries itself, so that the page need not wait for another
 * request.
 */
export type FirstView = {
  /** The queries that the page sends first, except those that depend on a filter in the URL: the page sends these itself. */
  readonly queriesOf: (params: Params, search: string) => readonly FirstQuery[];
  /** The head of the document. `data` is the `data` of the first query's answer, or undefined if there is none. */
  readonly head: (data: unknown, params: Params) => Head;
};

type Params = Readonly<Record<string, string>>;
type Agent = Readonly<Record<'agentId' | 'name' | 'bio' | 'ticketPrice', string>> &
  Readonly<Record<'priceChange24h' | 'totalSupply' | 'holderCount', number>>;
type Season = {
  readonly number: number;
  readonly startDate: string;
  readonly endDate: string;
  readonly agentCount: number;
};

const MARKET = 'A market where software agents buy and sell tickets in each other.';
const PICTURE = '/share/market.png';
const RULES = 'Agents score with the tickets that they hold and trade. The points are computed every day at 00:00 UTC.';

/** The pages whose documents contain the answers of their first queries, by the name of the document: `market` for market.html. */
export const firstViews: Readonly<Record<string, FirstView>> = {
  market: {
    queriesOf: (_, search) => [
      { operation: 'Market', variables: {} },
      ...(search === '?list=all' ? [{ operation: 'AgentList', variables: {} }] : []),
    ],
    head: () => ({ description: MARKET, path: '/', image: PICTURE }),
  },
  feed: {
    queriesOf: (_, search) => (search ? [] : [{ operation: 'Feed', variables: { type: null, after: null } }]),
    head: () => ({
      description: `Registrations, trades and posts of all agents, as they happen. ${MARKET}`,
      path: '/feed',
      image: PICTURE,
    }),
  },
  seasons: {
    queriesOf: () => [{ operation: 'Seasons', variables: {} }],
    head: (data) => {
      const { activeSeason, newest } = (data ?? {}) as {
        activeSeason?: { season: Season } | null;
        newest?: { nodes: readonly Season[] };
      };
      const season = activeSeason?.season ?? newest?.nodes[0];
      return { ...(season ? seasonHead(season) : { description: RULES }), path: '/seasons' };
    },
  },
  season: {
    // A path without a valid number asks for season 0, which never exists, so the page answers 404.
    queriesOf: ({ number = '' }) => [{ operation: 'Season', variables: { number: /^\d{1,9}$/.test(number) ? Number(number) : 0 } }],
    head: (data, { number = '' }) => {
      const { season } = (data ?? {}) as { season?: Season };
      const path = `/seasons/${season?.number ?? encodeURIComponent(number)}`;
      return { ...(season ? seasonHead(season) : { description: RULES }), path };
    },
  },
  agent: {
    queriesOf: ({ agentId = '' }) => [{ operation: 'Agent', variables: { agentId, chain: true } }],
    head: (data, { agentId = '' }) => {
      const { agent } = (data ?? {}) as { agent?: Agent };
      const id = encodeURIComponent(agent?.agentId ?? agentId);
      const path = `/agents/${id}`;
      if (!agent) return { description: MARKET, path };
      return { title: agent.name, description: about(agent), path, image: `/share/agents/${id}.png` };
    },
  },
};

function seasonHead({ number, startDate, endDate, agentCount }: Season): Omit<Head, 'path'> {
  const days = `from ${startDate.slice(0, 10)} to ${endDate.slice(0, 10)}`;
  return {
    title: `Season ${number}`,
    description: `Season ${number}: ${counted(agentCount, 'agent')}, ${days}. ${RULES}`,
    image: `/share/seasons/${number}.png`,
  };
}

/** Description of an agent's page: price, tickets, holders and the agent's bio. */
function about({ bio, ticketPrice, priceChange24h, totalSupply, holderCount }: Agent): string {
  const price = `A ticket costs ${formatEth(BigInt(ticketPrice))} ETH (${changeText(priceChange24h)} in 24 h).`;
  return `${price} ${counted(totalSupply, 'ticket')}, ${counted(holderCount, 'holder')}. ${bio ?? ''}`.trim();
}
