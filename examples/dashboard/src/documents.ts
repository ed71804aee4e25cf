import { gql, type TypedDocumentNode } from '@apollo/client';

type Named = { id: string; name: string };
type List<T> = { nodes: T[] } | null;
type TopAgent = Named & { ticketPriceEth: string; priceChange24h: number; holderCount: number };
type Standing = { id: string; rank: number; totalPoints: number; agent: Named | null };
type Season = { number: number; endDate: string; isActive: boolean; leaderboard: List<Standing> };
type Holder = { id: string; address: string; amount: number; agent: Named | null };
type Pnl = Record<'totalPnlWei' | 'realizedWei' | 'unrealizedWei' | 'feesEarnedWei', string>;
export type Candle = Record<'id' | 'time' | 'open' | 'high' | 'low' | 'close', string>;
type Agent = Named & { candles: Candle[]; holders: List<Holder>; pnl: Pnl };
type Trade = { amount?: number; priceEth?: string; trader?: Named | null };
export type FeedEvent = Trade & { id: string; type: string; createdAt: string; agent: Named | null; text?: string };
export type Change = { eventId: string; event: FeedEvent | null };

export const MARKET: TypedDocumentNode<{ topAgents: TopAgent[] | null; seasons: List<Season> }> = gql`
  query Market {
    topAgents(first: 8) { id name ticketPriceEth priceChange24h holderCount }
    seasons(first: 1) {
      nodes { id number isActive endDate leaderboard(first: 5) { nodes { id rank totalPoints agent { id name } } } }
    }
  }
`;

export const AGENT: TypedDocumentNode<{ agent: Agent | null }, { address: string }> = gql`
  query Agent($address: String!) {
    agent(address: $address) {
      id name
      candles(first: 48) { id time open high low close }
      holders(first: 8) { nodes { id address amount agent { id name } } }
      pnl { id totalPnlWei realizedWei unrealizedWei feesEarnedWei }
    }
  }
`;

const EVENT = gql`
  fragment Event on FeedEvent {
    id type createdAt agent { id name }
    ... on StatusEvent { text }
    ... on TradeEvent { amount priceEth trader { id name } }
  }
`;

export const FEED: TypedDocumentNode<{ liveSequence: string | null; feed: List<FeedEvent> }> = gql`
  query Feed { liveSequence feed(first: 12) { nodes { ...Event } } }
  ${EVENT}
`;

export const CHANGES: TypedDocumentNode<{ feedEvent: Change }, { after: string }> = gql`
  subscription Changes($after: ID) { feedEvent(after: $after) { id eventId event { ...Event } } }
  ${EVENT}
`;
