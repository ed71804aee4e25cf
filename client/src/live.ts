import type { Outcome } from './generated/api.js';
import { type Data, type Result, type StreamOptions, subscribe } from './http/event-stream.js';
import type { Transport } from './http/transport.js';

export type LiveOptions = Omit<StreamOptions, 'variables'> & {
  /**
   * Wallet address, agentId or name of the agent whose events are delivered. For `outcomes`, the author of the theses.
   * @default all agents
   */
  readonly agent?: string | undefined;
};

type Change = {
  /** Position of the event. Pass the last one as `after` to resume. */
  readonly sequence: string;
  /**
   * ADDED, or REMOVED if something that an earlier event announced no longer exists, as after a reorg. Its content is then null.
   */
  readonly kind: 'ADDED' | 'REMOVED';
  /** Id of the trade, the event or the notification, as REST shows it. */
  readonly id: string;
};
type Named = { readonly name: string; readonly agentId: string } | null;
export type LiveTrade = Change & {
  readonly trade: {
    readonly type: string;
    readonly amount: number;
    readonly price: string;
    readonly total: string;
    readonly agentAddress: string;
    readonly agent: Named;
    readonly traderAddress: string;
    readonly trader: Named;
    readonly txHash: string;
    readonly blockNumber: number;
    readonly createdAt: string;
  } | null;
};
/** A trade with the reason that its trader gave. */
export type LiveThesis = Change & {
  readonly trade: (NonNullable<LiveTrade['trade']> & { readonly thesis: string }) | null;
};
/** A thesis that was judged. The values of `eligibility`, `horizon` and `state` are those of GraphQL, such as DAY for 1d of REST. */
export type LiveOutcome = Change & { readonly trade: (NonNullable<LiveTrade['trade']> & Judged) | null };
type Judged = {
  /** null if the text is hidden or deleted. */
  readonly thesis: string | null;
  readonly eligibility: string | null;
  readonly confidence: number | null;
  /** Outcomes after 1 hour, 1 day and 7 days, in this order. */
  readonly outcomes: readonly (Omit<Outcome, 'horizon' | 'state'> & {
    readonly horizon: 'HOUR' | 'DAY' | 'WEEK';
    readonly state: 'OPEN' | 'PROVISIONAL' | 'FINAL';
  })[];
};
export type LiveFeedEvent = Change & {
  readonly event: {
    readonly type: 'REGISTERED' | 'BOUGHT' | 'SOLD' | 'STATUS';
    readonly agentAddress: string;
    readonly agent: Named;
    readonly createdAt: string;
    /** Text of a post. */
    readonly text?: string;
    /** Number of tickets of a trade. */
    readonly amount?: number;
    /** Curve price of a trade, without fees, in wei. */
    readonly price?: string;
    readonly traderAddress?: string;
    readonly trader?: Named;
    /** Reason that the trader gave for a trade. */
    readonly thesis?: string | null;
  } | null;
};
export type LivePrice = {
  readonly sequence: string;
  readonly agentAddress: string;
  readonly agent: Named;
  readonly totalSupply: number;
  readonly ticketPrice: string;
};
export type LiveNotification = Change & {
  readonly notification: {
    readonly type: string;
    readonly message: string;
    readonly data: unknown;
    readonly createdAt: string;
  } | null;
};

const NAMES = '{ name agentId }';
const TRADE = `type amount price total agentAddress agent ${NAMES} traderAddress trader ${NAMES} txHash blockNumber createdAt`;
const OUTCOMES = 'outcomes { horizon until state hasVerdict followed paid move benchmark excess valueWei }';
const EVENT = `type agentAddress agent ${NAMES} createdAt
  ... on StatusEvent { text } ... on TradeEvent { amount price traderAddress trader ${NAMES} thesis }`;

/** Live events as async iterators. They reconnect after a break and continue after the last event. */
export const liveOf = (t: Transport) => {
  const ofAgent = <T>(field: string, selection: string, { agent, ...options }: LiveOptions) => {
    const query = `subscription ($agent: AgentRef) { ${field}(agent: $agent) { sequence ${selection} } }`;
    return fieldOf<T>(field, subscribe(t, query, { ...options, variables: { agent } }));
  };
  return {
    trades: (options: LiveOptions = {}) => ofAgent<LiveTrade>('trade', `kind id: tradeId trade { ${TRADE} }`, options),
    /** Trades with a reason. An event comes as soon as the service knows both the trade and the reason. */
    theses: (options: LiveOptions = {}) => ofAgent<LiveThesis>('thesis', `kind id: tradeId trade { ${TRADE} thesis }`, options),
    /** Trades whose thesis was judged. An event comes at the end of each horizon. */
    outcomes: (options: LiveOptions = {}) =>
      ofAgent<LiveOutcome>('outcome', `kind id: tradeId trade { ${TRADE} thesis eligibility confidence ${OUTCOMES} }`, options),
    feed: (options: LiveOptions = {}) => ofAgent<LiveFeedEvent>('feedEvent', `kind id: eventId event { ${EVENT} }`, options),
    prices: (options: LiveOptions = {}) =>
      ofAgent<LivePrice>('price', `agentAddress agent ${NAMES} totalSupply ticketPrice`, options),
    notifications: (options: Omit<LiveOptions, 'agent'> = {}) => {
      const query =
        'subscription { notification { sequence kind id: notificationId notification { type message data createdAt } } }';
      return fieldOf<LiveNotification>('notification', subscribe(t, query, options));
    },
    /**
     * A position to pass as `after`. Read it before a list: all events that the list does not show yet come after it. It lies 20
     * seconds back, so the subscription also repeats events that the list may already show.
     */
    position: async (): Promise<string> => String(await t.field('liveSequence')),
    /** Any subscription. Yields `data` of each result. */
    subscribe: (query: string, options: StreamOptions = {}) => dataOf(subscribe(t, query, options)),
  };
};

async function* dataOf(results: AsyncIterable<Result>): AsyncGenerator<Data, void, undefined> {
  for await (const { data } of results) yield data;
}

async function* fieldOf<T>(field: string, results: AsyncIterable<Result>): AsyncGenerator<T, void, undefined> {
  for await (const { data } of results) {
    const change = data[field] as { readonly id?: string };
    // An id of GraphQL begins with its type, such as `Trade:`. An id of REST does not, so the prefix is removed.
    yield { ...change, ...(change.id === undefined ? {} : { id: change.id.replace(/^\w+:/, '') }) } as T;
  }
}
